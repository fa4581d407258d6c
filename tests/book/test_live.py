"""The live figures, in a real browser: what they compute, and that every reader can use them."""

import itertools
import json
import math
import random
import re
from collections import Counter
from collections.abc import Iterator
from doctest import DocTestFinder, DocTestRunner
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from accessibility import check_looks
from chapter_code import of_chapter
from marks import MARKS, ROLES, marks_of
from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect
from visits import Visit, show

from companion.bpe import BYTE_TO_UNICODE, GPT2_PATTERN, BPETokenizer, gpt2, o200k, train_bpe
from companion.patterns import read_pattern
from companion.positions import sinusoidal
from companion.pretrained import minilm, row, row_tokens
from companion.pretrained import neighbours as nearest
from companion.story import load_story
from companion.unigram import train_unigram
from companion.windows import SlidingWindows
from companion.wordpiece import bert_uncased, train_wordpiece
from companion.words import WordTokenizer, build_vocab
from workbook import plots
from workbook.cuts import cuts

ROOT = Path(__file__).parents[2]
WHOLE = r"[\s\S]+"
PAGES = {
    re.sub("^(cuts|sum)$", rf"\1 {path.stem}", name): path.stem  # of the others the last
    for path in sorted((ROOT / "book").glob("*.md"))
    for name in re.findall(r"^`{3,}\{live\} (\S+)", path.read_text(encoding="utf-8"), re.MULTILINE)
}
"""The page of each figure; `cuts` and `sum` are on several, where they begin differently."""


def come_to(page: Page, address: str, name: str) -> Locator:
    page.goto(f"{address}/book/{PAGES[name]}.html")
    box = page.locator(f".ttv-live[data-live={name.split()[0]}]")
    box.scroll_into_view_if_needed()
    return box


@pytest.fixture(scope="module", params=PAGES)
def visit(request: pytest.FixtureRequest, context: BrowserContext, address: str) -> Iterator[Visit]:
    """Each page with a live figure, scrolled to it."""
    visit = Visit(context.new_page(), address, name=request.param)
    come_to(visit.page, address, request.param).locator(".ttv-live-body").wait_for()
    yield visit
    visit.page.close()


@pytest.fixture
def box(visit: Visit) -> Locator:
    """The figure in a wide window, as it begins."""
    show(visit.page, 1280, "light")
    box = visit.page.locator(f".ttv-live[data-live={visit.name.split()[0]}]")
    box.get_by_text("Start again", exact=True).dispatch_event("click")
    return box


def said(box: Locator) -> str:
    return box.locator(".ttv-live-said").inner_text()


def write(box: Locator, text: str) -> None:
    box.get_by_label("Your text").fill(text)


def slide(box: Locator, name: str, value: object) -> str:
    """Move a slider; return what the figure says."""
    box.get_by_role("slider", name=name).fill(str(value))
    return said(box)


def states(box: Locator) -> Any:
    return json.loads(box.get_attribute("data-states") or "")


def only(*names: str) -> pytest.MarkDecorator:
    """Let a test see these figures alone."""
    return pytest.mark.parametrize("visit", names, indirect=True)


def test_anyone_can_read_it(visit: Visit) -> None:
    assert (visit.outside, visit.troubles) == ([], [])
    assert not any(".gz" in url for url in visit.requests)  # nothing before the first key
    check_looks(visit.page, ".ttv-live")


SIZES = """box => {
  const letters = [...box.querySelectorAll(".ttv-live-body *")].filter((it) =>
    it.checkVisibility() && [...it.childNodes].some((node) => node.data?.trim()));
  const size = (it) => parseFloat(getComputedStyle(it).fontSize) * (it.getScreenCTM?.().a ?? 1);
  for (const it of box.children) it.style.alignSelf = "start";
  const [still, live] = [...box.children].map((it) => it.offsetHeight);
  for (const it of box.children) it.style = "";
  const kept = Math.max(still, parseFloat(getComputedStyle(box).minHeight));
  return [kept, live, Math.min(...letters.map(size))];
}"""


