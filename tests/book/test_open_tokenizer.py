"""The page that opens a tokenizer, in a real browser: it says what the package says."""

import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from accessibility import check_looks
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import BrowserContext
from safetensors.numpy import save
from tokenizer_files import FAMILIES, of, split, write
from visits import Visit, assert_no_worker, in_peace

import opener
from companion.bpe import gpt2
from inspector import Pipeline
from inspector.inspection import report
from inspector.opened import Opened as Files

PAGE, FILE = "book/open-tokenizer.html", "tokenizer.json"
MINUTE = 60_000
TEXTS = ["Hello, Café!  I don't know. 👍", "<|endoftext|> </s>a [MASK] ﬁ\tx\n", "", " שלום 今天"]
READ = """() => Object.fromEntries([...document.querySelectorAll(".ttv-stages > div")].map(row => [
  row.firstChild.textContent,
  [...row.querySelectorAll("dd:not(.ttv-about)")].map(dd => ({
    chips: [...dd.querySelectorAll(".ttv-token, .ttv-quoted")].map(e => e.firstChild.textContent),
    ids: [...dd.querySelectorAll(".ttv-token > .ttv-id:nth-child(2)")].map(e => +e.textContent),
    added: dd.querySelectorAll(".is-added").length,
    texts: [...dd.querySelectorAll("bdi.ttv-text")].map(e => e.textContent),
  })),
]))"""
CODES_SHOWN = """() => [...document.querySelectorAll(".ttv-finding")].map(
  e => [e.querySelector("strong").textContent, e.querySelector("code").textContent])"""


class Opened(Visit):
    """The page, and what a reader does with it."""

    def settle(self) -> None:
        self.page.locator("#ttv-open-rows[aria-busy=false]").wait_for(timeout=3 * MINUTE)

    def type(self, text: str) -> None:
        self.page.fill("#ttv-open-text", text)
        self.settle()

    def choose(self, *paths: Path, slot: int = 0) -> None:
        self.page.locator("#ttv-open-compare").set_checked(slot == 1, force=True)
        self.page.locator("input[type=file][multiple]").set_input_files(list(paths))
        self.page.wait_for_function(
            "i => document.querySelector(`#ttv-open-line-${i}`).textContent", arg=slot
        )
        self.settle()

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def open_bert(self) -> None:
        self.page.locator("#ttv-open-compare").set_checked(False, force=True)
        self.press("BERT")
        self.settle()
        self.page.wait_for_selector(".ttv-finding")

    def line(self, slot: int = 0) -> str:
        return self.page.locator(f"#ttv-open-line-{slot}").inner_text()

    def rows(self) -> Any:
        return self.page.evaluate(READ)

    def codes(self) -> Any:
        return self.page.evaluate(CODES_SHOWN)


def new_page(context: BrowserContext, address: str, python_in_the_page: Path) -> Iterator[Opened]:
    """The page, as a reader finds it."""
    with in_peace(Opened(context.new_page(), address)) as visit:
        visit.go(PAGE)
        yield visit


fresh = pytest.fixture(new_page)
shared = pytest.fixture(new_page, scope="module")


@pytest.fixture
def visit(shared: Opened) -> Iterator[Opened]:
    """With Python loaded; from here on nothing is asked for any more, from the site neither."""
    shared.open_bert()
    shared.requests.clear()
    yield shared
    assert shared.requests == []


def agrees(visit: Opened, path: Path) -> None:
    """Compare the page with the package, on what it was given."""
    pipeline = Pipeline.from_file(path)
    for text in TEXTS:
        visit.type(text)
        rows = visit.rows()
        assert [*rows] == ["normalized", "pre-tokens", "tokens and ids", "decoded"]
        stages = pipeline.stages(text)
        (ids,) = rows["tokens and ids"]
        assert ids["ids"] == stages.ids == pipeline.encode(text)
        assert ids["added"] == len(stages.ids) - len(stages.tokens)
        assert len(rows["pre-tokens"][0]["chips"]) == len(stages.pre_tokens)
        assert rows["decoded"][0]["texts"][0] == pipeline.decode(stages.ids)
    findings = report(Files(path, asks=False)).findings
    assert visit.codes() == [[each.level, each.code] for each in findings]
    levels = [each.level for each in findings]
    worst = "BROKEN" if "fault" in levels else "CHECK" if "risk" in levels else "OK"
    said = visit.page.locator("#ttv-open-verdict").inner_text()
    assert said.startswith(f"{worst}: {levels.count('fault')} fault")


