"""The playground, in a real browser: the ids of the package, and whatever a reader may do."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

import pytest
from accessibility import check_looks, violations
from playwright.sync_api import Browser, BrowserContext, Page, Route
from texts import WORDS, random_texts
from visits import Visit, in_peace, show

from companion.bpe import GPT2_PATTERN, gpt2, o200k
from companion.patterns import read_pattern
from companion.positions import sinusoidal
from companion.story import SENTENCE, load_story
from companion.unigram import train_unigram
from companion.windows import SlidingWindows
from companion.wordpiece import bert_uncased
from companion.words import WordTokenizer, build_vocab
from workbook.cuts import cuts

PAGE = "book/playground.html"


@contextmanager
def opened(context: BrowserContext, address: str, fragment: str = "") -> Iterator[Visit]:
    """Open the playground, as a reader finds it; nothing goes wrong in it."""
    with in_peace(Visit(context.new_page(), address)) as visit:
        visit.page.goto(f"{address}/{PAGE}{fragment}")
        visit.page.wait_for_selector(".ttv-sum[role=option], [data-panel=vectors] .ttv-note")
        yield visit


def new_visit(context: BrowserContext, address: str) -> Iterator[Visit]:
    with opened(context, address) as visit:
        yield visit


fresh = pytest.fixture(new_visit)
shared = pytest.fixture(new_visit, scope="module")


@pytest.fixture(scope="module")
def code(shared: Visit) -> Page:
    """The page with all tokenizers loaded, for its functions alone."""
    shared.page.evaluate(
        """async () => {
          const names = ["words", "gpt2", "o200k", "bert", "unigram"];
          const all = await Promise.all(names.map((name) => TextToVectors.vocabularies.load(name)));
          window.tokenizers = Object.fromEntries(names.map((name, i) => [name, all[i]]));
        }"""
    )
    return shared.page


def ask(page: Page, function: str, value: object) -> Any:
    """Call a function of the page.

    What goes there and back is JSON in ASCII: no protocol between here and there is asked to carry
    a lone surrogate, or to describe each of a million numbers.
    """
    script = f"async (value) => JSON.stringify(await ({function})(JSON.parse(value)))"
    return json.loads(page.evaluate(script, json.dumps(value)))


@pytest.fixture
def visit(shared: Visit) -> Visit:
    """The playground with the settings that it begins with."""
    shared.page.set_viewport_size({"width": 1280, "height": 900})
    follow(shared.page, f"tokenizer=gpt2&n={next(NUMBERS)}")
    return shared


NUMBERS = count()


def follow(page: Page, fragment: str) -> None:
    """Follow a link to the page on the page itself."""
    page.evaluate(
        """(hash) => new Promise((done) => {
          addEventListener("hashchange", done, { once: true });
          location.hash = hash;
        })""",
        fragment,
    )
    settled(page)


def settled(page: Page) -> None:
    """Wait until the page has drawn what was last asked of it."""
    page.wait_for_function("!document.querySelector('.ttv-loading')")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))")


def choose(page: Page, tokenizer: str) -> None:
    """Choose a tokenizer."""
    page.check(f"input[name=ttv-tokenizer][value={tokenizer}]")
    settled(page)


def as_javascript(text: str) -> str:
    """Join surrogates that stand side by side: in JavaScript they are one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


# --- the same ids as the package ----------------------------------------------------------------

STORY_WORDS = WordTokenizer(build_vocab(load_story(), ["<unk>"]), "<unk>")
UNIGRAM = train_unigram(load_story(), 400)
TOKENIZERS: dict[str, Any] = {
    "words": STORY_WORDS, "gpt2": gpt2(), "bert": bert_uncased(), "unigram": UNIGRAM,
    "o200k": o200k(),
}  # fmt: skip
ENCODERS = {
    name: getattr(tokenizer, "encode_ordinary", tokenizer.encode)
    for name, tokenizer in TOKENIZERS.items()
} | {"bert": lambda text: bert_uncased().encode(text)[1:-1]}
SPECIAL = [
    SENTENCE, load_story(), load_story().replace("\n", "\r\n"), "", "\x00a\x00", "a\udfffb",
    "<unk> <|endoftext|> [UNK] [SEP] ##ing", "constructor __proto__ toString",
    "x" * 100 + " " + "x" * 101, "é" * 100 + " " + "e\u0301" * 60,
    # Combining characters that are no marks are sorted as well, but not across U+034F.
    "a\u302e\U0001d165 a\U0001d165\u302e a\u302e\u0301\U0001d165",
    "a\u302e\u034f\U0001d165 a\u302e\u0345\U0001d165 \u034f",
    ("a" + "\u034f" * 9) * 100 + " " + ("a" + "\u034f" * 9) * 101,
]  # fmt: skip