@pytest.mark.parametrize("width", [1280, 390, 360])
def test_nothing_moves_when_it_goes_live(visit: Visit, box: Locator, width: int) -> None:
    show(visit.page, width, "light")
    kept, live, letter = box.evaluate(SIZES)
    assert kept - 24 < live <= kept  # nor is there a hole
    assert letter >= 11
    if visit.name in ("bpe", "gpt2-tokenizer"):  # nor with another text
        box.locator("input[type=text]").fill("internationalization")
        assert box.evaluate(SIZES)[1] == live
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_works_by_keyboard(visit: Visit, box: Locator) -> None:
    assert box.locator("xpath=ancestor::details").count() == 0
    stage = box.locator(".ttv-live-stage")
    before = stage.inner_text()
    first = box.locator("button:not([aria-disabled=true]), input").first
    keys = {"range": "ArrowLeft", "text": "x"}
    first.press(keys.get(str(first.get_attribute("type")), "Enter"))
    script = """([box, before]) => {
      const [now, said, told] = ["stage", "said", "told"].map(
        (part) => box.querySelector(`.ttv-live-${part}`).innerText);
      return now !== before && told === said;
    }"""
    visit.page.wait_for_function(script, arg=[box.element_handle(), before])
    box.get_by_role("button", name="Start again").press("Enter")
    assert stage.inner_text() == before


def test_the_still_figure_comes_back_in_print(visit: Visit, box: Locator) -> None:
    visit.page.emulate_media(media="print")
    assert_still(box)
    visit.page.emulate_media(media="screen")


def test_the_still_figure_stays_without_scripts(browser: Browser, address: str) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        assert_still(come_to(context.new_page(), address, "sum index"))


def assert_still(box: Locator) -> None:
    assert not box.locator(".ttv-live-body").is_visible()
    assert all(still.is_visible() for still in box.locator(".ttv-still > *").all())


def test_a_tap_moves_a_word_and_a_swipe_over_a_slider_sets_nothing(
    browser: Browser, address: str
) -> None:
    phone: ViewportSize = {"width": 390, "height": 844}
    with browser.new_context(has_touch=True, is_mobile=True, viewport=phone) as context:
        page = context.new_page()
        come_to(page, address, "positions").locator(".ttv-live-body").wait_for()
        # A finger's room at the buttons of the cells does not make the page wider.
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        page.locator(".ttv-tile").first.tap()
        assert page.locator(".ttv-tile").all_inner_texts() == ["␣eat", "␣fish", "␣you"]
        slider = come_to(page, address, "windows").get_by_role("slider", name="Context")
        # A browser that takes a finger's way for its own tells that the slider has lost it.
        slider.dispatch_event("pointerdown")
        slider.fill("3")
        slider.dispatch_event("pointercancel")
        assert slider.input_value() == "8"


STILLS = {
    **dict.fromkeys(["bpe", "gpt2-tokenizer"], "merge_ladder"),
    **dict.fromkeys(["relative-positions", "sinusoids"], "rotating_pairs"),
    "more-tables": "ngram_rows",
    "neighbours": "nearest_rows",
    "positions": "two_orders",
    "streaming": "knife",
    "cuts": "aligned_cuts",
    "sum": "input_sum",
    "token-embeddings": "lookup one_hot_product",
    "training": "row_map loss_curves nearest_rows",
    "windows": "window_coverage window_bricks",
}
"""The still figures whose marks a live one has; they are drawn as their docstrings draw them."""
ALONE = {f"cuts {page}": {"byte"} for page in ("bpe", "gpt2-tokenizer", "unigram")}
"""What only one of the two has: here no tokens are bytes."""
ACTS = {
    "bpe": "×", "gpt2-tokenizer": "All steps", "token-embeddings": "As one-hot",
    "positions": "left out", "sum index": "BERT", "sum start": "BERT",
}  # fmt: skip
"""What shows the marks that a figure does not begin with."""


