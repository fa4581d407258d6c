"""The search, and the entries that terms show, in a browser: from a server and from the disk."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from accessibility import check_looks, violations
from playwright.sync_api import Browser, BrowserContext
from visits import Visit, in_peace, show
from wrong_page import ENTRIES

TERM = 'a[href="glossary.html#term-unknown-token"]'
ASKED = {
    "ChatGPT": "why-can-chatgpt-not-count-the-letters-of-strawberry",
    "same word, different token id": "why-does-the-same-word-have-different-token-ids",
    "what does Ġ mean": "what-do-g-and-in-tokens-mean",
    "text longer than context": "my-text-is-longer-than-the-context-what-now",
}
"""Questions in other words; each is answered in one of the first five places."""

PASTED = {
    "AttributeError: 'list' object has no attribute 'keys'": "m-keys",
    "AttributeError: 'BatchEncoding' object has no attribute 'shap'": "m-batch",
    "AttributeError: Qwen2Tokenizer has no attribute all_special_tokens_extended. Did you mean: "
    "'num_special_tokens_to_add'?": "m-attribute",
    "RuntimeError: The expanded size of the tensor (777) must match the existing size (512) at "
    "non-singleton dimension 1.  Target sizes: [1, 777].  Tensor sizes: [1, 512]": "m-expanded",
    "Error: device-side assert triggered": "m-index",
    "error <|endoftext|> tiktoken": "m-special",
    "prefix cache misses on every turn": "s-prefix",
    "ids differ from llama.cpp": "s-ids",
    "printing tokens shows �": "s-stream",
    "fix_mistral_regex": "m-mistral",
    "padding_side": "m-right",
    "decoding loses spaces": "lossy",
    "vocab.txt ids off by one": "list-differs",
}
"""Messages with other numbers and names than their entries, symptoms, names; the entry is first."""

TYPED = {
    "bpe": "BPE | subword tokenization",
    "gpt2-tokenizer": "byte-level BPE | BBPE",
    "gpt2-tokenizer#what-is-in-the-vocabulary-and-how-is-it-saved": "50257",  # text: 50,257
    "bert-input#what-if-a-text-has-more-than-512-tokens": "512",
    "bert-input#token-ids-segment-ids-and-positions": "token_type_ids | next sentence prediction",
    "gpt2-input#two-tables-and-their-sum": "tok_emb pos_emb",
    "relative-positions#where-does-llama-add-positions": "where does Llama add positions",
    "token-embeddings#a-lookup-table": "nn.Embedding | lookup table",
    "training#which-rows-are-nearest-to-a-name": "nearest neighbours of rabbits",
    "unigram#the-same-words-three-methods": "difference between BPE and WordPiece",
    "windows#batches": "GPTDatasetV1 | create_dataloader_v1",
    "words#words-that-are-not-in-the-vocabulary": "SimpleTokenizerV2 | OOV",
    "choosing#why-do-some-languages-cost-more": "why does my language cost more tokens",
    "index#how-do-i-read-and-run-it": "open in colab",
    "api/bpe#companion.bpe.train_bpe": "train_bpe",
    "glossary#term-token": "tokens",
    "glossary#term-layer-normalization": "Layer  normalization",
    "glossary#term-embedding": "what is an embedding | dense vector",
    "glossary#term-RoPE": "rotary position embedding",
    "questions#how-do-i-cut-documents-for-search-rag-chunking": "RAG | text-embedding-3-small",
    "questions#how-do-i-add-a-token-and-does-it-work-at-once":
        "LoRA | can I add my own words to the tokenizer",
    "wrong#s-stops": "model never stops | fine-tuned model does not stop talking",
    "wrong#s-spaces": "weird symbols Ġ in output | spaces missing after decode",
    "wrong#s-stream": "question mark boxes when streaming",
    "wrong#s-ids": "embeddings got worse after upgrading transformers",
    "wrong#m-index": "IndexError: index out of range in self",
    "wrong#m-pad": "Asking to pad but the tokenizer does not have a padding token",
}  # fmt: skip
"""Places, and what people type who want to go there: each comes first."""
SEARCHED = {query: place for place, queries in TYPED.items() for query in queries.split(" | ")}


@pytest.fixture(params=["server", "disk"])
def visit(context: BrowserContext, site: Path, request: Any) -> Iterator[Visit]:
    is_disk = request.param == "disk"
    base = site.as_uri() if is_disk else request.getfixturevalue("address")
    with in_peace(Visit(context.new_page(), base)) as visit:
        yield visit


@pytest.fixture
def found(context: BrowserContext, address: str) -> Iterator[Callable[[str], list[str]]]:
    """What the search page says of a query: its places, and what it says above them."""
    with in_peace(Visit(context.new_page(), address)) as visit:
        visit.go("search.html")
        places = visit.page.locator("#search-results li > a")
        said = visit.page.get_by_role("status")

        def ask(query: str) -> list[str]:
            said.evaluate("line => { line.textContent = ''; }")
            visit.page.fill(".bd-search-container input", query)
            visit.page.wait_for_function("line => line.textContent", arg=said.element_handle())
            here = "all => all.map(a => decodeURIComponent(a.href.replace(/.*\\/book\\//, '')))"
            return [said.inner_text(), *places.evaluate_all(here)]

        yield ask


def test_search_finds_the_sections_that_answer(found: Callable[[str], list[str]]) -> None:
    for query, place in ASKED.items():
        assert f"questions.html#{place}" in found(query)[1:6], query
    assert {query: found(query)[1].replace(".html", "") for query in SEARCHED} == SEARCHED
    for nothing in ("zyzzyva", "quantization", "7" * 5000):
        said, *others = found(nothing)
        assert "Nothing" in said
        assert others == []
    # Places that say the same are in the order of the book.
    pages = dict.fromkeys(place.partition(".")[0] for place in found("unbelievability")[1:])
    assert [*pages][:3] == ["gpt2-tokenizer", "wordpiece", "choosing"]


def test_search_finds_the_row_of_a_message_and_says_what_it_does_not_know(
    found: Callable[[str], list[str]],
) -> None:
    ids = [re.findall(r"\{#([\w-]+)\}", title + said) for title, said in ENTRIES]
    entry = {name: f"wrong.html#{names[0]}" for names in ids for name in names}
    expected = {query: entry[name] for query, name in PASTED.items()}
    assert {query: found(query)[1] for query in PASTED} == expected
    for unknown in ("'list' object has no attribute 'foo'", "ImportError: no zyzzyva here"):
        said, *places = found(unknown)
        assert "does not explain" in said
        assert not [place for place in places if "wrong" in place]
    assert "does not explain" in found("RuntimeError: CUDA out of memory")[0]


def test_search_answers_while_one_types_and_the_keyboard_leads_to_the_section(
    visit: Visit,
) -> None:
    page, title = visit.page, "The best cut: the Viterbi algorithm"
    visit.go("book/words.html")
    page.keyboard.press("ControlOrMeta+k")
    page.keyboard.type("viterbi algorithm")
    results = page.locator("#search-results li")
    results.locator("mark", has_text="viterbi").first.wait_for()  # answers come while one types
    check_looks(page, "#pst-search-dialog")
    while title not in page.evaluate("document.activeElement.textContent"):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/unigram.html#the-best-cut-the-viterbi-algorithm")
    page.keyboard.press("ControlOrMeta+k")
    page.keyboard.type("viterbi")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=viterbi")
    results.get_by_role("link", name=title).wait_for()
    check_looks(page, "#search-results")


def test_a_term_shows_its_entry(visit: Visit) -> None:
    page = visit.page
    page.goto(f"{visit.address}/book/words.html", wait_until="load")
    assert not [url for url in visit.requests if "terms.js" in url and "search/" in url]
    entry, term = page.get_by_role("tooltip"), page.locator(TERM).first
    term.hover()
    entry.wait_for()
    assert re.match(r"unknown token\n.*outside the vocabulary", entry.inner_text(), re.DOTALL)
    assert term.get_attribute("aria-describedby") == entry.get_attribute("id")
    entry.hover()  # one can read on, and select
    page.wait_for_timeout(400)
    for theme in ("light", "dark"):
        show(page, 1280, theme)
        assert visit.address.startswith("file:") or violations(page, "#ttv-term") == []
    page.keyboard.press("Escape")
    assert entry.count() == 0
    page.keyboard.press("Tab")  # from now on the focus is the keyboard's
    term.focus()
    entry.wait_for()
    page.keyboard.press("Tab")
    entry.wait_for(state="hidden")


def test_a_finger_shows_an_entry_first_and_follows_the_link_then(
    browser: Browser, address: str
) -> None:
    with browser.new_context(has_touch=True, viewport={"width": 390, "height": 800}) as context:
        page = context.new_page()
        page.goto(f"{address}/book/words.html")
        term, entry = page.locator(TERM).first, page.get_by_role("tooltip")
        term.tap()
        entry.wait_for()
        assert page.url.endswith("words.html")
        page.locator("h1").last.tap()
        entry.wait_for(state="hidden")
        term.tap()
        entry.wait_for()
        term.tap()
        page.wait_for_url("**/glossary.html#term-unknown-token")
