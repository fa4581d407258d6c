"""Unigram: the cuts of SentencePiece, and learning that can be checked by enumeration."""

import io
import itertools
import math
import pickle
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pytest
import sentencepiece
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from tokenizers import Tokenizer, models, pre_tokenizers

from companion import unigram
from companion._subword import count_words
from companion._unigram_lattice import edges_of, table_of
from companion.errors import UnknownIdError
from companion.story import load_story
from companion.tokenizer import Tokenizer as AnyTokenizer
from companion.unigram import UnigramTokenizer, train_unigram

SCRIPTS = [
    "abcdefghilmnorstuvw",
    "αβγδεηικλμνορστυ",
    "абвгдеийклмнопрст",
    "あいうえおかきく天気",
    "कखगचजतदनपम",
]


def several_scripts() -> str:
    """Return lines of words that repeat, in five scripts."""
    generator = random.Random(5)
    lines = []
    for letters in SCRIPTS:
        words = ["".join(generator.choices(letters, k=generator.randint(1, 8))) for _ in range(150)]
        weights = [1 / rank for rank in range(1, 151)]
        lines += [" ".join(generator.choices(words, weights, k=12)) + "." for _ in range(120)]
    return "\n".join(lines)


TEXTS = {"story": load_story, "scripts": several_scripts}
Model = tuple[sentencepiece.SentencePieceProcessor, list[tuple[str, float]]]