def test_marks_and_roles_are_those_of_the_still_figure(visit: Visit, box: Locator) -> None:
    still, live = set[str](), {*box.evaluate(MARKS, ROLES)}
    figure = visit.name.split()[0]
    for name in STILLS[figure].split():
        (example,) = DocTestFinder(recurse=False).find(getattr(plots, name))
        DocTestRunner().run(example, clear_globs=False)
        still |= {*marks_of(example.globs["ax"])}
    for _ in range(2):
        if visit.name in ACTS:
            box.locator("button, label", has_text=ACTS[visit.name]).first.dispatch_event("click")
        elif visit.name == "streaming":
            slide(box, "Knife", 1)
        live |= {*box.evaluate(MARKS, ROLES)}
    assert live ^ still == ALONE.get(visit.name, set())


def test_orange_is_segment_and_nothing_else() -> None:
    sheets = [path.read_text("utf-8") for path in (ROOT / "book" / "assets").rglob("*.css")]
    used = [line for sheet in sheets for line in sheet.split("\n") if "var(--ttv-segment)" in line]
    assert used == [".is-segment { --part: var(--ttv-segment); }"]
    figures = (ROOT / "workbook" / "plots").glob("*.py")
    drawn = {path.stem for path in figures if "SEGMENT" in path.read_text("utf-8")}
    assert drawn == {"__init__", "_drawing", "bert_input"}


@only("bpe")
def test_bpe_learns_what_the_companion_learns(visit: Visit, box: Locator) -> None:
    rng = random.Random(3)
    texts = ["aaaa", *("".join(rng.choices("abc é", k=20)) for _ in range(50))]
    script = """texts => texts.map(text => {
      const {steps, tokens} = TextToVectors.live.figures.bpe.learn(new TextEncoder().encode(text));
      return steps.slice(0, -1).map(({pairs: [{left, right}]}) => [tokens[left], tokens[right]]);
    })"""
    for text, pairs in zip(texts, visit.page.evaluate(script, texts), strict=True):
        merges = train_bpe(text, 1000, pattern=WHOLE).merges  # as many as there are
        signs = [["".join(BYTE_TO_UNICODE[b] for b in token) for token in pair] for pair in merges]
        assert pairs == signs, text
    merge = box.locator(".is-winner")
    merge.click()
    box.get_by_label("first in the text").check()
    box.get_by_role("button", name="b + d").click()
    assert "b + d occurs in 1 place. aa + a is more frequent: it merges first." in said(box)
    for _ in range(6):
        merge.click()
    assert "1 token. No pair is left after 7 merges. The other rule makes 7 merges." in said(box)
    box.get_by_role("button", name="Y 257 = aa + a").click()
    assert box.locator(".ttv-ladder button").count() == 3  # the bytes and two merges


@only("token-embeddings")
def test_token_embeddings_has_the_models_rows(visit: Visit, box: Locator) -> None:
    vocab = bert_uncased().vocab
    for token, (token_id, numbers) in states(box)["rows"].items():
        assert (token_id, numbers) == (vocab[token], list(row(token)[:8]))
    assert "5 ids select 4 rows: “the” selects one row again." in said(box)
    box.get_by_role("button", name="rabbit").click()
    assert "6 ids select 5 rows" in said(box)
    tokens = "all => all.map(it => it.dataset.token).join(' ')"
    vectors = box.locator(".is-vectors [data-token]").evaluate_all(tokens)
    assert vectors == "the cat saw the dog rabbit"
    ids = box.locator(".is-table [data-token]").all_inner_texts()
    assert ids == sorted(ids, key=int)  # the table has its own order


STORY = load_story()
ROWS: dict[str, Any] = {
    "bytes": None, "split": read_pattern(GPT2_PATTERN).findall, "GPT-2": gpt2(), "o200k": o200k(),
    "words": WordTokenizer(build_vocab(STORY, ["<unk>"]), "<unk>"), "BERT": bert_uncased(),
    "one word": BPETokenizer(train_bpe(STORY, 456, pattern=WHOLE).merges, pattern=WHOLE),
    "merges": train_bpe(STORY, 556), "BPE": train_bpe(STORY, 600),
    "WordPiece": train_wordpiece(STORY.lower(), 400), "Unigram": train_unigram(STORY, 400),
}  # fmt: skip


