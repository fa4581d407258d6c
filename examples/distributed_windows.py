"""Several processes share one token file and, together, see each window once an epoch.

On one machine, with two processes:

    torchrun --standalone --local-addr 127.0.0.1 --nproc-per-node 2 examples/distributed_windows.py

Without `--local-addr`, `torchrun` looks up the name of the machine, which fails on some machines.
`torchrun` starts the processes and tells each its *rank*, a number from 0, through environment
variables that `init_process_group` reads. On a cluster only the way they are started changes (see
the chapter `windows`), and the token file must lie where all machines can read it.
"""

import tempfile
from pathlib import Path

import torch.distributed as dist

from companion.bpe import gpt2
from companion.story import load_story
from companion.windows import SlidingWindows, read_tokens, window_loader, write_tokens

CONTEXT_SIZE, BATCH_SIZE, EPOCHS = 32, 5, 3


def main() -> None:
    """Share a folder between the processes, and deal the windows of a token file in it."""
    dist.init_process_group("gloo")  # "nccl" where each process has a GPU
    with tempfile.TemporaryDirectory() as folder:
        # Each process has made a folder of its own: all take the one of rank 0.
        shared = [Path(folder, "story.npy")]
        dist.broadcast_object_list(shared, src=0)
        deal(shared[0])
        dist.barrier()  # no process deletes the file while another reads it
    dist.destroy_process_group()


def deal(path: Path) -> None:
    """Write a token file, and say of each epoch what the processes read together."""
    tokenizer = gpt2()
    if dist.get_rank() == 0:
        write_tokens([load_story()], path, tokenizer, separator="<|endoftext|>")
    dist.barrier()  # no process reads before the file is there

    tokens = read_tokens(path, tokenizer)
    loader = window_loader(
        tokens, batch_size=BATCH_SIZE, context_size=CONTEXT_SIZE,
        shuffle=True, drop_last=False, seed=0, distributed=True,
    )  # fmt: skip
    windows = [tuple(inputs.tolist()) for inputs, _ in SlidingWindows(tokens, CONTEXT_SIZE)]
    for epoch in range(EPOCHS):
        # The sampler counts epochs by itself; to say which one comes next is needed only by a
        # program that goes on where another stopped. It does no harm.
        loader.sampler.set_epoch(epoch)
        seen = []
        for inputs, _ in loader:
            seen += map(tuple, inputs.tolist())  # here a model would learn from the batch

        of_ranks = [None] * dist.get_world_size()
        dist.all_gather_object(of_ranks, seen)
        dealt = [row for rows in of_ranks for row in rows]
        if dist.get_rank() == 0:
            shares = " + ".join(str(len(rows)) for rows in of_ranks)
            missing = len({*windows} - {*dealt})
            # All get equally many: where they do not divide evenly, a few are dealt twice.
            twice = len(dealt) - len(windows)
            print(f"epoch {epoch}: {shares} windows, {missing} missing, {twice} twice")


if __name__ == "__main__":
    main()
