"""Read and run a `tokenizer.json`: `companion.pipeline` beside the library `tokenizers`.

    python benchmarks/pipeline.py

The files are put together here, from the vocabularies in the companion. All ids must be equal, and
the times of encoding are those of the second time and later. The library encodes one text on one
thread.
"""

import json
import random
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from _measure import Contender, Run, compare, english, report
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from companion.bpe import BYTE_TO_UNICODE, GPT2_PATTERN, BPETokenizer, gpt2, o200k
from companion.pipeline import Pipeline

LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def shown(token: bytes) -> str:
    """Write a token in the stand-ins of its bytes."""
    return "".join(BYTE_TO_UNICODE[byte] for byte in token)


@cache
def byte_level(make: Callable[[], BPETokenizer], pattern: str) -> str:
    """Return the `tokenizer.json` of a vocabulary of the companion, with a pattern."""
    merges = [(shown(left), shown(right)) for left, right in make().merges]
    vocab = {shown(token): i for token, i in make().vocab.items()}
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    signs = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern == GPT2_PATTERN)
    split = pre_tokenizers.Split(Regex(pattern), "isolated")
    steps = [signs] if pattern == GPT2_PATTERN else [split, signs]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    return str(tokenizer.to_str())


gpt2_file: Callable[[], str] = partial(byte_level, gpt2, GPT2_PATTERN)
# GPT-2's vocabulary with the stages of Llama 3, whose pattern `Split` has.
llama3_file: Callable[[], str] = partial(byte_level, gpt2, LLAMA3_PATTERN)


def o200k_file() -> str:
    """Return the file of GPT-4o."""
    return byte_level(o200k, o200k().pattern)


def whole_file() -> str:
    """Return GPT-2's vocabulary without a pre-tokenizer: a text is one word, as in Llama 2."""
    return json.dumps(json.loads(gpt2_file()) | {"pre_tokenizer": None})


def companion(text: str, file: Callable[[], str]) -> Run:
    """Encode with the pipeline."""
    return partial(Pipeline(json.loads(file())).encode, text)


def compiled(text: str, file: Callable[[], str]) -> Run:
    """Encode with the library."""
    tokenizer = Tokenizer.from_str(file())
    return lambda: list(tokenizer.encode(text).ids)


def companion_reads(text: str, file: Callable[[], str]) -> Run:
    """Read a file."""
    data = file()
    return lambda: Pipeline(json.loads(data)).n_vocab


def compiled_reads(text: str, file: Callable[[], str]) -> Run:
    """Read a file with the library."""
    data = file()
    return lambda: Tokenizer.from_str(data).get_vocab_size()


def both(ours: Any, theirs: Any, file: Callable[[], str]) -> dict[str, Contender]:
    """Return the contenders of a task."""
    named = {"companion": ours, "tokenizers (compiled)": theirs}
    return {name: partial(make, file=file) for name, make in named.items()}


def main() -> None:
    """Run all and report."""
    text = english(1_000_000)
    letters = "".join(random.Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=100_000))
    files = {"GPT-2": gpt2_file, "Llama 3's stages": llama3_file, "GPT-4o": o200k_file}
    rows = []
    for name, file in files.items():
        of = both(companion, compiled, file)
        rows += compare(f"{name}: 1 MB of English", text, of, rounds=5)
    of = both(companion, compiled, whole_file)
    rows += compare("100,000 letters without a pre-tokenizer", letters, of, rounds=3)
    for name, file in {"GPT-2": gpt2_file, "GPT-4o": o200k_file}.items():
        of = both(companion_reads, compiled_reads, file)
        rows += compare(f"{name}: read the file", "", of, rounds=5)
    report("pipeline", rows, ["tokenizers"], text=text)


if __name__ == "__main__":
    main()