@only(*(name for name in PAGES if name.startswith("cuts")))
def test_the_cuts_of_a_text_of_ones_own(visit: Visit, box: Locator) -> None:
    names = [*states(box)["rows"]]
    for text in ("Café don't", " rabbits shouted, \u2009ﬁsh 请 👩\u200d🚀", "shouted\u0301 below"):
        write(box, text)
        counts = [str(len(cuts(ROWS[name], text))) for name in names]
        expect(box.locator(".ttv-cut-count b")).to_have_text(counts)
    write(box, "")
    box.get_by_text("There is no text").first.wait_for()


@only("windows")
def test_windows_are_the_companions(visit: Visit, box: Locator) -> None:
    n = states(box)["n"]
    for size, stride in itertools.product(range(1, 10), range(1, 11)):
        windows = SlidingWindows(range(n), size, stride)
        counts = Counter(int(i) for window in windows for i in window[1])
        script = "([n, L, s]) => TextToVectors.live.figures.windows.cover(n, L, s)"
        found = visit.page.evaluate(script, [n, size, stride])
        assert found["starts"] == [int(window[0][0]) for window in windows]
        assert found["counts"] == [counts[i] for i in range(n)]
    told = slide(box, "Stride", 9)  # as the chapter says below its figure
    assert "is a target once; 2 ids between windows and 6 at the end never" in told


@only("sum index")
def test_blue_bars_go_along_and_green_ones_stay(visit: Visit, box: Locator) -> None:
    rows = states(box)["models"]["GPT-2"]["rows"]
    for numbers in (rows["token"]["41236"], rows["position"][6]):  # as the page prints them
        assert str(np.array(numbers[:4])) in visit.page.locator("article").inner_text()
    bars = box.locator("[role=option] path")
    blue, green = (bars.nth(i).get_attribute("d") for i in (3, 4))
    box.get_by_role("button", name="A word in front").click()
    assert [bars.nth(i).get_attribute("d") for i in (6, 4)] == [blue, green]
    assert "7 tokens moved: blue bars went along, green bars stayed. New: Now" in said(box)
    chosen = box.get_by_role("option", selected=True)
    assert chosen.inner_text().startswith("␣strawberry")
    chosen.press("ArrowRight")
    assert "␣strawberry: token row 41236 + position row 7. Number 2: " in said(box)
    write(box, "")
    box.get_by_text("Without text there are no tokens").first.wait_for()


@only("sum start")
def test_tokens_are_those_of_the_tokenizers(visit: Visit, box: Locator) -> None:
    for model, encode in {"GPT-2": gpt2().encode, "BERT": bert_uncased().encode}.items():
        box.get_by_label(model).check()
        write(box, text := "The naïve 🐇 reads 請 — d’accord")
        ids = [str(i) for i in encode(text)]
        expect(box.locator("[role=option] .is-token small")).to_have_text(ids[:10])
        assert f"The first 10 of {len(ids)} tokens" in box.inner_text()


NUMBERS = """async texts => {
  const {vectors, vocabularies} = TextToVectors;
  const [bert, rows] = await Promise.all(["bert", "rows"].map((it) => vocabularies.load(it)));
  const {ids, segmentIds} = bert.encodePair(...texts);
  const model = {rows, d: 384, isTrained: true};
  return ids.map((id, place) => {
    const three = [["token", id], ["segment", segmentIds[place]], ["position", place]]
      .map(([name, i]) => vectors.row(model, name, i));
    return [vectors.sum(three), vectors.normalized(three, segmentIds[place], model)];
  });
}"""