def test_what_the_book_has_is_opened(visit: Opened, tmp_path: Path) -> None:
    opener.write_own("gpt2", str(tmp_path))
    visit.press("GPT-2")
    visit.settle()
    agrees(visit, tmp_path)


def test_a_folder_is_inspected_with_all_its_files(visit: Opened, tmp_path: Path) -> None:
    folder = tmp_path / "my model"
    folder.mkdir()
    files = {
        "tokenizer": FAMILIES["Llama 3"](),
        "tokenizer_config": {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "</s>"},
        "chat_template.jinja": "{{ bos_token }}{{ messages[0].content }}",
        "model.safetensors": save({"wte.weight": np.zeros((9, 4))}),
        "notes.bin": bytes(100),
    }
    write(folder, files)
    visit.page.locator("input[webkitdirectory]").first.set_input_files(folder)
    visit.page.locator("#ttv-open-line-0", has_text="my model: 702 ids").wait_for()
    visit.settle()
    agrees(visit, folder)
    to_fix, _, rest = visit.page.locator("#ttv-open-found").inner_text().partition("Notes:")
    assert "fault table-short" in to_fix
    assert "note forgeable" in rest
    for code in ("eos-differs", "saved-padding"):  # not checked, and clean
        assert code not in visit.codes()
        assert visit.page.locator(".ttv-note code", has_text=code).count() == 1
    line = visit.page.locator(".ttv-finding.is-fault code", has_text="resize_token_embeddings(702)")
    assert line.count() == 1
    links = visit.page.locator(".ttv-finding a").evaluate_all("all => all.map(e => e.href)")
    assert links[0] == f"{visit.address}/book/wrong.html#{visit.codes()[0][1]}"


def test_what_cannot_be_opened_is_named(visit: Opened, tmp_path: Path) -> None:
    path = write(tmp_path, {"tokenizer": '{"model": {"type": "BPE", "vocab": {"a":'}) / FILE
    with pytest.raises(ValueError, match=FILE) as refused:
        Pipeline.from_file(path)
    visit.choose(path)
    said = str(refused.value).replace(str(tmp_path), "FOLDER")
    assert visit.line() == f"tokenizer.json: {said}"
    assert (visit.rows(), visit.codes()) == ({}, [])
    os.truncate(path, 41_000_000)
    visit.choose(path)
    assert "has 41 MB, and this page opens up to 40 MB" in visit.line()


