"""Learn BPE merges and Unigram pieces: the companion, the compiled libraries, a simple algorithm.

All trainers of BPE must learn the same merges. The algorithm of most tutorials takes minutes for a
megabyte, so it runs only once there, and not for the largest vocabulary. Trainers of Unigram learn
different pieces; each uses one thread and runs twice.
"""

import io
import json
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise

import sentencepiece
from _measure import Contender, Run, compare, english, report
from tokenizers import ByteLevelBPETokenizer

from companion.bpe import GPT2_PATTERN, BPETokenizer, train_bpe
from companion.bpe.merges_file import parse_merges
from companion.patterns import read_pattern
from companion.unigram import train_unigram

Merges = list[tuple[bytes, bytes]]
BYTES = list(BPETokenizer([]).vocab)
RECOUNT = "full recount (most tutorials)"


def companion(text: str, vocab_size: int) -> Run:
    """Learn with `companion.bpe`."""
    return lambda: list(train_bpe(text, vocab_size).merges)


def compiled_tokenizers(text: str, vocab_size: int) -> Run:
    """Learn with `tokenizers`."""

    def run() -> Merges:
        tokenizer = ByteLevelBPETokenizer()
        tokenizer.train_from_iterator([text], vocab_size, min_frequency=0, show_progress=False)
        merges = json.loads(tokenizer.to_str())["model"]["merges"]
        return parse_merges("".join(f"{a} {b}\n" for a, b in merges), "tokenizers")

    return run


def full_recount(text: str, vocab_size: int) -> Run:
    """Learn as most tutorials do: count all pairs of the text for each merge, and rewrite it."""

    def run() -> Merges:
        ids_of = {token[0]: i for i, token in enumerate(BYTES)}
        split = read_pattern(GPT2_PATTERN).findall
        words = [[ids_of[byte] for byte in word.encode()] for word in split(text)]
        tokens, merges = [*BYTES], []
        for new in range(256, vocab_size):
            counts: dict[tuple[int, int], int] = {}
            for word in words:
                for pair in pairwise(word):
                    counts[pair] = counts.get(pair, 0) + 1
            left, right = min(counts, key=lambda pair: (-counts[pair], pair))
            words = [replaced(word, (left, right), new) for word in words]
            merges.append((tokens[left], tokens[right]))
            tokens.append(tokens[left] + tokens[right])
        return merges

    return run


def replaced(ids: list[int], pair: tuple[int, int], new: int) -> list[int]:
    """Replace a pair everywhere in one word."""
    result, i = [], 0
    while i < len(ids):
        found = tuple(ids[i : i + 2]) == pair
        result.append(new if found else ids[i])
        i += 2 if found else 1
    return result


def unigram(text: str, learn: Callable[[list[str], int], object]) -> Run:
    """Learn 5,000 pieces of Unigram."""
    return partial(learn, text.split("\n"), 5_000)


def sentencepiece_model(lines: Iterable[str], vocab_size: int) -> bytes:
    """Learn with `sentencepiece`, and return its file."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(filter(None, lines)), model_writer=file, model_type="unigram",
        vocab_size=vocab_size, normalization_rule_name="identity", remove_extra_whitespaces=False,
        character_coverage=1.0, bos_id=-1, eos_id=-1, num_threads=1, minloglevel=2,
    )  # fmt: skip
    return file.getvalue()


def main() -> None:
    """Run all and report."""
    text = english(1_000_000)
    rows = []
    for learned, size, rounds in ((text[:100_000], 500, 3), (text, 1_000, 9), (text, 5_000, 9)):
        contenders: dict[str, Contender] = {
            "companion": partial(companion, vocab_size=size),
            "tokenizers (compiled)": partial(compiled_tokenizers, vocab_size=size),
        }
        if size <= 1_000:
            contenders[RECOUNT] = partial(full_recount, vocab_size=size)
        task = f"BPE: {len(learned) / 1e6:g} MB, {size:,} ids"
        rows += compare(task, learned, contenders, rounds=rounds, once=[RECOUNT])
    pieces: dict[str, Contender] = {
        "sentencepiece (compiled)": partial(unigram, learn=sentencepiece_model),
        "companion": partial(unigram, learn=train_unigram),
    }
    rows += compare("Unigram: 1 MB, 5,000 pieces", text, pieces, rounds=1, agree=False)
    report("training", rows, ["tokenizers", "sentencepiece"], text=text)


if __name__ == "__main__":
    main()
