"""Cells that run in the page: the answers of Python, whatever is typed, and nothing is sent."""

import contextlib
import io
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from accessibility import check_looks
from docutils import nodes
from docutils.utils import new_document
from playwright.sync_api import Browser, BrowserContext, Locator, Route
from visits import QUIET, Visit, assert_no_worker, in_peace

from ttv.run_here import Cell, Plan, _cells, plan_of, tried
from workbook.exercises import Exercise, chapters, find

OTHER_PAGES = (
    "start", "bytes", "bpe", "gpt2-tokenizer", "wordpiece", "unigram", "choosing", "streaming",
    "own-tokenizer", "one-file",
)  # fmt: skip
"""Pages with cells that run, beside `words`."""
ROOT = Path(__file__).parents[2]
WITH_CELLS = [path.stem for path in sorted(ROOT.glob("book/*.md"))
              if "{code-cell}" in path.read_text("utf-8")]  # fmt: skip


# --- which cells, and what comes before them ------------------------------------------------------


def plan_alone(cells: list[Cell], folder: Path) -> tuple[Plan, list[str]]:
    """Plan cells, and say what each needs."""
    found = tried(cells, folder, folder / "kept")
    return plan_of(cells, found), [" ".join(needs) for _, needs in found]


def test_a_cell_runs_unless_it_needs_a_package_or_what_another_made_with_one(
    tmp_path: Path,
) -> None:
    cells = [
        Cell("import re\nimport torch\nfrom companion import words\nfrom workbook import plots"),
        Cell("x = 1\nx = torch.ones(3)\nstory = 'a b'"),
        Cell("print(words.tokenize(story))"),
        Cell("def f(x):\n    return [x for x in x]"),
        Cell("print(x)"),
        Cell("for x in [1]:\n    print(x)"),
        Cell("print(x)"),
        Cell("ax = plots.text_to_ids(story)"),
        Cell("from companion.windows import window_count"),
        Cell("made = []\nmade.append(torch.ones(1))"),
        Cell("made[0]"),  # fails for want of what needs a package
        Cell("from companion.bpe import gpt2\ngpt2().encode(story)"),
        Cell("gpt2().to_tiktoken('gpt2')"),
        Cell("import subprocess"),
        Cell("words.tokenize(1)\nimport torch", may_fail=True),  # before it comes to torch
    ]
    plan, needs = plan_alone(cells, tmp_path)
    expected = {0: "matplotlib torch", 1: "torch", 4: "torch", 7: "matplotlib", 8: "numpy",
             9: "torch", 10: "matplotlib numpy torch", 12: "tiktoken",
             13: "subprocess"}  # fmt: skip
    assert needs == [expected.get(i, "") for i in range(len(cells))]
    assert [name is None for name in plan.names] == [i in expected for i in range(len(cells))]
    with pytest.raises(subprocess.CalledProcessError):
        plan_alone([Cell("1 / 0")], tmp_path)
    assert plan.pieces[:2] == ["import re\nfrom companion import words", "x = 1\nstory = 'a b'"]


def test_cells_are_tried_again_when_they_or_the_package_change(tmp_path: Path) -> None:
    kept, cells = tmp_path / "page.json", [Cell("open('runs', 'a').write('x')")]
    for state, n_runs in (("a", 1), ("a", 1), ("b", 2)):
        assert tried(cells, tmp_path, kept, state) == [[cells[0].code, []]]
        assert len((tmp_path / "runs").read_text()) == n_runs
    tried([*cells, Cell("1")], tmp_path, kept, "b")
    assert len((tmp_path / "runs").read_text()) == 3


