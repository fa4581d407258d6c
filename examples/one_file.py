"""From text to vectors that learn, with Python's standard library alone."""

import math
import random
import sys
import unicodedata
from collections import Counter
from itertools import pairwise
from operator import mul
from pathlib import Path

# GPT-2 numbers the 256 bytes in this order: first those that are visible.
VISIBLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
OTHERS = [byte for byte in range(256) if byte not in VISIBLE]
BYTES = [bytes([byte]) for byte in VISIBLE + OTHERS]


def kind(character):
    """Return the kind of a character: space, letter, number or sign."""
    if character in "\t\n\v\f\r\x85":  # controls, says Unicode
        return "space"
    kinds = {"Z": "space", "L": "letter", "N": "number"}
    return kinds.get(unicodedata.category(character)[0], "sign")


def word_end(text, kinds, start):
    """Return where the word ends that begins at `start`."""
    # An ending such as 's is a word of its own.
    for ending in ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d"):
        if text.startswith(ending, start):
            return start + len(ending)
    # A space goes in front of what follows. Go on while the kind is the same.
    end = start + 1
    word_kind = kinds[end] if text[start] == " " else kinds[start]
    while end < len(text) and kinds[end] == word_kind:
        end += 1
    # Several spaces leave their last one for the next word.
    is_long = end - start > 1 and end < len(text)
    return end - 1 if word_kind == "space" and is_long else end


def split(text):
    """Cut a text into words, where the kind of its characters changes."""
    kinds = [kind(character) for character in text] + ["end"]
    words, start = [], 0
    while start < len(text):
        end = word_end(text, kinds, start)
        words.append(text[start:end])
        start = end
    return words


def as_bytes(word):
    """Return the first tokens of a word: its bytes in UTF-8, one by one."""
    return [bytes([byte]) for byte in word.encode()]


def join(tokens, pair):
    """Join a pair of neighbours wherever it occurs, from left to right."""
    joined = []
    for token in tokens:
        if joined and (joined[-1], token) == pair:
            joined[-1] += token
        else:
            joined.append(token)
    return joined


def learn(words, n_merges):
    """Learn merges: the pairs to join, the first one first."""
    words = [as_bytes(word) for word in words]
    ids, merges = {token: i for i, token in enumerate(BYTES)}, []
    while len(merges) < n_merges:
        # Count each pair of neighbours in every word.
        counts = Counter(pair for word in words for pair in pairwise(word))
        if not counts:  # each word is one token
            break
        # Find the most frequent pair; on a tie, the one with the smallest ids.
        order = [(-counts[a, b], ids[a], ids[b], a, b) for a, b in counts]
        pair = min(order)[3:]
        # Join it in every word. It is a token now, with the next id.
        words = [join(word, pair) for word in words]
        ids[pair[0] + pair[1]] = len(ids)
        merges.append(pair)
    return merges


def read_merges(path):
    """Read vocab.bpe: two tokens a line, with a visible sign for each byte."""
    byte_of = dict(zip([*VISIBLE, *range(256, 324)], VISIBLE + OTHERS))
    parts = Path(path).read_text(encoding="utf-8").split()[2:]
    tokens = [part.translate(byte_of).encode("latin-1") for part in parts]
    return list(zip(tokens[::2], tokens[1::2]))


class Tokenizer:
    """Turns text into ids and back, with merges in the order of learning."""

    def __init__(self, merges):
        self.tokens = BYTES + [left + right for left, right in merges]
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}

    def encode(self, text):
        ids = []
        for word in split(text):
            tokens = as_bytes(word)
            # Of the pairs that were learned, join the one learned first.
            while known := [p for p in pairwise(tokens) if p in self.ranks]:
                tokens = join(tokens, min(known, key=self.ranks.get))
            ids += [self.ids[token] for token in tokens]
        return ids

    def decode(self, ids):
        # The bytes of all tokens come first: a token may be half a character.
        return b"".join([self.tokens[i] for i in ids]).decode(errors="replace")


def windows(ids, n, stride):
    """Return pairs of n ids and their targets, the ids one place later."""
    starts = range(0, len(ids) - n, stride)
    return [(ids[i : i + n], ids[i + 1 : i + n + 1]) for i in starts]


def embed(ids, token_table, position_table):
    """Return the input: for each id its row plus the row of its position."""
    for p, i in enumerate(ids):
        if not (0 <= i < len(token_table) and p < len(position_table)):
            raise IndexError(f"no row for id {i}, or none for position {p}")
    rows = zip([token_table[i] for i in ids], position_table)
    return [[a + b for a, b in zip(token, place)] for token, place in rows]


def dot(row, other):
    """Return the dot product: large if both rows point the same way."""
    return sum(map(mul, row, other))


def nearest(i, table, k):
    """Return the ids of the k rows with the largest cosine to row i."""
    found = [dot(table[i], row) / math.hypot(*row) for row in table]
    cosines = {j: cosine for j, cosine in enumerate(found) if j != i}
    return sorted(cosines, key=cosines.get, reverse=True)[:k]


def softmax(scores):
    """Turn scores into probabilities; the largest score becomes 0 first."""
    largest = max(scores)
    weights = [math.exp(score - largest) for score in scores]
    total = sum(weights)
    return [weight / total for weight in weights]


def step(i, target, E, O, rate):
    """Make `target` likelier after token i; return the loss before."""
    x = E[i]
    errors = softmax([dot(row, x) for row in O])
    loss = -math.log(errors[target])
    errors[target] -= 1  # the probability, minus the one we want
    for j, error in enumerate(errors):
        if abs(error) > 0.01:  # smaller errors move hardly anything
            E[i] = [a - rate * error * b for a, b in zip(E[i], O[j])]
            O[j] = [a - rate * error * b for a, b in zip(O[j], x)]
    return loss


def continued(ids, E, O, n):
    """Return the ids and n more, each the likeliest after the last."""
    for _ in range(n):
        scores = [dot(row, E[ids[-1]]) for row in O]
        ids = [*ids, scores.index(max(scores))]
    return ids


if __name__ == "__main__":
    paths = [*sys.argv[1:], *Path(__file__).parent.glob("story.txt")]
    text = Path(paths[0]).read_text(encoding="utf-8") if paths else __doc__ * 9
    tokenizer = Tokenizer(learn(split(text), 300))
    ids, V = tokenizer.encode(text), len(tokenizer.tokens)
    random.seed(3)
    rows = [[random.gauss(0, 0.1) for _ in range(16)] for _ in range(2 * V)]
    E, O, parts = rows[:V], rows[V:], windows(ids, min(16, len(ids) - 1), 16)
    for _ in range(5):
        random.shuffle(parts)
        losses = [step(i, t, E, O, 0.2) for w in parts for i, t in zip(*w)]
        print(f"loss {sum(losses) / len(losses):.2f}")
    table = [e + o for e, o in zip(E, O)]  # what follows, what precedes
    for i in [i for i in Counter(ids) if len(tokenizer.tokens[i]) > 6][:9]:
        print([tokenizer.decode([j]) for j in [i, *nearest(i, table, 3)]])
    print(tokenizer.decode(continued(ids[:4], E, O, 12)))
