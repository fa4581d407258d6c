"""Encode with the tokenizers of the book: the companion and the compiled libraries.

    python benchmarks/encoding.py

Everything is encoded as one string, and in each task all ids must be equal. "Warm" is the second
time and later: the companion and `tokenizers` remember what they have seen, `tiktoken` does not.
"""

import random
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import sentencepiece
import tiktoken
from _measure import Contender, Run, compare, english, report
from pipeline import compiled as compiled_file
from pipeline import gpt2_file
from tiktoken_ext.openai_public import r50k_pat_str
from tokenizers import BertWordPieceTokenizer, Tokenizer, models
from tokenizers.pre_tokenizers import Metaspace
from training import sentencepiece_model

from companion.bpe import gpt2, o200k
from companion.unigram import UnigramTokenizer
from companion.wordpiece import bert_uncased


@cache
def processor() -> sentencepiece.SentencePieceProcessor:
    """Return the model of Unigram that all contenders encode with, learned from the text."""
    model = sentencepiece_model(english(1_000_000).split("\n"), 5_000)
    return sentencepiece.SentencePieceProcessor(model_proto=model)


def pieces() -> list[tuple[str, float]]:
    """Return its pieces and their log probabilities."""
    model = processor()
    return [(model.id_to_piece(i), model.get_score(i)) for i in range(model.get_piece_size())]


def unigram() -> UnigramTokenizer:
    """Return the companion's tokenizer with these pieces."""
    return UnigramTokenizer(pieces())


def companion(text: str, make: Callable[[], Any], *, cold: bool = False) -> Run:
    """Encode with a tokenizer of the companion; cold: as if for the first time."""
    tokenizer = make()

    def run() -> list[int]:
        if cold:
            tokenizer._memory.clear()
        ids: list[int] = tokenizer.encode(text)
        return ids

    return run


def compiled_tiktoken(text: str) -> Run:
    """Encode with `tiktoken`, by the pattern that it uses for GPT-2 itself."""
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=r50k_pat_str, mergeable_ranks=gpt2().vocab, special_tokens={}
    )
    return lambda: encoding.encode_ordinary(text)


def compiled_o200k(text: str) -> Run:
    """Encode with `tiktoken` and the vocabulary of GPT-4o."""
    return partial(o200k().to_tiktoken("o200k").encode_ordinary, text)


def compiled_bert(text: str) -> Run:
    """Encode with `tokenizers`."""
    tokenizer = BertWordPieceTokenizer(dict(bert_uncased().vocab))
    return lambda: list(tokenizer.encode(text).ids)


def compiled_sentencepiece(text: str) -> Run:
    """Encode with `sentencepiece`."""
    return partial(processor().encode, text)


def compiled_unigram(text: str) -> Run:
    """Encode with `tokenizers`."""
    tokenizer = Tokenizer(models.Unigram(pieces(), unk_id=0, byte_fallback=False))
    tokenizer.pre_tokenizer = Metaspace(prepend_scheme="never")
    return lambda: list(tokenizer.encode(" " + text).ids)


def ours(make: Callable[[], Any]) -> dict[str, Contender]:
    """Return the companion twice."""
    cold = partial(companion, make=make, cold=True)
    return {"companion": partial(companion, make=make), "companion, cold": cold}


def main() -> None:
    """Run all and report."""
    text = english(1_000_000)
    compiled: dict[str, Contender] = {
        "tiktoken (compiled)": compiled_tiktoken,
        "tokenizers (compiled)": partial(compiled_file, file=gpt2_file),
    }
    rows = compare("GPT-2: 1 MB of English", text, ours(gpt2) | compiled, rounds=9)
    # Here is no word twice, so there is nothing to remember: the compiled ones win.
    cold = compiled | {"companion, cold": partial(companion, make=gpt2, cold=True)}
    rng = random.Random(0)
    new = " ".join("".join(rng.choices("etaoinshrdlu", k=9)) for _ in range(100_000))
    rows += compare("GPT-2: 1 MB of words that never repeat", new, cold, rounds=5)
    letters = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=50_000))
    rows += compare("GPT-2: one word of 50,000 random letters", letters, cold, rounds=5)
    newer: dict[str, Contender] = {"tiktoken (compiled)": compiled_o200k}
    rows += compare("o200k: 1 MB of English", text, ours(o200k) | newer, rounds=9)
    bert: dict[str, Contender] = {"tokenizers (compiled)": compiled_bert}
    rows += compare("BERT: 1 MB of English", text, ours(bert_uncased) | bert, rounds=7)
    model: dict[str, Contender] = {
        "sentencepiece (compiled)": compiled_sentencepiece,
        "tokenizers (compiled)": compiled_unigram,
    }
    rows += compare("Unigram: 1 MB of English", text, ours(unigram) | model, rounds=7)
    report("encoding", rows, ["tiktoken", "tokenizers", "sentencepiece"], text=text)


if __name__ == "__main__":
    main()