def test_before_an_answer_comes_the_chapter_but_no_answer_and_no_other_solution(
    tmp_path: Path,
) -> None:
    cells = [
        Cell("a = 1"),
        Cell('b = ...\ncheck("words.case", b)', is_stub=True),
        Cell("b = 2", solution="first"),
        Cell("print(b)", solution="first"),
        Cell('b = ...\ncheck("words.unknown", b)', is_stub=True),
        Cell("print(a)", solution="second"),
        Cell('n = ...\ncheck("windows.twice", n)', is_stub=True),
        Cell("import torch\nx = torch.ones(1)", solution="third"),
        Cell("print(x)", solution="third"),
        Cell(
            'def f(): ...\nf = check("windows.windows", f)', is_stub=True
        ),  # the page goes on with it
        Cell("f()"),
    ]
    plan, needs = plan_alone(cells, tmp_path)
    assert (plan.names[1], plan.names[4]) == ("words.case", "words.unknown")
    assert plan.names[6] is None  # its checker needs torch
    assert needs[6:] == ["torch"] * 3 + [""] * 2
    before = {name: [plan.pieces[i] for i in plan.before[name]] for name in plan.before}
    assert before["words.case"] == before["words.unknown"] == ["a = 1"]
    assert before[plan.names[3] or ""] == ["a = 1", "b = 2"]
    assert before[plan.names[5] or ""] == before["windows.windows"] == ["a = 1"]
    assert before[plan.names[10] or ""] == ["a = 1", cells[9].code]


def test_the_code_of_a_folded_cell_is_not_what_it_printed() -> None:
    output = nodes.container("", nodes.literal_block("", "5"), nb_element="cell_code_output")
    source = nodes.container("", nodes.literal_block("", "n"), nb_element="cell_code_source")
    cell = nodes.container("", output, nodes.Element("", source), nb_element="cell_code")
    page = new_document("page")
    page += cell
    assert _cells(page) == [Cell("n")]


# --- in the browser -------------------------------------------------------------------------------

# A start of Python in a page takes seconds. So the tests of `words` share its page, and where one
# ends its Python, the next one's run is the first of a new start.


UNFOLD = """cell => [cell.closest("details"), ...cell.querySelectorAll("details")]
  .forEach(each => each?.setAttribute("open", ""))"""
"""A solution is folded, and so are some cells."""


class Cells(Visit):
    """A page with cells that can run."""

    def find(self, name: str) -> Locator:
        return self.page.locator(f'[data-run="{name}"]')

    def names(self, selector: str = "") -> list[str]:
        marked = self.page.locator(f"{selector}[data-run]")
        found: list[str] = marked.evaluate_all("all => all.map(e => e.dataset.run)")
        return found

    def press(self, name: str, button: str = "Run", code: str | None = None) -> None:
        """Press a button of a cell, with other code in it if that is given."""
        self.find(name).evaluate(UNFOLD)
        if code is not None:
            self.find(name).locator("textarea").fill(code)
        # Without a pointer, which takes longer than the run.
        self.find(name).locator("button", has_text=button).dispatch_event("click")

    def wait(self, name: str, text: str = r"\(\d") -> str:
        status = self.find(name).locator(".ttv-run-status", has_text=re.compile(text))
        status.wait_for()
        return status.inner_text()

    def output(self, name: str) -> str:
        return "".join(self.find(name).locator(".ttv-run-output pre").all_text_contents())

    def forget(self, answer: str) -> None:
        """Ask to delete all that was typed, and answer the question whether that is meant."""
        self.page.once("dialog", lambda dialog: getattr(dialog, answer)())
        self.page.get_by_role("button", name="Delete what I typed").click()
        kept = self.page.evaluate("Object.keys(localStorage).filter(key => /^text/.test(key))")
        assert (kept == []) == (answer == "accept")

    def run(self, name: str, code: str | None = None) -> str:
        """Run a cell, with other code if it is given, and return its output."""
        self.press(name, code=code)
        self.wait(name)
        return self.output(name)


@contextlib.contextmanager
def opened(context: BrowserContext, address: str, name: str) -> Iterator[Cells]:
    """Open a page, from which nothing goes anywhere."""
    with in_peace(Cells(context.new_page(), address)) as cells:
        cells.go(f"book/{name}.html")
        yield cells


@pytest.fixture(scope="module")
def words(context: BrowserContext, address: str, python_in_the_page: Path) -> Iterator[Cells]:
    """One chapter, whose worker the tests share."""
    with opened(context, address, "words") as cells:
        yield cells