@pytest.mark.parametrize("tokenizer", ENCODERS)
def test_texts_have_the_ids_of_the_package(code: Page, tokenizer: str) -> None:
    texts = [as_javascript(text) for text in random_texts(800, 5, surrogates=True)]
    # Between two letters a character shows whether it joins, parts, or is dropped.
    characters = [*range(0x3100), *range(0xA000, 0x1_0000, 7), *range(0x1_0000, 0x11_0000, 1009)]
    alone = [f"a{chr(c)}b {chr(c)}" for c in characters]
    texts += ["".join(alone[i : i + 100]) for i in range(0, len(alone), 100)]
    expected = {text: ENCODERS[tokenizer](text) for text in (*SPECIAL, *texts)}
    script = f"(all) => all.map((text) => tokenizers.{tokenizer}.encode(text).ids)"
    for text, ids in zip(expected, ask(code, script, [*expected]), strict=True):
        assert ids == expected[text], text


@pytest.mark.parametrize("name", ["bytes", "split", *ENCODERS])
def test_cuts_are_those_of_the_still_figure(code: Page, name: str) -> None:
    texts = ["", *WORDS, "한국어 각", "<unk> ▁a", *random_texts(400, 6, surrogates=False)]
    tokenizer = read_pattern(GPT2_PATTERN).findall if name == "split" else TOKENIZERS.get(name)
    rule = name.replace("split", "gpt2")
    script = f"""(all) => all.map((text) =>
      TextToVectors.cuts.cut("{name}", tokenizers.{rule}, text).map(({{shown, from, to, isLost}}) =>
        [shown.text, from, to, Boolean(shown.isBytes), Boolean(isLost)]))"""
    for text, found in zip(texts, ask(code, script, texts), strict=True):
        assert found == [[*cut] for cut in cuts(tokenizer, text)], text


# --- what the page shows ------------------------------------------------------------------------

TOKENS = """all => all.map((chip) => [chip.querySelector("bdi:not(.ttv-lost)").textContent,
                               Number(chip.querySelector(".ttv-id").textContent)])"""


def shown_tokens(page: Page) -> list[list[Any]]:
    chips = page.locator("[data-panel=tokens] .ttv-word .ttv-token")
    return list(chips.evaluate_all(TOKENS))


def shown_ids(page: Page) -> list[int]:
    return [id for _, id in shown_tokens(page)]


WINDOWS = """() => [...document.querySelectorAll(".ttv-window")].map((shown) =>
  [...shown.rows].map((row) => [...row.querySelectorAll(".ttv-id")].map((id) => +id.innerText)))"""
SUMMARIES = {
    "bytes": "47 characters, 47 bytes",
    "tokens": "10 tokens from GPT-2’s vocabulary of 50,257",
    "windows": "⌈(10 − 4) / 2⌉ = 3 windows, 1 batch, 1 window dropped",
}


def summary(page: Page, panel: str) -> str:
    return page.locator(f"[data-panel={panel}] .ttv-summary").inner_text()