@pytest.mark.parametrize("is_folder", [True, False])
def test_what_is_dropped_is_opened(visit: Opened, tmp_path: Path, is_folder: bool) -> None:
    folder = tmp_path / "dropped"
    (folder / "original").mkdir(parents=True)
    for place in (folder, folder / "original"):
        write(place, {"tokenizer": FAMILIES["T5"]()})
    dropped = folder if is_folder else folder / FILE
    mouse = visit.page.context.new_cdp_session(visit.page)
    data = {"items": [], "files": [str(dropped)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        event = {"type": kind, "x": 300, "y": 300, "data": data}
        mouse.send("Input.dispatchDragEvent", event)
    visit.page.locator("#ttv-open-line-0", has_text=f"{dropped.name}: 419 ids").wait_for()
    visit.settle()
    agrees(visit, dropped)


def test_what_changed_is_marked(visit: Opened) -> None:
    visit.type("Ä  [MASK]\tB")
    marked = """() => [...document.querySelectorAll(".ttv-stages > div:first-child bdi *")]
      .map(e => [e.localName, e.textContent])"""
    changed = [["del", "Ä"], ["ins", "a"], ["del", "⇥B"], ["ins", "␣b"]]
    assert visit.page.evaluate(marked) == changed
    visit.type("hello")
    assert visit.page.evaluate(marked) == []
    assert "Nothing was changed." in visit.page.locator(".ttv-stages dd").first.inner_text()


@given(st.text("aÀb ▁", max_size=30), st.text("aàb ▁", max_size=30))
def test_pieces_of_two_texts_are_the_texts(old: str, new: str) -> None:
    pieces = list(opener.changes(old, new))
    assert "".join(was for was, _ in pieces) == old
    assert "".join(now for _, now in pieces) == new
    assert (old == new) == all(was == now for was, now in pieces)


def test_two_are_compared(visit: Opened, tmp_path: Path) -> None:
    content = FAMILIES["BERT"]()
    path = write(tmp_path, {"tokenizer": content}) / FILE
    visit.choose(path, slot=1)
    visit.type("a b")
    summary = visit.page.locator("#ttv-open-rows > .ttv-summary")
    first, second = visit.rows()["tokens and ids"]
    assert second["ids"] == Pipeline(content).encode("a b")
    differ = f"BERT has the id {first['ids'][0]}, tokenizer.json has the id {second['ids'][0]}."
    assert summary.inner_text() == f"The ids differ first at index 0: {differ}"
    assert visit.page.locator(".ttv-stages .is-new").count() == 2
    write(tmp_path, {"tokenizer": FAMILIES["Llama 3"]()})  # under the same name
    visit.choose(path, slot=1)
    assert summary.inner_text().endswith(f"has the id {Pipeline.from_file(path).encode('a b')[0]}.")
    visit.press("BERT")
    visit.settle()
    assert summary.inner_text() == "BERT and BERT give the same ids."


def test_anyone_can_read_it(shared: Opened) -> None:
    check_looks(shared.page)


def test_stop_ends_python_and_the_keyboard_starts_it_again(fresh: Opened) -> None:
    fresh.press("GPT-2")
    fresh.page.get_by_role("button", name="Stop").press("Enter")
    fresh.page.locator("#ttv-open-line-0", has_text="Stopped").wait_for()
    assert_no_worker(fresh.page)
    fresh.page.get_by_role("button", name="BERT").first.press("Enter")
    fresh.page.locator(".ttv-finding").first.wait_for(timeout=2 * MINUTE)
    assert fresh.line() == "BERT: 30,522 ids."


def test_a_file_that_hangs_is_stopped_and_the_first_stays(fresh: Opened, tmp_path: Path) -> None:
    content = {"model": of("BPE", vocab={"a": 0}, merges=[]), "pre_tokenizer": split("(a|a)*b")}
    fresh.open_bert()
    fresh.choose(write(tmp_path, {"tokenizer": content}) / FILE, slot=1)
    fresh.page.evaluate("TextToVectors.patience = 5000")
    fresh.page.fill("#ttv-open-text", "a" * 60)
    fresh.page.locator("#ttv-open-line-1", has_text="too long and was stopped").wait_for()
    fresh.settle()
    assert fresh.line() == "BERT: 30,522 ids."
    fresh.type("a [SEP] b")
    assert fresh.rows()["tokens and ids"][0]["ids"] == [101, 1037, 102, 1038, 102]


def test_a_link_of_a_chapter_opens_its_example(fresh: Opened, site: Path) -> None:
    pages = [page.read_text(encoding="utf-8") for page in (site / "book").glob("*.html")]
    links = re.findall(r'href="open-tokenizer\.html#([^"]+=[^"]+)"', html.unescape("".join(pages)))
    names = {name for link in links for name in parse_qs(link).get("tokenizer", [])}
    assert names == {"gpt2", "o200k", "bert"}
    (link,) = [link for link in links if parse_qs(link)["text"] == ["a [SEP] b"]]
    fresh.page.goto("about:blank")
    fresh.go(f"{PAGE}#{link}")
    fresh.page.locator("#ttv-open-line-0", has_text="BERT: 30,522").wait_for(timeout=MINUTE)
    fresh.settle()
    assert fresh.rows()["tokens and ids"][0]["ids"] == [101, 1037, 102, 1038, 102]


def test_gpt2_is_there_before_python(fresh: Opened) -> None:
    fresh.page.locator("#ttv-open-line-0", has_text="GPT-2: 50,257 ids.").wait_for()
    text = fresh.page.input_value("#ttv-open-text")
    assert fresh.rows()["tokens and ids"][0]["ids"] == gpt2().encode(text)
    assert not any("worker" in request for request in fresh.requests)


def test_what_is_missing_is_said(context: BrowserContext, address: str, site: Path) -> None:
    page = context.new_page()
    how, panels = page.locator("#ttv-open-how"), page.locator(".ttv-panel:visible")
    page.goto((site / PAGE).as_uri())
    assert "opened from a disk" in how.inner_text()
    assert panels.count() == 0
    page.route("**/version.txt", lambda route: route.fulfill(body=""))
    page.goto(f"{address}/{PAGE}")
    how.filter(has_text="built without Python").wait_for()
    assert panels.count() == 0
    page.close()