@only("sum bert-input")
def test_trained_sums_are_those_of_the_companion(visit: Visit, box: Locator) -> None:
    layer = minilm().requires_grad_(False)
    rare = " ".join(filter(str.isalpha, row_tokens()[2999:3019]))
    for pair in (("I like cats", "I like dogs"), ("What is AI?", rare)):
        one = bert_uncased().encode_pair(*pair)
        ids, segments = torch.tensor([one.ids, one.segment_ids])
        total = layer.token(ids) + layer.segment(segments) + layer.position(torch.arange(len(ids)))
        sums, after = zip(*visit.page.evaluate(NUMBERS, [*pair]), strict=True)
        assert torch.allclose(torch.tensor(sums), total[:, :8], rtol=0, atol=2e-4)
        # The deviation of a sum of three rows is not quite exact: good for bars.
        normalized = layer(ids, segments)[:, :8]
        assert torch.allclose(torch.tensor(after), normalized, rtol=0.035, atol=0.01)
    box.get_by_role("button", name="Swap").click()
    assert box.get_by_label("Text of segment 0").input_value() == "I like dogs"
    twins = box.locator(".is-twin, [aria-selected=true]").all_inner_texts()
    assert [text.split("\n")[0] for text in twins] == ["like", "like"]
    box.get_by_label("Text of segment 1").fill("I like zyzzyva")
    box.locator("[role=option]", has_text="##zzy").locator(".ttv-none").nth(2).wait_for()
    box.get_by_label("new").check()
    assert box.locator(".ttv-none").count() == 0


@only("positions")
def test_positions_without_vectors_only_change_places(visit: Visit, box: Locator) -> None:
    tile = box.locator(".ttv-tile")
    assert "3 of 3 outputs changed. With position vectors" in box.inner_text()
    tile.nth(0).drag_to(tile.nth(2))
    assert tile.all_inner_texts() == ["␣you", "␣eat", "␣fish"]
    tile.nth(1).press("ArrowLeft")
    box.get_by_label("left out").check()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowRight"):
        box.get_by_role("button", name="fish").press(key)
        assert "0 of 3 outputs changed. Without position vectors" in box.inner_text()


@only("sinusoids")
def test_sinusoids_are_the_companions(visit: Visit, box: Locator) -> None:
    assert np.allclose(states(box)["rows"], sinusoidal(72, 8), atol=1e-4)
    told = slide(box, "Position", 30)
    assert "Position 30: hand 0 made 4.8 turns; hands 2 and 3 hardly turned" in told
    numbers = [f"{x:.2f}".replace("-", "−") for x in sinusoidal(64, 8)[30].tolist()]
    assert box.locator(".ttv-numbers small").all_inner_texts() == numbers
    told = slide(box, "Steps further", 8)
    assert "8 steps further the hands turn by 8, 0.8, 0.08, 0.008" in told
    slide(box, "Position", 63)
    assert "left: 100%" in str(box.locator(".ttv-wave .is-further").first.get_attribute("style"))


@only("relative-positions")
def test_only_the_distance_changes_a_product(visit: Visit, box: Locator) -> None:
    for distance in range(4, 9):
        products = [math.cos(math.radians(degrees * distance)) for degrees in (30, 3)]
        written = [f"{x:.4f}".replace("-", "−") for x in products]
        told = f"distance {distance}, dot products {' and '.join(written)}."
        assert slide(box, "Query alone", distance) == f"Only the query moved: now {told}"
        assert slide(box, "Both", 100 + distance) == f"Both moved: still {told}"
        assert all(f"product {number}" in box.inner_text() for number in written)


@only("gpt2-tokenizer")
def test_the_pair_of_the_lowest_rank_is_joined(visit: Visit, box: Locator) -> None:
    pairs = box.locator(".ttv-pair")
    write(box, "naïve")
    steps = gpt2().merge_steps("naïve".encode())
    box.locator(f"li:first-child:has(> :nth-child({len(steps[0]) + 1}):last-child)").wait_for()
    for before, step in itertools.pairwise(steps):
        rank = min(gpt2().vocab[token] - 256 for token in {*step} - {*before})
        pairs.filter(has_text=re.compile(rf"rank {rank:,}$")).first.click()
    assert f"No pair is a merge: {len(steps[-1])} tokens." in said(box)
    write(box, "there")
    box.get_by_text("Which pair is joined next?").first.wait_for()
    pairs.filter(has_text="rank 4").click()
    assert "“r” + “e” is a merge, but “h” + “e” was learned before it." in said(box)


