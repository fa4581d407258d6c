"""Encode with the tokenizers of the book: the companion and the compiled libraries.

First new text, as in daily use: in pieces of 2,000 characters, the second half of a text after the
first. Then one megabyte as one string: again, and cold. In each task all ids must be equal. The
times are those of the processor.
"""

import json
import random
import time
from collections.abc import Callable
from copy import copy
from functools import cache, partial
from typing import Any

import sentencepiece
import tiktoken
from _measure import Contender, Row, Run, compare, english, kinds_of_text, medians, report, rows_of
from tiktoken_ext.openai_public import r50k_pat_str
from tokenizers import BertWordPieceTokenizer, Tokenizer, models
from tokenizers.pre_tokenizers import Metaspace
from training import sentencepiece_model

from companion.bpe import GPT2_PATTERN, BPETokenizer, gpt2, o200k
from companion.bpe.merges_file import tokenizer_json
from companion.unigram import UnigramTokenizer
from companion.wordpiece import bert_uncased
from inspector import Pipeline

LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
Encode = Callable[[str], Any]
Make = Callable[[], BPETokenizer]
Family = dict[str, Callable[[], Encode]]  # what makes a tokenizer that has encoded nothing yet
OURS, TIKTOKEN, TOKENIZERS = "companion", "tiktoken (compiled)", "tokenizers (compiled)"
CPU = time.process_time


def theirs(tokenizer: Any) -> Encode:
    """Return what gives the ids of a tokenizer of `tokenizers`."""
    return lambda text: tokenizer.encode(text).ids


@cache
def file_of(make: Make, pattern: str) -> bytes:
    """Return the `tokenizer.json` of a vocabulary of the companion, with a pattern."""
    return tokenizer_json(make().merges, make().vocab, pattern, {})


def any_tokenizer(make: Make, pattern: str) -> Family:
    """Return two readers of such a file."""
    return {
        OURS: lambda: Pipeline(json.loads(file_of(make, pattern))).encode,
        TOKENIZERS: lambda: theirs(Tokenizer.from_buffer(file_of(make, pattern))),
    }


@cache
def compiled(make: Make, pattern: str) -> Encode:
    """Return `tiktoken`, which remembers nothing, with a vocabulary of the companion."""
    ranks = make().vocab
    return tiktoken.Encoding("", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}).encode


@cache
def processor() -> sentencepiece.SentencePieceProcessor:
    """Return the model of Unigram that all contenders encode with, learned from the text."""
    model = sentencepiece_model(english(1_000_000).split("\n"), 5_000)
    return sentencepiece.SentencePieceProcessor(model_proto=model)


@cache
def pieces() -> list[tuple[str, float]]:
    """Return its pieces and their log probabilities."""
    model = processor()
    return [(model.id_to_piece(i), model.get_score(i)) for i in range(model.get_piece_size())]


def unigram_of_tokenizers() -> Encode:
    """Return Unigram of `tokenizers`, which here puts no space in front of a text."""
    tokenizer = Tokenizer(models.Unigram(pieces(), unk_id=0, byte_fallback=False))
    tokenizer.pre_tokenizer = Metaspace(prepend_scheme="never")
    return lambda text: tokenizer.encode(" " + text).ids


FAMILIES: dict[str, Family] = {
    "GPT-2": {
        OURS: lambda: copy(gpt2()).encode,  # a copy remembers nothing
        TIKTOKEN: partial(compiled, gpt2, r50k_pat_str),  # as it writes GPT-2's pattern itself
        TOKENIZERS: lambda: theirs(Tokenizer.from_buffer(file_of(gpt2, GPT2_PATTERN))),
    },
    "o200k": {
        OURS: lambda: copy(o200k()).encode,
        TIKTOKEN: partial(compiled, o200k, o200k().pattern),
    },
    "BERT": {
        OURS: lambda: bert_uncased.__wrapped__().encode,
        TOKENIZERS: lambda: theirs(BertWordPieceTokenizer(dict(bert_uncased().vocab))),
    },
    "Unigram": {
        OURS: lambda: UnigramTokenizer(pieces()).encode,
        "sentencepiece (compiled)": lambda: processor().encode,
        TOKENIZERS: unigram_of_tokenizers,
    },
    # GPT-2's vocabulary with the stages of Llama 3; and a vocabulary four times as large.
    "Llama 3's stages, from a file": any_tokenizer(gpt2, LLAMA3_PATTERN),
    "GPT-4o, from a file": any_tokenizer(o200k, o200k().pattern),
}


def new_text(family: str, kind: str, text: str) -> list[Row]:
    """Encode the second half of a text, piece by piece, after the first."""
    parts = [text[i : i + 2000] for i in range(0, len(text), 2000)]
    encoders: dict[str, Encode] = {}

    def prepare(name: str) -> None:
        encoders[name] = FAMILIES[family][name]()
        for part in parts[: len(parts) // 2]:
            encoders[name](part)

    def run(name: str) -> list[Any]:
        return [list(encoders[name](part)) for part in parts[len(parts) // 2 :]]

    runs: dict[str, Run] = {name: partial(run, name) for name in FAMILIES[family]}
    seconds = medians(runs, 5, CPU, prepare)
    if any(runs[name]() != runs[OURS]() for name in runs):
        raise SystemExit(f"{family}, {kind}: the ids differ")
    return rows_of(f"{family}, new text: {kind}", seconds)


def one_string(text: str, name: str, *, cold: bool = False) -> Run:
    """Encode a text that was encoded before; cold, as if for the first time."""
    make = FAMILIES["GPT-2"][name]
    return (lambda: make()(text)) if cold else partial(make(), text)


def main() -> None:
    """Run all and report."""
    rows: list[Row] = []
    for family in FAMILIES:
        for kind, text in kinds_of_text(200_000).items():
            if family in ("GPT-2", "BERT") or kind == "English":
                rows += new_text(family, kind, text)
    text, letters = english(1_000_000), random.Random(0).choices("abcdefghijklmnopqrst", k=50_000)
    tasks = {"1 MB of English": text, "the same with one rare letter": f"{text[:-1]}𐐀"}
    tasks |= {"one word of 50,000 random letters": "".join(letters)}
    of: dict[str, Contender] = {name: partial(one_string, name=name) for name in FAMILIES["GPT-2"]}
    of |= {"companion, cold": partial(one_string, name=OURS, cold=True)}
    for task, its_text in tasks.items():
        rows += compare(f"GPT-2, as one string: {task}", its_text, of, rounds=3, clock=CPU)
    report("encoding", rows, ["tiktoken", "tokenizers", "sentencepiece"], text=text)


if __name__ == "__main__":
    main()