def in_python(code: str) -> str:
    """Return what a cell prints here."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(code, {})
    return printed.getvalue()


CHECK = "from workbook import check\n"
RIGHT = f'{CHECK}check("words.case", 31)\n'
BOTH = f'{RIGHT}check("words.case", 348)\n'


def assert_clean(cells: Cells) -> None:
    """The next run knows nothing of those before."""
    assert cells.run("words.case", BOTH) == in_python(BOTH)


def test_the_first_run_says_how_much_it_loads_and_loads_no_more(
    words: Cells, python_in_the_page: Path
) -> None:
    listed = json.loads((python_in_the_page / "files.json").read_text())
    names = [name.partition("?")[0] for name in listed["files"].values()]
    load = sum((python_in_the_page / name).stat().st_size for name in names)
    assert load == listed["size"] <= 8e6
    note = words.page.locator(".ttv-run-how")
    assert note.is_hidden()
    for name in ("words.case", "words.lossless"):  # it stays where the reader pressed first
        words.run(name)
        assert words.find("words.case").locator(note).is_visible()
    assert note.inner_text().startswith(f"The first run loads Python ({load / 1e6:.1f} MB).")
    for name, code in (
        ("o200k.bpe", "from companion.bpe import o200k\nprint(o200k().encode('Привет, мир!'))"),
        ("minilm.safetensors", "from companion.pretrained import row\nprint(row('rabbit')[:3])"),
    ):
        for n in range(2):  # what few cells need is fetched when one opens it, and once
            assert sum(name in url for url in words.requests) == n
            assert words.run("words.case", code) == in_python(code)
            assert sum(name in url for url in words.requests) == 1


def test_what_was_typed_and_passed_is_kept_until_it_is_forgotten(words: Cells) -> None:
    page, first, second = words.page, "words.case", "words.lossless"
    editors = [words.find(name).locator("textarea") for name in (first, second)]
    words.press(first, "Reset")
    original = [editor.input_value() for editor in editors]
    assert original[0].endswith('check("words.case", lost)')
    words.run(first, RIGHT)
    editors[1].fill("mine")
    words.reload()
    assert [editor.input_value() for editor in editors] == [RIGHT, "mine"]
    progress, stubs = page.locator(".ttv-progress"), words.names(".tag_stub")
    assert progress.inner_text() == f"1 of {len(stubs)} passed in this browser"
    listed = words.run(first, "check()")
    assert re.search(r"\[x\] words\.case[^$]+\[ \] words\.lossless", listed)
    words.press(first, "Reset")
    words.reload()
    assert [editor.input_value() for editor in editors] == [original[0], "mine"]
    words.forget("dismiss")
    assert editors[1].input_value() == "mine"
    words.forget("accept")
    assert progress.count() == 0
    words.reload()
    assert [editor.input_value() for editor in editors] == original


def test_what_another_tab_passed_is_not_lost(
    words: Cells, context: BrowserContext, address: str
) -> None:
    line = words.page.locator(".ttv-progress")
    with opened(context, address, "notation") as other:
        other.page.evaluate("localStorage['text-to-vectors answer words.lossless'] = '{}'")
        line.get_by_text("1 of").wait_for()  # a tab hears of it later
        words.run("words.case", RIGHT)
        assert line.inner_text().startswith("2 of")
        other.page.evaluate("localStorage.clear()")
        line.wait_for(state="detached")


# --- the reader's own functions -------------------------------------------------------------------

MINE = """from collections import Counter

def learn(words, n_merges):
    \"\"\"Mine.\"\"\"
    words, merges = [as_bytes(word) for word in words], []
    tokens = list(BYTES)
    while len(merges) < n_merges:
        pairs = Counter(pair for word in words for pair in zip(word, word[1:]))
        if not pairs:
            break
        pair = min(pairs, key=lambda p: (-pairs[p], tokens.index(p[0]), tokens.index(p[1])))
        words = [join(word, pair) for word in words]
        tokens.append(pair[0] + pair[1])
        merges.append(pair)
    return merges