def test_the_example_is_there_at_once_and_the_counts_of_all_tokenizers_soon(
    fresh: Visit, site: Path
) -> None:
    page = fresh.page
    assert page.input_value("#ttv-text") == SENTENCE
    ids = gpt2().encode(SENTENCE)
    assert shown_ids(page) == ids
    assert [token for token, _ in shown_tokens(page)[-2:]] == ["␣Rabb", "its"]
    windows = [(inputs.tolist(), targets.tolist()) for inputs, targets in SlidingWindows(ids, 4, 2)]
    assert [tuple(rows) for rows in page.evaluate(WINDOWS)] == windows
    assert {panel: summary(page, panel) for panel in SUMMARIES} == SUMMARIES
    assert "#" not in page.url
    at_first = ["files.js", "gpt2.gz", "unicode.gz"]
    sizes = [(site / "_static/algorithms/data" / name).stat().st_size for name in at_first]
    assert sum(sizes) < 176_000  # without the vocabulary of GPT-4o, which has 0.7 MB
    assert sorted(vocabularies_of(fresh)[:3]) == at_first
    kinds = page.locator("[name=ttv-tokenizer]").evaluate_all("all => all.map(it => it.value)")
    found = page.locator(".ttv-cut-count").all_inner_texts()
    assert found == [str(len(ENCODERS[kind](SENTENCE))) for kind in kinds]
    assert sorted(vocabularies_of(fresh)) == at_first  # the others with the reader's first change


def vocabularies_of(visit: Visit) -> list[str]:
    names = (url.rpartition("/")[2] for url in visit.requests if "/_static/algorithms/data/" in url)
    return [name.partition("?")[0] for name in names]


def test_a_pair_for_bert_meets_and_its_numbers_add_up(visit: Visit) -> None:
    page = visit.page
    page.get_by_role("button", name="a pair for BERT").click()
    settled(page)
    one, other = map(bert_uncased().encode, ("what is ai?", "ai means artificial intelligence."))
    ids = [*one, *other[1:]]
    chips = page.locator("[data-panel=tokens] .ttv-tokens .ttv-id")
    assert chips.all_inner_texts() == [*map(str, ids)]
    assert summary(page, "tokens").endswith(f"; with [CLS] and [SEP] {len(ids)}")
    page.check("input[name=ttv-positions][value=sinusoidal]")
    rows, said = page.locator(".ttv-sum[role=option]"), page.locator("[data-panel=vectors] > p")
    rows.nth(7).click()
    for column, number in enumerate(sinusoidal(8, 8)[7].tolist()):
        page.wait_for_function("() => document.activeElement.role === 'option'")
        for _ in range(8):
            page.keyboard.press("ArrowLeft")
        for _ in range(column):
            page.keyboard.press("ArrowRight")
        text = said.inner_text().replace("− ", "+ −").replace("−", "-")
        *parts, total = map(float, re.findall(r"-?\d\.\d\d", text))
        assert f"position row 7. Number {column + 1}:" in text
        assert abs(sum(parts) - total) < 0.016
        assert abs(parts[2] - number) < 0.0051
    page.check("input[name=ttv-positions][value=learned]")
    page.get_by_text("Trained rows of all-MiniLM-L6-v2").wait_for()


def test_parts_of_characters_show_their_bytes_and_pieces_meet_from_the_right(visit: Visit) -> None:
    page = visit.page
    page.get_by_role("button", name="👍 请 é").click()
    settled(page)
    assert shown_tokens(page)[:2] == [["F0 9F 91", 41840], ["8D", 235]]
    choose(page, "bert")
    page.fill("#ttv-text", "שלום")  # from the right: ## is at the left neighbour's side
    settled(page)
    left = "all => all.map((chip) => chip.getBoundingClientRect().left)"
    first, second, *_ = page.locator(".ttv-word .ttv-token").evaluate_all(left)
    assert first > second


@pytest.mark.parametrize("tokenizer", ["gpt2", "unigram"])
def test_a_long_text_neither_freezes_nor_widens_the_page(visit: Visit, tokenizer: str) -> None:
    page = visit.page
    page.set_viewport_size({"width": 390, "height": 900})
    page.check(f"input[name=ttv-tokenizer][value={tokenizer}]")
    page.fill("#ttv-text", "abcdefghij" * 5000)
    page.get_by_text("of 50,000 characters are shown").wait_for()
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".ttv-panel *").count() < 4000
    page.get_by_text("too long for a link").wait_for()


