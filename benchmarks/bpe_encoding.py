"""Encode with GPT-2's vocabulary: the companion, the compiled libraries, simple algorithms.

    python benchmarks/bpe_encoding.py

Everything is encoded as one string, and all ids must be equal. "Warm" is the second time and
later: the companion and `tokenizers` remember what they have seen, `tiktoken` does not.
"""

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import regex
import tiktoken
from _measure import Contender, Row, compare, english, report
from tiktoken import _educational
from tiktoken_ext.openai_public import r50k_pat_str
from tokenizers import Tokenizer, models, pre_tokenizers

from companion.bpe import BYTE_TO_UNICODE, GPT2_PATTERN, BPETokenizer, gpt2


def companion(text: str) -> Callable[[], Any]:
    """Encode with `companion.bpe`."""
    tokenizer = gpt2()
    return lambda: tokenizer.encode_ordinary(text)


def companion_cold(text: str) -> Callable[[], Any]:
    """Encode with `companion.bpe`, as if for the first time."""
    tokenizer = BPETokenizer(gpt2().merges)

    def run() -> list[int]:
        tokenizer._memory.clear()
        return tokenizer.encode_ordinary(text)

    return run


def compiled_tiktoken(text: str) -> Callable[[], Any]:
    """Encode with `tiktoken`, by the pattern that it uses for GPT-2 itself."""
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=r50k_pat_str, mergeable_ranks=gpt2().vocab, special_tokens={}
    )
    return lambda: encoding.encode_ordinary(text)


def compiled_tokenizers(text: str) -> Callable[[], Any]:
    """Encode with `tokenizers`."""
    merges = [(shown(left), shown(right)) for left, right in gpt2().merges]
    vocab = {shown(token): i for token, i in gpt2().vocab.items()}
    tokenizer = Tokenizer(models.BPE(vocab, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return lambda: tokenizer.encode(text).ids


def shown(token: bytes) -> str:
    """Write a token in the stand-ins of its bytes."""
    return "".join(BYTE_TO_UNICODE[byte] for byte in token)


def word_memory(text: str) -> Callable[[], Any]:
    """Encode as GPT-2's first encoder did.

    Words are remembered. A new one is looked through for the pair of the lowest rank, which
    merges everywhere, until no pair has a rank.
    """
    ranks = {(left, right): rank for rank, (left, right) in enumerate(gpt2().merges)}
    vocab = gpt2().vocab
    pattern = regex.compile(GPT2_PATTERN)
    memory: dict[str, list[int]] = {}

    def encode_word(word: str) -> list[int]:
        tokens = [bytes([byte]) for byte in word.encode()]
        while len(tokens) > 1:
            best = min(pairwise(tokens), key=lambda pair: ranks.get(pair, len(ranks)))
            if best not in ranks:
                break
            tokens = joined(tokens, best)
        return [vocab[token] for token in tokens]

    def run() -> list[int]:
        ids: list[int] = []
        for word in pattern.findall(text):
            if word not in memory:
                memory[word] = encode_word(word)
            ids.extend(memory[word])
        return ids

    return run


def joined(tokens: list[bytes], pair: tuple[bytes, bytes]) -> list[bytes]:
    """Merge a pair everywhere in one word."""
    result = []
    i = 0
    while i < len(tokens):
        if tuple(tokens[i : i + 2]) == pair:
            result.append(tokens[i] + tokens[i + 1])
            i += 2
        else:
            result.append(tokens[i])
            i += 1
    return result


def no_memory(text: str) -> Callable[[], Any]:
    """Encode as most tutorials do.

    Nothing is remembered: of every word, the pairs are counted as in learning, the one with the
    lowest rank merges everywhere, and so on.
    """
    vocab = gpt2().vocab
    merges = {(vocab[left], vocab[right]): vocab[left + right] for left, right in gpt2().merges}
    pattern = regex.compile(GPT2_PATTERN)

    def encode_word(word: str) -> list[int]:
        ids = [vocab[bytes([byte])] for byte in word.encode()]
        while len(ids) > 1:
            counts: dict[tuple[int, int], int] = {}
            for pair in pairwise(ids):
                counts[pair] = counts.get(pair, 0) + 1
            best = min(counts, key=lambda pair: merges.get(pair, len(vocab)))
            if best not in merges:
                break
            ids = replaced(ids, best, merges[best])
        return ids

    return lambda: [i for word in pattern.findall(text) for i in encode_word(word)]


def replaced(ids: list[int], pair: tuple[int, int], new: int) -> list[int]:
    """Replace a pair everywhere in one word."""
    result = []
    i = 0
    while i < len(ids):
        if i + 1 < len(ids) and ids[i] == pair[0] and ids[i + 1] == pair[1]:
            result.append(new)
            i += 2
        else:
            result.append(ids[i])
            i += 1
    return result


def educational(text: str) -> Callable[[], Any]:
    """Encode with the encoder that `tiktoken` carries for teaching."""
    encoder = _educational.SimpleBytePairEncoding(
        pat_str=GPT2_PATTERN, mergeable_ranks=gpt2().vocab
    )
    return lambda: encoder.encode(text, visualise=None)


def main() -> None:
    """Run all and report."""
    text = english(1_000_000)
    everyone: dict[str, Contender] = {
        "companion": companion,
        "companion, cold": companion_cold,
        "tiktoken (compiled)": compiled_tiktoken,
        "tokenizers (compiled)": compiled_tokenizers,
        "words remembered (first GPT-2 encoder)": word_memory,
        "tiktoken, educational": educational,
        "nothing remembered (most tutorials)": no_memory,
    }
    rows: list[Row] = compare(
        "1 MB of English, warm", text, everyone, rounds=9, bytes_processed=len(text), same=list
    )
    rng = random.Random(0)
    # Here is no word twice, so there is nothing to remember: the compiled ones win.
    words = " ".join("".join(rng.choices("etaoinshrdlu", k=9)) for _ in range(100_000))
    cold = {name: everyone[name] for name in ("companion, cold", "tiktoken (compiled)")}
    cold["tokenizers (compiled)"] = compiled_tokenizers
    rows += compare(
        "1 MB of words that never repeat",
        words,
        cold,
        rounds=5,
        bytes_processed=len(words),
        same=list,
    )
    letters = "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=50_000))
    rows += compare(
        "one word of 50,000 random letters",
        letters,
        cold,
        rounds=5,
        bytes_processed=len(letters),
        same=list,
    )
    report("bpe_encoding", text, rows, ["tiktoken", "tokenizers", "regex"])


if __name__ == "__main__":
    main()
