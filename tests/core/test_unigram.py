"""Unigram: the cuts of SentencePiece, and learning that can be checked by enumeration."""

import io
import itertools
import math
import pickle
import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
import sentencepiece
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refused
from texts import QUICK_AND_SLOW, WORDS, random_texts
from tokenizers import Tokenizer, models, pre_tokenizers

from companion.story import load_story
from companion.tokenizer import Tokenizer as AnyTokenizer
from companion.unigram import UnigramTokenizer, train_unigram


def several_scripts() -> str:
    """Return lines of words that repeat."""
    rng = random.Random(5)
    words = ["".join(rng.choices([*WORDS, "an", "ing"], k=2)) for _ in range(400)]
    return "\n".join(" ".join(rng.choices(words, k=12)) + "." for _ in range(600))


TEXTS = {"story": load_story, "scripts": several_scripts}
Model = tuple[sentencepiece.SentencePieceProcessor, list[tuple[str, float]]]


SYMBOLS = ["<sep>", "河", "<mask>"]  # of a user: they have score 0, as the special tokens


def trained(text: str, vocab_size: int, byte_fallback: bool = False, **options: Any) -> Model:
    """Train SentencePiece, and read the pieces and their scores."""
    file = io.BytesIO()
    usual: dict[str, Any] = {"model_type": "unigram", "user_defined_symbols": SYMBOLS}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for line in text.split("\n") if line]), model_writer=file,
        vocab_size=vocab_size, hard_vocab_limit=False, **usual | options,
        normalization_rule_name="identity", remove_extra_whitespaces=False,
        byte_fallback=byte_fallback, character_coverage=1.0, minloglevel=2, num_threads=1,
    )  # fmt: skip
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    ids = range(processor.get_piece_size())
    return processor, [(processor.id_to_piece(i), processor.get_score(i)) for i in ids]


@pytest.fixture(scope="module", params=itertools.product(TEXTS, (False, True)), ids=str)
def peers(request: pytest.FixtureRequest) -> tuple[UnigramTokenizer, Model, str]:
    name, byte_fallback = request.param
    text = TEXTS[name]()
    model = trained(text, 900, byte_fallback)
    return UnigramTokenizer(model[1], byte_fallback=byte_fallback), model, text


def compiled_of(pieces: list[tuple[str, float]], **options: Any) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(pieces, **options))
    # "always" would put no space in front of a text that begins with one, as SentencePiece does.
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never", split=False)
    return tokenizer


@QUICK_AND_SLOW
def test_ids_equal_those_of_sentencepiece_and_tokenizers(
    peers: tuple[UnigramTokenizer, Model, str], n: int
) -> None:
    tokenizer, model, text = peers
    assert isinstance(tokenizer, AnyTokenizer)
    processor, pieces = model
    compiled = compiled_of(pieces, unk_id=0, byte_fallback="<0x00>" in tokenizer.vocab)
    rng = random.Random(17)
    parts = (text[i : i + 300] for i in range(0, len(text), 97))
    letters = [*"ae ▁é漢\t\x00<", "sep>", "mask", *SYMBOLS]
    mixed = ("".join(rng.choices(letters, k=rng.randrange(60))) for _ in range(n))
    for string in [*parts, *mixed, *random_texts(n, 17, surrogates=False)]:
        ids = tokenizer.encode(string)
        assert ids == processor.encode(string), string
        assert ids == (compiled.encode(" " + string).ids if string else []), string
        known = [i for i in ids if i > 2]  # SentencePiece has other names for specials
        assert tokenizer.decode(known) == processor.decode(known)