def test_on_a_phone_the_text_stays_in_view(visit: Visit) -> None:
    show(visit.page, 390, "light")
    visit.page.locator("[data-panel=vectors]").scroll_into_view_if_needed()
    box = visit.page.locator("#ttv-text").bounding_box()
    assert box
    assert 0 < box["y"] < 100
    assert box["height"] < 90
    show(visit.page, 1280, "light")


# --- links ------------------------------------------------------------------------------------

TEXT = "a&b=c#d%41%zz+é 👍\n\t<b>'\"\\ :~:text="


def controls(page: Page) -> dict[str, Any]:
    """What the controls say."""
    fields = ("text", "second", "context", "stride", "batch")
    found: dict[str, Any] = {name: page.input_value(f"#ttv-{name}") for name in fields}
    for name in ("tokenizer", "positions"):
        found[name] = page.locator(f"input[name=ttv-{name}]:checked").input_value()
    return found | {"drop": page.is_checked("#ttv-drop")}


def test_a_link_carries_text_and_all_settings(visit: Visit, address: str) -> None:
    page = visit.page
    choose(page, "bert")
    page.fill("#ttv-text", TEXT)
    page.fill("#ttv-second", f"{TEXT} again")
    assert not page.is_visible("#ttv-context")  # BERT has no windows
    choose(page, "gpt2")
    for name, value in (("context", 31), ("stride", 3), ("batch", 5)):
        page.fill(f"#ttv-{name}", str(value))
    choose(page, "bert")
    page.check("input[name=ttv-positions][value=sinusoidal]")
    settled(page)
    page.locator(".ttv-word").nth(3).click()
    page.locator(".ttv-sums [role=option]").nth(2).click()
    page.wait_for_function("location.hash.includes('token=2')")
    with opened(page.context, address, f"#{page.url.partition('#')[2]}") as other:
        settled(other.page)
        assert controls(other.page) == controls(page)
        for part in (".ttv-word[aria-selected=true]", ".ttv-sum[aria-selected=true]", ".ttv-scan"):
            assert other.page.locator(part).inner_text() == page.locator(part).inner_text()


HOSTILE = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script>${1}{{7*7}}"


def test_a_hostile_link_does_no_harm(context: BrowserContext, address: str) -> None:
    settings = {
        "text": HOSTILE, "second": HOSTILE, "tokenizer": "__proto__", "word": "1e999", "d": "1e6",
        "context": "9" * 400, "stride": "-5", "batch": "0x10", "drop": "banana",
        "positions": "constructor", "token": "NaN", "__proto__": "1",
    }  # fmt: skip
    with opened(context, address, f"#{urlencode(settings)}") as visit:
        page = visit.page
        for fragment in ("", "text=%E0%A4%A&tokenizer=%&context=%zz", "=&&&=%00&text"):
            if fragment:
                follow(page, fragment)
            settled(page)
            found = controls(page)
            assert found["tokenizer"] in ENCODERS
            assert all(1 <= int(found[name]) <= 32 for name in ("context", "stride", "batch"))
            if not fragment:
                assert found["text"] == HOSTILE
                assert shown_ids(page) == ENCODERS[found["tokenizer"]](HOSTILE)
            assert page.evaluate("window.hacked") is None
            assert page.locator(".ttv-panel :is(img, script, iframe, a)").count() == 0


def test_chapters_link_to_the_playground_with_their_examples(code: Page, site: Path) -> None:
    pages = [path.read_text(encoding="utf-8") for path in (site / "book").glob("*.html")]
    found = re.findall(r'href="playground\.html#([^"]*=[^"]*)"', "".join(pages))
    assert len(found) > 10
    for fragment in (it.replace("&amp;", "&") for it in found):
        read = code.evaluate("f => TextToVectors.link.read(`#${f}`)", fragment)
        given = {key: values[0] for key, values in parse_qs(fragment).items()}
        assert {key: str(read[key]) for key in given} == given


# --- loading ----------------------------------------------------------------------------------