"""
HANDED_IN = f'from workbook import check\n\n{MINE}\n\nlearn = check("bpe.learn", learn)'
WRONG = HANDED_IN.replace("(-pairs", "(pairs")
WHOSE = "print(learn.__doc__)"


@pytest.fixture(scope="module")
def bpe(context: BrowserContext, address: str, python_in_the_page: Path) -> Iterator[Cells]:
    with opened(context, address, "bpe") as cells:
        yield cells
        cells.page.evaluate("localStorage.clear()")


LATER = "bpe.ties"


def test_later_cells_use_what_the_reader_wrote_as_it_last_passed(bpe: Cells) -> None:
    assert "Learn merges" in bpe.run(LATER, WHOSE)
    assert "bpe.learn: not yet." in bpe.run("bpe.learn", WRONG)
    assert "Learn merges" in bpe.run(LATER, WHOSE)
    assert bpe.run("bpe.learn", HANDED_IN) == "bpe.learn: right.\n"
    assert bpe.run(LATER, WHOSE) == "Mine.\n"
    bpe.find("bpe.learn").locator("textarea").fill("to be mended")
    bpe.reload()
    assert bpe.run(LATER, WHOSE) == "Mine.\n"
    assert bpe.find("bpe.learn").locator("textarea").input_value() == "to be mended"
    bpe.press("bpe.learn", "What passed")
    assert bpe.find("bpe.learn").locator("textarea").input_value() == HANDED_IN


def test_another_chapter_goes_on_with_it_and_tells_it_from_ours(
    bpe: Cells, context: BrowserContext, address: str
) -> None:
    with opened(context, address, "training") as other:
        cell = other.page.locator("[data-run]", has_text="def learn(words")
        assert cell.locator(".ttv-yours").text_content() == MINE.strip()
        assert cell.get_by_text("Yours, marked: learn. The rest is ours.").count() == 1
        assert "def kind(" in cell.locator("textarea").input_value()
        name = other.names()[-1]
        other.run(name)  # now it can be changed
        assert other.run(name, WHOSE) == "Mine.\n"


def test_where_the_checker_has_changed_it_is_asked_again(bpe: Cells) -> None:
    change = """code => {
        const key = "text-to-vectors answer bpe.learn";
        localStorage[key] = JSON.stringify({ code, checker: "another" });
    }"""
    for code, whose in ((WRONG, "Learn merges"), (HANDED_IN, "Mine.")):
        bpe.page.evaluate(change, code)
        bpe.reload()
        assert whose in bpe.run(LATER, WHOSE)


def test_two_tabs_and_back_lose_nothing(bpe: Cells, context: BrowserContext, address: str) -> None:
    editor = bpe.find("bpe.learn").locator("textarea")
    editor.fill("older")
    with opened(context, address, "bpe") as other:
        other.run("bpe.learn", HANDED_IN)
        bpe.page.wait_for_function("e => e.value.includes('Mine')", arg=editor.element_handle())
        assert bpe.run("bpe.learn") == "bpe.learn: right.\n"
        bpe.go("book/notation.html")
        other.find("bpe.learn").locator("textarea").fill("newer")
        bpe.page.go_back()
        bpe.rest()
        assert editor.input_value() == "newer"
    assert bpe.run(LATER, WHOSE) == "Mine.\n"
    bpe.forget("accept")
    assert "Learn merges" in bpe.run(LATER, WHOSE)


CLOSED = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('closed'); }})"


def test_a_browser_that_keeps_nothing_keeps_it_while_the_page_is_open(
    browser: Browser, address: str, python_in_the_page: Path
) -> None:
    with browser.new_context(**QUIET) as context:
        context.add_init_script(CLOSED)
        with opened(context, address, "bpe") as cells:
            assert cells.run("bpe.learn", HANDED_IN) == "bpe.learn: right.\n"
            assert cells.run(LATER, WHOSE) == "Mine.\n"


def test_the_readers_file_is_put_together_checked_run_and_saved(
    context: BrowserContext, address: str, python_in_the_page: Path
) -> None:
    with opened(context, address, "one-file") as cells:
        kept = json.dumps({"code": HANDED_IN, "checker": ""})
        cells.page.evaluate("kept => localStorage['text-to-vectors answer bpe.learn'] = kept", kept)
        cells.reload()
        file = cells.find("my_file.py")
        assert file.locator(".ttv-yours").text_content() == MINE.strip()
        assert cells.run("one-file.file") == "one-file.file: right.\n"
        whole = file.locator("textarea").input_value()
        fast = whole.replace(", 300)", ", 20)").replace("range(5)", "range(1)")
        assert re.match(r"loss \d\.\d\d\n", cells.run("my_file.py", fast))
        with cells.page.expect_download() as download:
            file.locator("button", has_text="Download").click()
        assert download.value.suggested_filename == "my_file.py"
        assert Path(download.value.path()).read_text("utf-8") == fast
        other = b"def split(text):\n    return text.split()\n"
        file.locator("input[type=file]").set_input_files(
            {"name": "other.py", "mimeType": "text/x-python", "buffer": other}
        )
        assert "`split`: not yet." in (said := cells.run("one-file.file"))
        assert "`learn` is missing" in said
        cells.press("my_file.py", "Reset")
        assert file.locator("textarea").input_value() == whole
        cells.page.evaluate("localStorage.clear()")


# --- every answer, every cell ---------------------------------------------------------------------

SOLUTION = """e => {
  while (!e.matches(".solution")) e = e.nextElementSibling;
  const code = [...e.querySelectorAll("[data-run] .cell_input pre, .highlight-python pre")];
  return code.map(pre => pre.textContent).join("\\n");
}"""


def wrong_answers(exercise: Exercise) -> str:
    """Write a cell that checks wrong answers: all common mistakes, and two of another kind."""
    n = len(exercise.mistakes)
    answers = [f"find({exercise.name!r}).mistakes[{i}].answer" for i in range(n)]
    answers += ["lambda *arguments: []", "'no answer'"]
    calls = [f"_ = check({exercise.name!r}, {answer})" for answer in answers]
    return "\n".join(["from workbook.exercises import check, find", *calls])


# The checkers of each chapter are tested without a browser as well, so all pages but one mostly
# repeat that Python in the page is Python.
@pytest.fixture(
    scope="module",
    params=["words", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHER_PAGES)],
)
def cells(
    request: pytest.FixtureRequest, words: Cells, context: BrowserContext, address: str
) -> Iterator[Cells]:
    """Each page with cells that run."""
    if request.param == "words":
        yield words
    else:
        with opened(context, address, request.param) as cells:
            yield cells


def test_solutions_pass_and_wrong_answers_get_the_messages_of_python(cells: Cells) -> None:
    exercises = chapters().get(Path(cells.name).stem, ())
    stubs = cells.names(".tag_stub")
    assert {e.name for e in exercises if e.checked} == set(stubs)
    for name in stubs:
        exercise = find(name)
        assert isinstance(exercise, Exercise)
        is_file = name == "one-file.file"  # the page has the right one
        solution: Any = None if is_file else cells.find(name).evaluate(SOLUTION)
        if exercise.ours:
            solution += f"\nimport codecs\ncheck('{name}', {exercise.ours.__name__})"
        assert f"{name}: right.\n" in cells.run(name, solution)
        wrong = wrong_answers(exercise)
        expected = in_python(wrong)
        assert expected.count(f"{name}: ") >= 2
        assert f"{name}: right." not in expected
        assert cells.run(name, wrong) == expected
    ticked = cells.page.locator("nav.bd-links li.active:has(> a .ttv-tick)")
    assert stubs == [] or ticked.count()


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_CELLS)
def test_no_cell_lacks_a_name(
    context: BrowserContext, address: str, python_in_the_page: Path, name: str
) -> None:
    with opened(context, address, name) as cells:
        names = cells.names()
        for order in (names, names[::-1]):  # the second begins anew before each cell
            lacking = [each for each in order if "NameError" in cells.run(each)]
            assert lacking == []


# --- hostile answers ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "heard"),
    [
        ("def f(n):\n    return f(n + 1)\nf(0)", "RecursionError"),
        (
            "import sys\nsys.setrecursionlimit(10**6)\ndef f(n):\n    return f(n + 1)\nf(0)",
            "RecursionError",
        ),
        (
            "import sys\nsys.setrecursionlimit(10**6)\nf = lambda n: max(map(f, [n]))\nf(0)",
            "functions call each other too deep for a browser",
        ),
        ("import js", "ModuleNotFoundError"),
        ("import workbook.exercises as e\ne.check.__code__ = (lambda *a: None).__code__", ""),
        ("import sys\nsys.stdout = sys.stderr = None\nsys.modules.clear()", ""),
        ("x = [0] * 10**12", "Error"),
        # The worker is given back; the next run starts another.
        pytest.param("x = bytes(700_000_000)\nprint(len(x))", "700000000", marks=pytest.mark.slow),
        ("import sys\ndel sys.modules['js']\nimport js\njs.self.close()", ""),
        ("input()", "EOFError"),
        ("import urllib.request\nurllib.request.urlopen('http://192.0.2.1/', timeout=1)", "Error"),
        ("raise ValueError('\\ud800 is half')", "ValueError: \\ud800 is half"),
    ],
    ids=range(12),
)
def test_the_run_after_a_hostile_answer_is_clean(words: Cells, code: str, heard: str) -> None:
    words.press("words.case", code=code)
    words.wait("words.case", r"\(\d|Not run")
    assert heard in words.output("words.case")
    if "setrecursionlimit" in code:  # Pyodide writes to the console that it has broken down
        words.troubles.clear()
    assert_clean(words)


LOOK = """(cell, parts) => parts.map(name => {
  const all = [...cell.querySelectorAll(name)].filter(e => e.checkVisibility());
  const style = getComputedStyle(all.at(-1));
  return [...style].filter(property => !/size|height|origin/.test(property))
    .map(property => `${name} ${property}: ${style[property]}`);
})"""
"""The style of parts of a cell, but how high their content makes them."""


PARTS = ["pre", ".stream", ".stream pre"], [".traceback", ".traceback pre", ".ne"]


@pytest.mark.parametrize("parts", PARTS)
def test_what_a_cell_prints_here_looks_as_what_the_book_printed(
    words: Cells, parts: list[str]
) -> None:
    name = words.names(f":has({parts[1]})")[0]
    cell, code = words.find(name), words.find(name).locator(".cell_input pre")
    built, coloured = cell.evaluate(LOOK, parts), code.inner_html()
    words.run(name)
    assert cell.evaluate(LOOK, parts) == built
    assert coloured in code.inner_html()


# --- people ---------------------------------------------------------------------------------------


def test_with_the_keyboard_alone(words: Cells) -> None:
    editor = words.find("words.identity").locator("textarea")
    editor.fill("")
    editor.focus()
    press = words.page.keyboard.press
    words.page.keyboard.type("def f():\nreturn 5\n")
    press("Backspace")
    words.page.keyboard.type("print(f())")
    assert editor.input_value() == "def f():\n    return 5\nprint(f())"
    press("ControlOrMeta+Enter")
    words.wait("words.identity")
    assert words.output("words.identity") == "5\n"
    assert words.find("words.identity").get_by_role("status").inner_text() == "Done. 5"
    press("Tab")  # out of the editor
    press("Enter")
    words.wait("words.identity")
    # Not lost with the button that was hidden.
    assert words.page.evaluate("document.activeElement.textContent") == "Run"
    words.press("words.identity", "Reset")


def test_stop_ends_what_does_not_end(words: Cells) -> None:
    words.press("words.case", code="print('so far')\nwhile True: pass")
    words.wait("words.case", "Running")
    words.find("words.case").locator(".ttv-run-output pre", has_text="so far").wait_for()
    assert words.page.evaluate("1 + 1") == 2  # the page answers
    words.press("words.lossless")  # waits its turn
    words.wait("words.lossless", "Waiting")
    words.press("words.lossless", "Stop")
    words.press("words.case", "Stop")
    assert words.wait("words.case", "Stopped") == "Stopped"
    assert words.output("words.case") == "so far\n"
    assert_no_worker(words.page)


def test_python_that_cannot_be_loaded_is_tried_again_and_axe_finds_nothing_meanwhile(
    words: Cells,
) -> None:
    page, held = words.page, list[Route]()
    words.reload()
    assert words.troubles == []
    page.route("**/packages.whl*", lambda route: route.fulfill(status=404))
    words.press("words.case", code=f"x = '{'long ' * 60}'")
    words.wait("words.case", "Not run")
    assert re.search(r"^Python .* \(packages.whl.*again", words.output("words.case"))
    page.unroute("**/packages.whl*")
    page.route("**/packages.whl*", lambda route: held.append(route))
    words.press("words.case")
    words.press("words.lossless")
    words.wait("words.lossless", "Waiting")
    words.wait("words.case", r"Loading Python \d")
    check_looks(page, '[data-run="words.case"]')  # axe asks for style sheets where they are not
    for route in held:
        route.continue_()
    page.unroute("**/packages.whl*")
    words.wait("words.lossless")
    words.troubles.clear()
    assert_clean(words)


@pytest.mark.parametrize("name", ["own-tokenizer", "sinusoids"])  # with such cells, and without
def test_a_page_says_once_why_cells_have_no_button(site: Path, name: str) -> None:
    page = (site / "book" / f"{name}.html").read_text(encoding="utf-8")
    assert len(re.findall(r"need matplotlib[\w, ]+; they run in ", page)) == 1
    assert page.count('class="ttv-run-elsewhere"') == 1