@QUICK_AND_SLOW
def test_bytes_in_any_order_are_decoded_as_in_sentencepiece(n: int) -> None:
    """Each byte that is not UTF-8 is one U+FFFD, and a first byte that is a space stays."""
    processor, pieces = trained(load_story(), 900, byte_fallback=True)
    tokenizer, rng = UnigramTokenizer(pieces, byte_fallback=True), random.Random(18)
    bytes_of_some = "A é▁🐇\ufeff\ufffd".encode() + b"\xed\xa0\x80\xc0\xf4\x90\xff"
    for _ in range(n):
        ids = [tokenizer.vocab[f"<0x{byte:02X}>"] for byte in rng.choices(bytes_of_some, k=5)]
        ids.insert(rng.randrange(6), rng.randrange(3, tokenizer.n_vocab))
        ids.insert(rng.randrange(7), tokenizer.vocab["▁"])
        assert tokenizer.decode(ids) == processor.decode(ids), ids
        assert tokenizer.decode(ids[:1]) == processor.decode(ids[:1]), ids


STORY = pickle.loads(pickle.dumps(train_unigram(load_story(), 400)))  # as for another process
BYTES = UnigramTokenizer(
    [*STORY.pieces, *((f"<0x{byte:02X}>", 0.0) for byte in range(256))], byte_fallback=True
)


@given(st.text(st.characters()))  # surrogates included
def test_with_bytes_every_text_comes_back(text: str) -> None:
    read = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert BYTES.decode(BYTES.encode(text)) == read.replace("▁", " ")


def test_a_special_token_is_never_found_in_a_text() -> None:
    named = ["<unk>", "<s>", "</s>", "<pad>", "<0x41>"]
    pieces = [*((name, 0.0) for name in named), *((letter, -2.0) for letter in "▁<>/sunkpad0x41")]
    assert not {*named} & {*UnigramTokenizer(pieces).tokenize("".join(named))}
    assert UnigramTokenizer(pieces, special_tokens=[]).tokenize("<s>") == ["▁", "<s>"]


def test_the_scores_of_a_bpe_model_are_refused() -> None:
    _, pieces = trained(load_story(), 300, model_type="bpe")
    with pytest.raises(ValueError, match=r"^the scores of pieces are 0, -1, -2, \.\.\.: "):
        UnigramTokenizer(pieces)


SCORES = st.dictionaries(st.text("ab▁", min_size=1, max_size=3), st.integers(-30, -1), min_size=1)


@given(SCORES, st.text("ab x"))
@example({"▁a": -1}, "x y")  # unknown characters on both sides of a space
@example({"▁": -1, "ab": -12, "c": -12, "bc": -3}, "abc")  # an unknown a would cost 10 + 3
def test_any_pieces_give_the_ids_of_tokenizers(scores: dict[str, int], text: str) -> None:
    pieces = [("<unk>", 0.0), *((piece, float(score)) for piece, score in scores.items())]
    theirs = compiled_of(pieces, unk_id=0).encode(" " + text).ids if text else []
    assert UnigramTokenizer(pieces).encode(text) == theirs


MAKE: Any = UnigramTokenizer
TRAIN: Any = train_unigram
ANY: Any = STORY
test_what_is_refused = refused(
    [
        (lambda: MAKE([("a", -1.0)]), ValueError, "'<unk>' is not among the 1 pieces; add it"),
        (lambda: MAKE([("<unk>", 0.0)], byte_fallback=True), ValueError, "'<0x00>' is not among"),
        (lambda: MAKE({"<unk>": 0.0}), TypeError, "pass list(d.items()) of a dict d, and"),
        (lambda: MAKE([("a", 0.1)]), ValueError, "of 'a' is 0.1; it must be finite and at most 0"),
        (lambda: ANY.sample("a", temperature=0), ValueError, "temperature is 0; it must be above"),
        (lambda: TRAIN("abc", 4), ValueError, "vocab_size, for 1 special tokens and 4 characters"),
        (lambda: TRAIN("low", 9, special_tokens=["<unk>", "l"]), ValueError, "'l' is also a piece"),
        (lambda: TRAIN([b"abc"], 9), TypeError, "string 0 of text must be a string, not bytes"),
    ]
)  # fmt: skip