def test_loading_is_shown_and_fails_with_a_way_out(fresh: Visit) -> None:
    page = fresh.page
    waiting: list[Route] = []
    page.route("**/bert.gz*", lambda route: waiting.append(route))
    page.reload()
    page.check("input[name=ttv-tokenizer][value=bert]")
    page.get_by_text("Loading BERT’s 30,522 pieces (111 kB)").wait_for()
    assert page.get_by_role("progressbar").is_visible()
    page.fill("#ttv-text", "I like strawberries")  # the reader need not wait
    waiting[0].abort()
    page.get_by_text("BERT’s 30,522 pieces could not be loaded: there is no connection.").wait_for()
    assert page.get_by_role("alert").is_visible()
    assert violations(page) == []
    page.unroute("**/bert.gz*")
    page.get_by_role("button", name="Try again").press("Enter")
    page.get_by_text("4 tokens from BERT’s vocabulary").wait_for()
    assert shown_ids(page) == [1045, 2066, 13137, 20968]
    assert page.get_by_role("alert").count() == 0
    assert page.evaluate("document.activeElement.matches('.ttv-word')")
    fresh.troubles.clear()  # the file that was held back


def test_the_playground_opens_from_the_disk(browser: Browser, site: Path) -> None:
    link = "#text=I+like+strawberries&tokenizer=bert"
    with browser.new_context() as context, opened(context, site.as_uri(), link) as visit:
        for tokenizer, encode in ENCODERS.items():
            choose(visit.page, tokenizer)
            assert shown_ids(visit.page) == encode("I like strawberries")
        visit.page.fill("#ttv-text", "four")
        visit.page.wait_for_function("location.hash.startsWith('#text=four&')")
        assert not [name for name in vocabularies_of(visit) if name.endswith(".gz")]


# --- everyone can use it ------------------------------------------------------------------------

STATES = [
    "text=請+unbelievability+x&second=ai&tokenizer=bert&d=16",
    "text=nothing+請+hedgehogs&tokenizer=unigram",
    "text=👍+请+Rabbits&tokenizer=gpt2&context=3&batch=3",
]


@pytest.mark.parametrize("state", STATES, ids=range(3))
def test_every_state_is_accessible(visit: Visit, state: str) -> None:
    follow(visit.page, state)
    assert visit.page.input_value("#ttv-text") in state.replace("+", " ")
    check_looks(visit.page, ".bd-article")


def visible(token: bytes) -> str:
    return token.decode().replace(" ", "␣")


def test_every_control_can_be_reached_and_used_with_the_keyboard(visit: Visit) -> None:
    page = visit.page
    name = """() => {
      const focus = document.activeElement;
      const list = focus.closest("[role=listbox]");
      return focus.id || focus.name || (list ?? focus).getAttribute("aria-label");
    }"""

    def press(wanted: str, key: str) -> None:
        for _ in range(40):
            if page.evaluate(name) == wanted:
                return page.keyboard.press(key)
            page.keyboard.press("Tab")
        raise AssertionError(f"{wanted} cannot be reached with Tab")

    page.focus("#ttv-text")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("the unbelievability of four")
    press("ttv-tokenizer", "ArrowRight")
    page.get_by_text("from GPT-4o’s vocabulary").wait_for()
    press("Tokens, word by word", "End")
    assert "␣four" in page.locator(".ttv-detail-title").first.inner_text()
    tokens = "all => all.map((row) => [...row.querySelectorAll('bdi')].map((e) => e.textContent))"
    rows = page.locator(".ttv-ladder li").evaluate_all(tokens)
    assert rows == [[*map(visible, step)] for step in o200k().merge_steps(" four")]
    press("ttv-copy-ids", "Enter")
    page.get_by_text("Ids copied").wait_for()
    ids = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert ids == o200k().encode("the unbelievability of four")
    press("ttv-context", "ArrowUp")
    press("ttv-drop", "Space")
    press("ttv-positions", "ArrowRight")
    found = controls(page)
    assert (found["context"], found["drop"], found["positions"]) == ("5", False, "sinusoidal")
    press("Tokens, each with its rows", "ArrowDown")
    page.get_by_text(re.compile(r"token row 58850 \+ position row 1\.")).first.wait_for()