def trained(text: str, vocab_size: int, byte_fallback: bool = False) -> Model:
    """Train SentencePiece, and read the pieces and their scores."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for line in text.split("\n") if line]),
        model_writer=file,
        model_type="unigram",
        vocab_size=vocab_size,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        byte_fallback=byte_fallback,
        character_coverage=1.0,
        minloglevel=2,
        num_threads=1,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    ids = range(processor.get_piece_size())
    return processor, [(processor.id_to_piece(i), processor.get_score(i)) for i in ids]


@pytest.fixture(scope="module", params=itertools.product(TEXTS, (False, True)), ids=str)
def peers(request: pytest.FixtureRequest) -> tuple[UnigramTokenizer, Model, str]:
    name, byte_fallback = request.param
    text = TEXTS[name]()
    model = trained(text, 900, byte_fallback)
    return UnigramTokenizer(model[1], byte_fallback=byte_fallback), model, text


def strings(text: str, number: int) -> Iterator[str]:
    """Yield random strings: parts of the text, its characters shuffled, few letters, any others."""
    generator = random.Random(17)
    characters = sorted(set(text) - {"\n"})
    alphabets = [characters, [*characters[:4], " "], [" ", "a", "e"], [*"a é漢👍\t▁\u0301\x00"]]
    for index in range(number):
        if index % 5 == 0:
            start = generator.randrange(len(text))
            yield text[start : start + generator.randint(0, 300)]
        else:
            alphabet = generator.choice(alphabets)
            yield "".join(generator.choices(alphabet, k=generator.randint(0, 60)))


@pytest.mark.parametrize("number", [500, pytest.param(20_000, marks=pytest.mark.slow)])
def test_ids_equal_those_of_sentencepiece_and_tokenizers(
    peers: tuple[UnigramTokenizer, Model, str], number: int
) -> None:
    tokenizer, model, text = peers
    processor, pieces = model
    byte_fallback = "<0x00>" in tokenizer.vocab
    compiled = Tokenizer(models.Unigram(pieces, unk_id=0, byte_fallback=byte_fallback))
    # "always" would put no space in front of a text that begins with one, as SentencePiece does.
    compiled.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    for string in strings(text, number):
        ids = tokenizer.encode(string)
        assert ids == processor.encode(string), string
        assert ids == (compiled.encode(" " + string).ids if string else []), string


def test_decoding_equals_that_of_sentencepiece(peers: tuple[UnigramTokenizer, Model, str]) -> None:
    tokenizer, (processor, _), text = peers
    for string in strings(text, 300):
        ids = [i for i in tokenizer.encode(string) if i > 2]  # it has other names for specials
        assert tokenizer.decode(ids) == processor.decode(ids)


STORY = train_unigram(load_story(), 400)
BYTES = UnigramTokenizer(
    [*STORY.pieces, *((f"<0x{byte:02X}>", 0.0) for byte in range(256))], byte_fallback=True
)


def test_it_is_a_tokenizer_that_can_be_sent_to_another_process() -> None:
    assert isinstance(STORY, AnyTokenizer)
    text = load_story()[:500]
    ids = STORY.encode(text)
    copy = pickle.loads(pickle.dumps(STORY))
    assert copy.encode(text) == ids
    assert repr(copy) == "UnigramTokenizer(n_vocab=400, byte_fallback=False)"


@given(st.text(st.characters()))  # surrogates included
def test_with_bytes_every_text_comes_back(text: str) -> None:
    read = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert BYTES.decode(BYTES.encode(text)) == read.replace("▁", " ")


def test_the_largest_product_wins_and_not_the_longest_piece() -> None:
    pieces = [("<unk>", 0.0), ("▁", -1.0), *((c, -5.0) for c in "hugs"), ("▁hug", -6.0)]
    assert UnigramTokenizer([*pieces, ("ugs", -3.0)]).tokenize("hugs") == ["▁", "h", "ugs"]
    assert UnigramTokenizer([*pieces, ("ugs", -7.0)]).tokenize("hugs") == ["▁hug", "s"]
    # A piece may begin with a character that is no piece itself.
    assert UnigramTokenizer([("<unk>", 0.0), ("▁ab", -1.0)]).tokenize("ab") == ["▁ab"]


def test_of_equal_products_the_last_piece_that_differs_starts_earlier() -> None:
    pieces = [("<unk>", 0.0), ("▁", -1.0), ("a", -1.0), ("aa", -1.0)]
    assert UnigramTokenizer(pieces).tokenize("aaa") == ["▁", "a", "aa"]


def test_pieces_may_reach_over_spaces() -> None:
    pieces = [("<unk>", 0.0), ("▁", -2.0), ("a", -2.0), ("b", -2.0), ("a▁b", -2.5)]
    tokenizer = UnigramTokenizer(pieces)
    assert tokenizer.tokenize("a b a") == ["▁", "a▁b", "▁", "a"]


def test_unknown_characters_in_a_row_are_one_token() -> None:
    pieces = [("<unk>", 0.0), ("a", -1.0)]
    assert UnigramTokenizer(pieces).tokenize("xy z a") == ["<unk>", "a"]
    assert UnigramTokenizer([*pieces, ("▁", -1.0)]).tokenize("xy z") == ["▁", "<unk>", "▁", "<unk>"]
    assert UnigramTokenizer([("<unk>", 0.0)]).tokenize("xy z") == ["<unk>"]


def test_a_special_token_is_never_found_in_a_text() -> None:
    tokenizer = UnigramTokenizer([*STORY.pieces, ("<s>", 0.0)])
    assert tokenizer.vocab["<s>"] not in tokenizer.encode("<s>")
    named = UnigramTokenizer([("<unk>", 0.0), ("▁", 0.0), ("a", -1.0)], special_tokens=["<unk>"])
    assert named.tokenize(" a") == ["▁", "▁", "a"]


MAKE: Any = UnigramTokenizer
TRAIN: Any = train_unigram
ANY: Any = STORY
NEEDED = "; it must be finite and at most 0"

test_what_is_refused = refused(
    [
        (lambda: MAKE([("a", -1.0)]), ValueError, "'<unk>' is not among the 1 pieces; add it"),
        (lambda: MAKE([("<unk>", 0.0)], byte_fallback=True), ValueError,
         "'<0x00>' is not among the 1 pieces; add it"),
        (lambda: MAKE([("a", -1.0), ("a", -2.0)]), ValueError, "token 'a' has the ids 0 and 1;"),
        (lambda: MAKE([("a", -1.0), ("", -1.0)]), ValueError, "piece 1 is empty; leave it out"),
        (lambda: MAKE([("a", 0.1)]), ValueError, f"the log probability of 'a' is 0.1{NEEDED}"),
        (lambda: MAKE([("a", -math.inf)]), ValueError,
         f"the log probability of 'a' is -inf{NEEDED}"),
        (lambda: ANY.encode(b"a"), TypeError, "text must be a string, not bytes: b'a'"),
        (lambda: ANY.decode([400]), UnknownIdError,
         "id 400 is not in the vocabulary of 400 tokens (0 to 399)"),
        (lambda: ANY.sample("a", temperature=0), ValueError,
         "temperature is 0; it must be above 0 and finite"),
        (lambda: TRAIN("abc", 4), ValueError,
         "vocab_size is 4; it must be at least 5: 1 special tokens and 4 characters that occur"),
        (lambda: TRAIN("abc", 9, special_tokens=["<s>"]), ValueError,
         "'<unk>' is not among the special tokens ['<s>']; add it"),
        (lambda: TRAIN("low lower", 99, special_tokens=["<unk>", "low"]), ValueError,
         "the special token 'low' is also a piece that the text makes; give it a name that no "),
        (lambda: ANY.sample("a", seed=0.5), TypeError, "'float' object cannot be interpreted as"),
        (lambda: TRAIN([b"abc"], 9), TypeError, "string 0 of text must be a string, not bytes"),
    ]
)  # fmt: skip


def all_cuts(word: str, scores: dict[str, float]) -> Iterator[tuple[list[str], float]]:
    """Yield every cut of a word with its log probability, by trying every place."""
    if not word:
        yield [], 0.0
    for end in range(1, len(word) + 1):
        if word[:end] in scores:
            for rest, score in all_cuts(word[end:], scores):
                yield [word[:end], *rest], scores[word[:end]] + score


@pytest.mark.parametrize("options", [{"temperature": 0.5}, {}, {"temperature": 3.0}])
def test_cuts_are_drawn_with_their_probability(options: dict[str, float]) -> None:
    temperature = options.get("temperature", 1)
    pieces = [("▁", -1.0), ("a", -2.0), ("b", -2.5), ("ab", -3.0), ("▁a", -2.2), ("ba", -4.0)]
    tokenizer = UnigramTokenizer([("<unk>", 0.0), *pieces])
    weights = {
        tuple(cut): math.exp(score / temperature) for cut, score in all_cuts("▁aba", dict(pieces))
    }
    draws = Counter(tuple(tokenizer.sample("aba", **options, seed=i)) for i in range(4000))
    assert set(draws) <= set(weights)
    for cut, weight in weights.items():
        share = weight / sum(weights.values())
        error = math.sqrt(share * (1 - share) / 4000)
        assert abs(draws[cut] / 4000 - share) < 4 * error


@pytest.mark.parametrize("temperature", [1e-3, 1e-20, 1e-308, 5e-324])
def test_at_low_temperature_the_best_cut_is_drawn(temperature: float) -> None:
    for tokenizer in (STORY, BYTES):
        text = load_story()[:500] + "👍"
        drawn = tokenizer.sample(text, temperature=temperature, seed=0)
        assert drawn == tokenizer.tokenize(text)


def test_a_seed_of_numpy_is_a_seed() -> None:
    text = load_story()[:500]
    assert STORY.sample(text, seed=cast(int, np.int64(1))) == STORY.sample(text, seed=1)


TINY = "abab ab ba aabb baba"


def learning(text: str, limit: int) -> tuple[list[str], list[float], list[unigram.Lattice]]:
    """Return the first pieces of a text, their counts, and all cuts of its words."""
    words = count_words(text, unigram._words, lambda word: [word])
    pieces, counts = unigram._seeds(words, sorted(set("".join(words))), limit)
    table = table_of({piece: index for index, piece in enumerate(pieces)})
    return pieces, counts, [(count, list(edges_of(w, table))) for w, count in words.items()]


@pytest.mark.parametrize("text", [TINY, "the three trees", "aaaa aaa aa a"])
def test_expected_counts_equal_those_of_all_cuts(text: str) -> None:
    pieces, counts, lattices = learning(text, 50)
    scores = unigram._log_shares(counts)
    found, likelihood = unigram._expected_counts(lattices, scores)
    expected: defaultdict[str, float] = defaultdict(float)
    total = 0.0
    by_name = dict(zip(pieces, scores, strict=True))
    for word, count in count_words(text, unigram._words, lambda word: [word]).items():
        cuts = list(all_cuts(word, by_name))
        whole = math.fsum(math.exp(score) for _, score in cuts)
        total += count * math.log(whole)
        for cut, score in cuts:
            for piece in cut:
                expected[piece] += count * math.exp(score) / whole
    assert likelihood == pytest.approx(total)
    assert dict(zip(pieces, found, strict=True)) == pytest.approx(
        {piece: expected[piece] for piece in pieces}
    )


def test_no_step_lowers_the_likelihood() -> None:
    _, counts, lattices = learning(load_story(), 3000)
    likelihoods = []
    for _ in range(12):
        counts, likelihood = unigram._expected_counts(lattices, unigram._log_shares(counts))
        likelihoods.append(likelihood)
    assert likelihoods == sorted(likelihoods)
    assert likelihoods[-1] > likelihoods[0] + 100


@pytest.mark.parametrize(("name", "size"), [("story", 300), ("scripts", 700)])
def test_what_is_learned_is_as_good_as_sentencepiece(name: str, size: int) -> None:
    lines = TEXTS[name]().split("\n")
    theirs = UnigramTokenizer(trained("\n".join(lines), size)[1])
    ours = train_unigram(lines, theirs.n_vocab)
    assert ours.n_vocab == theirs.n_vocab
    scores = [dict(tokenizer.pieces) for tokenizer in (ours, theirs)]
    costs = [
        -sum(score[piece] for line in lines if line for piece in tokenizer.tokenize(line))
        for tokenizer, score in zip((ours, theirs), scores, strict=True)
    ]
    assert costs[0] <= 1.02 * costs[1]


@given(st.text("ab é1", min_size=1, max_size=40), st.integers(0, 20))
def test_every_character_stays_and_probabilities_sum_to_one(text: str, more: int) -> None:
    characters = set(f" {text}".replace(" ", "▁"))
    tokenizer = train_unigram(text, 1 + len(characters) + more)
    assert characters <= set(tokenizer.vocab)
    assert tokenizer.n_vocab <= 1 + len(characters) + more
    assert math.fsum(math.exp(score) for _, score in tokenizer.pieces[1:]) == pytest.approx(1)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_the_pieces_of_a_small_text() -> None:
    """Longer pieces cover a, b and x, so these get half an occurrence each."""
    pieces, scores = zip(*train_unigram("xaxb xaxb xaxb xa xb", 9).pieces[1:], strict=True)
    assert pieces == ("▁xaxb", "▁xa", "xb", "▁", "a", "b", "x", "▁x")  # the most probable first
    shares = [0.3665, 0.155, 0.1525, 0.1279, 0.0652, 0.0652, 0.0652, 0.0025]
    assert [math.exp(score) for score in scores] == pytest.approx(shares, abs=1e-4)


def test_the_order_of_texts_does_not_matter() -> None:
    lines = load_story().split("\n")[:30]
    assert train_unigram(lines, 200).vocab == train_unigram(reversed(lines), 200).vocab