@only("neighbours")
def test_neighbours_are_the_companions(visit: Visit, box: Locator) -> None:
    write(box, "four")
    box.get_by_text("Nearest to four:").first.wait_for()
    text = box.get_by_role("list").nth(1).inner_text().split("\n")  # the trained table
    found = [*zip(text[::2], text[1::2], strict=True)]
    assert found == [(token, f"{cosine:.2f}") for token, cosine in nearest("four")]
    write(box, "rabbitish")
    box.get_by_text("“rabbitish” is none of the 5,940 tokens").first.wait_for()


@only("more-tables")
def test_rows_of_ngrams_are_those_of_the_chapter(visit: Visit, box: Locator) -> None:
    names = of_chapter("more-tables", "row_of", "ngram_at")
    ngram_at, row_of, heads, factors = (
        names[name] for name in ("ngram_at", "row_of", "HEADS", "FACTORS")
    )
    example = box.get_by_role("button", name="the cat sat on the mat")
    for text in (" a a a a", "The end.<|endoftext|> The", " 🐇 in New York", example.inner_text()):
        write(box, text)
        ids = gpt2().encode(text, disallowed_special=())[:7]
        picked = [
            [(g := ngram_at(ids, i, size), row_of(g, factors, n)) for size, n in heads]
            for i in range(len(ids))
        ]
        still = plots.ngram_rows([""] * len(ids), ids, heads, picked)
        texts = [label.get_text() for label in still.texts[5:] if label.get_text()]
        box.locator(f".ttv-ngram[data-index='{len(ids) - 1}']").wait_for()
        box.locator("small", has_text=str(ids[0])).first.wait_for()
        found = box.locator(".ttv-ngram[role=option] > :not(.ttv-token)").all_inner_texts()
        assert [text.replace("!!", "!") for text in found] == texts
    assert "Yes: “␣cat ␣sat” and “␣on ␣the” share the rows of both heads." in box.inner_text()


@only("training")
def test_training_ends_where_the_chapter_does(visit: Visit, box: Locator) -> None:
    losses, held_out = states(box)["losses"], states(box)["held_out"]
    printed = " ".join(visit.page.locator(".cell_output").all_inner_texts())
    assert f"{len(losses)} steps, loss {losses[0]:.1f} -> {losses[-1]:.1f}" in printed
    assert f"held out: {held_out[0]:.1f} -> {min(held_out):.1f} ->" in printed
    slide(box, "Training", states(box)["steps"].index(held_out.index(min(held_out))))
    assert f"{min(held_out):.1f} on held-out text" in box.inner_text()
    probability = re.findall(r"after ' four' .*?(\d\.\d+)", printed)[0]
    told = f"Step {len(losses)}: 10 of 10 words are nearest to one of their own group; expected is"
    last = len(states(box)["steps"]) - 1
    assert slide(box, "Training", last) == f"{told} “␣little” ({probability})."


@only("streaming")
def test_a_cut_is_safe_where_the_ids_stay(visit: Visit, box: Locator) -> None:
    text = states(box)["text"]
    for name, tokenizer in {"GPT-2": gpt2(), "o200k": o200k()}.items():
        box.get_by_role("radio", name=name).check()
        for i in (2, 10, text.index(" fields"), text.index("fields"), len(text) - 2):
            joined = tokenizer.encode(text[:i]) + tokenizer.encode(text[i:])
            is_safe = joined == tokenizer.encode(text)
            assert slide(box, "Knife", i).startswith("Safe: " if is_safe else "Not safe: ")
            assert (box.locator(".is-other").count() == 0) is is_safe
            row = box.get_by_role("group", name="Tokens and ids of the two parts")
            assert row.locator(".ttv-id").all_inner_texts() == [str(i) for i in joined]
