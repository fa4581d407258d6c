"""Encode with BERT's vocabulary: the companion, the compiled libraries, a simple algorithm.

    python benchmarks/wordpiece_encoding.py

Everything is encoded as one string, and all ids must be equal.
"""

import unicodedata
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

from _measure import compare, english, report
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from companion.wordpiece import WordPieceTokenizer, bert_uncased


def companion(text: str) -> Callable[[], Any]:
    """Encode with `companion.wordpiece`."""
    tokenizer = bert_uncased()
    return lambda: tokenizer.encode(text)


def companion_cold(text: str) -> Callable[[], Any]:
    """Encode with `companion.wordpiece`, as if for the first time."""
    tokenizer = WordPieceTokenizer(bert_uncased().vocab)

    def run() -> list[int]:
        tokenizer._memory.clear()
        return tokenizer.encode(text)

    return run


def compiled_transformers(text: str) -> Callable[[], Any]:
    """Encode with `transformers`."""
    from transformers import BertTokenizer

    path = files("companion").joinpath("data", "bert-base-uncased-vocab.txt")
    tokenizer = BertTokenizer(vocab=str(path), model_max_length=10**9)
    return lambda: tokenizer(text)["input_ids"]


def compiled_tokenizers(text: str) -> Callable[[], Any]:
    """Encode with `tokenizers`."""
    vocab = bert_uncased().vocab
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", vocab["[SEP]"]), ("[CLS]", vocab["[CLS]"])
    )
    return lambda: tokenizer.encode(text).ids


def character_by_character(text: str) -> Callable[[], Any]:
    """Encode as BERT's first code did: look at each character, then at each word, every time."""
    vocab = bert_uncased().vocab

    def words() -> Iterator[str]:
        for run in text.lower().split():
            word = ""
            for character in unicodedata.normalize("NFD", run):
                category = unicodedata.category(character)
                if category == "Mn":
                    continue
                if category.startswith("P") or character in "$+<=>^`|~":
                    if word:
                        yield word
                    yield character
                    word = ""
                else:
                    word += character
            if word:
                yield word

    def pieces(word: str) -> list[int]:
        ids = []
        start = 0
        while start < len(word):
            end = len(word)
            while end > start:
                piece = word[start:end] if start == 0 else "##" + word[start:end]
                if piece in vocab:
                    break
                end -= 1
            else:
                return [vocab["[UNK]"]]
            ids.append(vocab[piece])
            start = end
        return ids

    return lambda: [101, *(i for word in words() for i in pieces(word)), 102]


def main() -> None:
    """Run all and report."""
    text = english(1_000_000)
    rows = compare(
        "1 MB of English, warm",
        text,
        {
            "companion": companion,
            "companion, cold": companion_cold,
            "transformers (compiled)": compiled_transformers,
            "tokenizers (compiled)": compiled_tokenizers,
            "character by character (first BERT)": character_by_character,
        },
        rounds=7,
        bytes_processed=len(text),
        same=list,
    )
    report("wordpiece_encoding", text, rows, ["transformers", "tokenizers"])


if __name__ == "__main__":
    main()