def all_cuts(
    word: str, scores: Mapping[str, float], temperature: float = 1
) -> dict[tuple[str, ...], float]:
    """Return every cut of a word with its weight, by trying every place."""
    weights: dict[tuple[str, ...], float] = {} if word else {(): 1.0}
    for piece in filter(word.startswith, scores):
        for rest, weight in all_cuts(word[len(piece) :], scores, temperature).items():
            weights[piece, *rest] = weight * math.exp(scores[piece] / temperature)
    return weights


@pytest.mark.parametrize("temperature", [0.5, 1, 3])
def test_cuts_are_drawn_with_their_probability(temperature: float) -> None:
    pieces = [("▁", -1.0), ("a", -2.0), ("b", -2.5), ("ab", -3.0), ("▁a", -2.2), ("ba", -4.0)]
    tokenizer = UnigramTokenizer([("<unk>", 0.0), *pieces])
    weights = all_cuts("▁aba", dict(pieces), temperature)
    cuts = (tokenizer.sample("aba", temperature=temperature, seed=i) for i in range(4000))
    draws = Counter(map(tuple, cuts))
    assert set(draws) <= set(weights)
    for cut, weight in weights.items():
        share = weight / sum(weights.values())
        error = math.sqrt(share * (1 - share) / 4000)
        assert abs(draws[cut] / 4000 - share) < 4 * error


def test_at_low_temperature_the_best_cut_is_drawn() -> None:
    text = load_story()[:500] + "👍"
    assert BYTES.sample(text, temperature=1e-3, seed=0) == BYTES.tokenize(text)


def shares(counts: Mapping[str, float]) -> dict[str, float]:
    return {piece: math.log(n / sum(counts.values())) for piece, n in counts.items()}


@pytest.mark.parametrize("text", ["abab ab ba aabb baba", "the three trees", "aaaa aaa aa a"])
def test_learning_equals_counting_over_all_cuts(text: str) -> None:
    """Where every part of a word that occurs twice is kept: two steps of expectation."""
    words = f" {text}".replace(" ", " ▁").split()
    places = [(w, *ends) for w in words for ends in itertools.combinations(range(len(w) + 1), 2)]
    counts = Counter(word[start:end] for word, start, end in places)
    found = {part: float(n) for part, n in counts.items() if n > 1 or len(part) == 1}
    for _ in range(2):
        scores, found = shares(found), dict.fromkeys(found, 0.0)
        for word in words:
            cuts = all_cuts(word, scores)
            for cut, weight in cuts.items():
                for piece in cut:
                    found[piece] += weight / sum(cuts.values())
    expected = {part: max(n, 0.5 if len(part) == 1 else 1e-6) for part, n in found.items()}
    assert dict(train_unigram(text, 999).pieces[1:]) == pytest.approx(shares(expected))


@pytest.mark.parametrize(("name", "size"), [("story", 300), ("scripts", 700)])
def test_what_is_learned_is_as_good_as_sentencepiece(name: str, size: int) -> None:
    lines = TEXTS[name]().split("\n")
    theirs = UnigramTokenizer(trained("\n".join(lines), size, user_defined_symbols=[])[1])
    ours = train_unigram(lines, theirs.n_vocab)
    assert ours.n_vocab == theirs.n_vocab

    def cost(tokenizer: UnigramTokenizer) -> float:
        scores = dict(tokenizer.pieces)
        return -sum(scores[piece] for line in lines for piece in tokenizer.tokenize(line))

    assert cost(ours) <= 0.9 * cost(theirs)


@given(st.text("ab é1", min_size=1, max_size=40), st.integers(0, 20))
def test_every_character_stays_and_probabilities_sum_to_one(text: str, more: int) -> None:
    characters = set(f" {text}".replace(" ", "▁"))
    tokenizer = train_unigram(text, 1 + len(characters) + more)
    assert characters <= set(tokenizer.vocab)
    assert tokenizer.n_vocab <= 1 + len(characters) + more
    assert math.fsum(math.exp(score) for _, score in tokenizer.pieces[1:]) == pytest.approx(1)
    assert tokenizer.decode(tokenizer.encode(text)) == text
