"""Encode and learn with the Unigram model: the companion and the compiled libraries.

    python benchmarks/unigram.py

The vocabulary is one that SentencePiece has learned from the text. The text is one string, and all
ids must be equal. Learning is by one thread; the vocabularies differ, so their sizes are compared.
"""

import io
from collections.abc import Callable
from functools import cache
from typing import Any

import sentencepiece
from _measure import Contender, compare, english, report
from tokenizers import Tokenizer, models, pre_tokenizers

from companion.unigram import UnigramTokenizer, train_unigram

SIZE = 5000


def learn(text: str) -> bytes:
    """Learn with SentencePiece, and return its file."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for line in text.split("\n") if line]),
        model_writer=file,
        model_type="unigram",
        vocab_size=SIZE,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        character_coverage=1.0,
        bos_id=-1,
        eos_id=-1,
        num_threads=1,
        minloglevel=2,
    )
    return file.getvalue()


@cache
def processor() -> sentencepiece.SentencePieceProcessor:
    """Return the model that all contenders encode with."""
    return sentencepiece.SentencePieceProcessor(model_proto=learn(english(1_000_000)))


def pieces() -> list[tuple[str, float]]:
    """Return its pieces and their log probabilities."""
    model = processor()
    ids = range(model.get_piece_size())
    return [(model.id_to_piece(i), model.get_score(i)) for i in ids]


def companion(text: str) -> Callable[[], Any]:
    """Encode with `companion.unigram`."""
    tokenizer = UnigramTokenizer(pieces())
    return lambda: tokenizer.encode(text)


def companion_cold(text: str) -> Callable[[], Any]:
    """Encode with `companion.unigram`, as if for the first time."""
    tokenizer = UnigramTokenizer(pieces())

    def run() -> list[int]:
        tokenizer._memory.clear()
        return tokenizer.encode(text)

    return run


def compiled_sentencepiece(text: str) -> Callable[[], Any]:
    """Encode with `sentencepiece`."""
    model = processor()
    return lambda: model.encode(text)


def compiled_tokenizers(text: str) -> Callable[[], Any]:
    """Encode with `tokenizers`."""
    tokenizer = Tokenizer(models.Unigram(pieces(), unk_id=0, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    return lambda: tokenizer.encode(" " + text).ids


def learn_companion(text: str) -> Callable[[], Any]:
    """Learn with `companion.unigram`."""
    return lambda: train_unigram(text.split("\n"), SIZE).n_vocab


def learn_sentencepiece(text: str) -> Callable[[], Any]:
    """Learn with `sentencepiece`."""

    def run() -> int:
        model = sentencepiece.SentencePieceProcessor(model_proto=learn(text))
        return int(model.get_piece_size())

    return run


def main() -> None:
    """Measure, print and write the results."""
    text = english(1_000_000)
    encoders: dict[str, Contender] = {
        "companion": companion,
        "companion, cold": companion_cold,
        "sentencepiece (compiled)": compiled_sentencepiece,
        "tokenizers (compiled)": compiled_tokenizers,
    }
    learners: dict[str, Contender] = {
        "companion": learn_companion,
        "sentencepiece (compiled)": learn_sentencepiece,
    }
    size = len(text.encode())
    rows = compare(
        "encode 1 MB", text, encoders, rounds=7, bytes_processed=size, same=list
    ) + compare(f"learn {SIZE:,} pieces from 1 MB", text, learners, rounds=1, bytes_processed=size)
    report("unigram", text, rows, ["sentencepiece", "tokenizers"])


if __name__ == "__main__":
    main()
