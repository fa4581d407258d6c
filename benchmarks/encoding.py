"""Encode with the tokenizers of the book: the companion, the compiled libraries, simple algorithms.

    python benchmarks/encoding.py

Everything is encoded as one string, and in each task all ids must be equal. "Warm" is the second
time and later: the companion and `tokenizers` remember what they have seen, `tiktoken` does not.
"""

import random
from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from itertools import pairwise
from typing import Any

import regex
import sentencepiece
import tiktoken
from _measure import Contender, Run, compare, english, report
from tiktoken_ext.openai_public import r50k_pat_str
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from training import replaced, sentencepiece_model

from companion.bpe import BYTE_TO_UNICODE, GPT2_PATTERN, gpt2, o200k
from companion.unigram import UnigramTokenizer
from companion.wordpiece import bert_uncased

# --- the companion --------------------------------------------------------------------------------


@cache
def processor() -> sentencepiece.SentencePieceProcessor:
    """Return the model of Unigram that all contenders encode with, learned from the text."""
    model = sentencepiece_model(english(1_000_000).split("\n"), 5_000)
    return sentencepiece.SentencePieceProcessor(model_proto=model)


def pieces() -> list[tuple[str, float]]:
    """Return its pieces and their log probabilities."""
    model = processor()
    ids = range(model.get_piece_size())
    return [(model.id_to_piece(i), model.get_score(i)) for i in ids]


def unigram() -> UnigramTokenizer:
    """Return the companion's tokenizer with these pieces."""
    return UnigramTokenizer(pieces())


def companion(text: str, make: Callable[[], Any]) -> Run:
    """Encode with a tokenizer of the companion."""
    return partial(make().encode, text)


def companion_cold(text: str, make: Callable[[], Any]) -> Run:
    """Encode with a tokenizer of the companion, as if for the first time."""
    tokenizer = make()

    def run() -> list[int]:
        tokenizer._memory.clear()
        ids: list[int] = tokenizer.encode(text)
        return ids

    return run


# --- GPT-2 ----------------------------------------------------------------------------------------


def compiled_tiktoken(text: str) -> Run:
    """Encode with `tiktoken`, by the pattern that it uses for GPT-2 itself."""
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=r50k_pat_str, mergeable_ranks=gpt2().vocab, special_tokens={}
    )
    return lambda: encoding.encode_ordinary(text)


def compiled_gpt2(text: str) -> Run:
    """Encode with `tokenizers`."""
    merges = [(shown(left), shown(right)) for left, right in gpt2().merges]
    vocab = {shown(token): i for token, i in gpt2().vocab.items()}
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda: list(tokenizer.encode(text).ids)


def shown(token: bytes) -> str:
    """Write a token in the stand-ins of its bytes."""
    return "".join(BYTE_TO_UNICODE[byte] for byte in token)


def nothing_remembered(text: str) -> Run:
    """Encode as most tutorials do: of each word, merge the pair of the lowest rank, and so on."""
    vocab = gpt2().vocab
    merges = {(vocab[left], vocab[right]): vocab[left + right] for left, right in gpt2().merges}
    pattern = regex.compile(GPT2_PATTERN)

    def encode_word(word: str) -> list[int]:
        ids = [vocab[bytes([byte])] for byte in word.encode()]
        while len(ids) > 1:
            best = min(pairwise(ids), key=lambda pair: merges.get(pair, len(vocab)))
            if best not in merges:
                break
            ids = replaced(ids, best, merges[best])
        return ids

    return lambda: [i for word in pattern.findall(text) for i in encode_word(word)]


def compiled_o200k(text: str) -> Run:
    """Encode with `tiktoken` and the vocabulary of GPT-4o."""
    return partial(o200k().to_tiktoken("o200k").encode_ordinary, text)


# --- BERT -----------------------------------------------------------------------------------------


def compiled_transformers(text: str) -> Run:
    """Encode with `transformers`."""
    from transformers import BertTokenizer

    path = files("companion").joinpath("data", "bert-base-uncased-vocab.txt")
    tokenizer = BertTokenizer(vocab=str(path), model_max_length=10**9)
    return lambda: list(tokenizer(text)["input_ids"])


def compiled_bert(text: str) -> Run:
    """Encode with `tokenizers`."""
    vocab = dict(bert_uncased().vocab)
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", vocab["[SEP]"]), ("[CLS]", vocab["[CLS]"])
    )
    return lambda: list(tokenizer.encode(text).ids)


# --- Unigram --------------------------------------------------------------------------------------


def compiled_sentencepiece(text: str) -> Run:
    """Encode with `sentencepiece`."""
    return partial(processor().encode, text)


def compiled_unigram(text: str) -> Run:
    """Encode with `tokenizers`."""
    tokenizer = Tokenizer(models.Unigram(pieces(), unk_id=0, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    return lambda: list(tokenizer.encode(" " + text).ids)


def ours(make: Callable[[], Any]) -> dict[str, Contender]:
    """Return the companion twice."""
    cold = partial(companion_cold, make=make)
    return {"companion": partial(companion, make=make), "companion, cold": cold}


def main() -> None:
    """Run all and report."""
    text = english(1_000_000)
    compiled: dict[str, Contender] = {
        "tiktoken (compiled)": compiled_tiktoken,
        "tokenizers (compiled)": compiled_gpt2,
    }
    tutorials: dict[str, Contender] = {"nothing remembered (most tutorials)": nothing_remembered}
    rows = compare("GPT-2: 1 MB of English", text, ours(gpt2) | compiled | tutorials, rounds=9)
    # Here is no word twice, so there is nothing to remember: the compiled ones win.
    cold = compiled | {"companion, cold": partial(companion_cold, make=gpt2)}
    rng = random.Random(0)
    new = " ".join("".join(rng.choices("etaoinshrdlu", k=9)) for _ in range(100_000))
    rows += compare("GPT-2: 1 MB of words that never repeat", new, cold, rounds=5)
    letters = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=50_000))
    rows += compare("GPT-2: one word of 50,000 random letters", letters, cold, rounds=5)
    newer: dict[str, Contender] = {"tiktoken (compiled)": compiled_o200k}
    rows += compare("o200k: 1 MB of English", text, ours(o200k) | newer, rounds=9)
    bert: dict[str, Contender] = {
        "transformers (compiled)": compiled_transformers,
        "tokenizers (compiled)": compiled_bert,
    }
    rows += compare("BERT: 1 MB of English", text, ours(bert_uncased) | bert, rounds=7)
    model: dict[str, Contender] = {
        "sentencepiece (compiled)": compiled_sentencepiece,
        "tokenizers (compiled)": compiled_unigram,
    }
    rows += compare("Unigram: 1 MB of English", text, ours(unigram) | model, rounds=7)
    packages = ["tiktoken", "tokenizers", "transformers", "sentencepiece", "regex"]
    report("encoding", rows, packages, text=text)


if __name__ == "__main__":
    main()
