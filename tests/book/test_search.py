"""The search, and the entries that terms show, in a browser: from a server and from the disk."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from accessibility import check_looks, violations
from playwright.sync_api import Browser, BrowserContext, Page
from visits import QUIET, Visit, in_peace, show
from wrong_page import ENTRIES

TERM = 'a[href="glossary.html#term-unknown-token"]'
ASKED = {
    "ChatGPT": "why-can-chatgpt-not-count-the-letters-of-strawberry",
    "can I use another tokenizer?": "can-i-use-another-tokenizer-with-my-model",
    "add a new token": "how-do-i-add-a-token-and-does-it-work-at-once",
    "count the letters of strawberry": "why-can-chatgpt-not-count-the-letters-of-strawberry",
    "same word, different token id": "why-does-the-same-word-have-different-token-ids",
    "what does Ġ mean": "what-do-g-and-in-tokens-mean",
    "words per token": "how-many-tokens-is-a-text-and-why-does-my-language-need-more",
    "count tokens of Claude": "how-do-i-count-tokens-for-a-model-whose-tokenizer-is-not-public",
    "vocab_size and len(tokenizer)": "why-is-vocab-size-larger-than-the-number-of-tokens",
    "text longer than context": "my-text-is-longer-than-the-context-what-now",
    "sentence embedding or token embedding": "token-embedding-or-sentence-embedding"
    "-which-vector-do-i-need",
}
"""Questions in other words; each is answered in one of the first five places."""

PASTED = {
    "AttributeError: 'list' object has no attribute 'keys'": "m-keys",
    "AttributeError: 'BatchEncoding' object has no attribute 'shap'": "m-batch",
    "'Qwen3Config' object has no attribute 'rope_theta'": "m-rope",
    "XLMRobertaTokenizer has no attribute batch_encode_plus": "m-attribute",
    "AttributeError: Qwen2Tokenizer has no attribute all_special_tokens_extended. Did you mean: "
    "'num_special_tokens_to_add'?": "m-attribute",
    "AttributeError: GPT2Tokenizer has no attribute additional_special_tokens": "m-attribute",
    "ValueError: too many values to unpack (expected 2)": "m-class",
    "ValueError: Converting from Tiktoken failed, if a converter for SentencePiece is available, "
    "provide a model path": "m-protobuf",
    "RuntimeError: The expanded size of the tensor (777) must match the existing size (512) at "
    "non-singleton dimension 1.  Target sizes: [1, 777].  Tensor sizes: [1, 512]": "m-expanded",
    r"ValueError: Error parsing line b'\x0e' in /home/me/x/tokenizer.model": "m-protobuf",
    "Error: device-side assert triggered": "m-index",
    "pyo3_runtime.PanicException: called `Result::unwrap()` on an `Err` value: "
    "RuntimeError(StackOverflow)": "m-regex",
    r"UnicodeEncodeError: 'utf-8' codec can't encode character '\ud83d' in position 0: surrogates "
    "not allowed": "m-surrogate",
    "ValueError: invalid literal for int() with base 10: 'input_ids'": "m-batch",
    "prefix cache misses on every turn": "s-prefix",
    "keeps generating until max_new_tokens": "s-stops",
    "ids differ from llama.cpp": "s-ids",
    "fix_mistral_regex": "m-mistral",
    "RuntimeError: Already borrowed": "m-borrowed",
    "loss is NaN after add_tokens": "s-nan",
    "enable_thinking": "s-thinking",
    "trust_remote_code": "m-remote",
    "TextIteratorStreamer": "s-stream",
    "padding_side": "m-right",
    "printing tokens shows �": "s-stream",
    "decoding loses spaces": "lossy",
    "vocab.txt ids off by one": "list-differs",
    "error <|endoftext|> tiktoken": "m-special",
    "padding left or right": "m-right",
}
"""Messages with other numbers and names than their entries, symptoms, names; the entry is first."""

SEARCHED = {
    "BPE": "bpe",
    "tokens": "glossary#term-token",
    "Layer  normalization": "glossary#term-layer-normalization",
    "512": "bert-input#what-if-a-text-has-more-than-512-tokens",
    "50257": "gpt2-tokenizer#what-is-in-the-vocabulary-and-how-is-it-saved",  # text: 50,257
    "train_bpe": "api/bpe#companion.bpe.train_bpe",
    "nearest neighbours of rabbits": "training#which-rows-are-nearest-to-a-name",
    "SimpleTokenizerV1": "words#split-number-look-up",
    "SimpleTokenizerV2": "words#words-that-are-not-in-the-vocabulary",
    "GPTDatasetV1": "windows#batches",
    "create_dataloader_v1": "windows#batches",
    "wte": "gpt2-input#how-do-you-load-the-published-tables",
    "tok_emb pos_emb": "gpt2-input#two-tables-and-their-sum",
    "token_type_ids": "bert-input#token-ids-segment-ids-and-positions",
    "attention_mask": "glossary#term-attention-mask",
    "position_ids": "positions#which-positions-do-padded-tokens-get",
    "lm_head": "gpt2-input#from-vectors-back-to-tokens-logits",
    "block_size": "glossary#term-context-size",
    "vocab_size": "questions#why-is-vocab-size-larger-than-the-number-of-tokens",
    "nn.Embedding": "token-embeddings#a-lookup-table",
    "minbpe get_stats": "bpe#one-step-in-python",
    "eos_token_id": "libraries#who-ends-a-turn",
    "modules_to_save embed_tokens": "questions#how-do-i-add-a-token-and-does-it-work-at-once",
    "text-embedding-3-small": "questions#how-do-i-cut-documents-for-search-rag-chunking",
    "dense vector": "glossary#term-embedding",
    "word2vec": "training#why-tokens-become-neighbours",
    "positional encoding": "glossary#term-positional-encoding",
    "absolute positional embedding": "glossary#term-position-embedding",
    "CLS": "glossary#term-CLS",
    "SEP": "glossary#term-SEP",
    "subword tokenization": "bpe",
    "byte-level BPE": "gpt2-tokenizer",
    "BBPE": "gpt2-tokenizer",
    "OOV": "words#words-that-are-not-in-the-vocabulary",
    "lookup table": "token-embeddings#a-lookup-table",
    "embedding layer": "token-embeddings#a-lookup-table",
    "masked language model": "glossary#term-MASK",
    "next sentence prediction": "bert-input#token-ids-segment-ids-and-positions",
    "weight tying": "glossary#term-weight-tying",
    "self-attention": "glossary#term-attention",
    "query key value": "glossary#term-query",
    "rotary position embedding": "glossary#term-RoPE",
    "static embeddings": "training#does-a-row-change-with-the-sentence",
    "mean pooling": "glossary#term-pooling",
    "perplexity": "choosing#what-is-perplexity-and-can-you-compare-it",
    "temperature": "questions#what-do-temperature-and-top-p-do",
    "causal attention mask": "glossary#term-causal-mask",
    "LoRA": "questions#how-do-i-add-a-token-and-does-it-work-at-once",
    "RAG": "questions#how-do-i-cut-documents-for-search-rag-chunking",
    "chunk overlap": "questions#how-do-i-cut-documents-for-search-rag-chunking",
    "vector database": "questions#how-do-i-cut-documents-for-search-rag-chunking",
    "BPE dropout": "unigram#other-cuts-of-the-same-text-subword-regularization",
    "model never stops": "wrong#s-stops",
    "fine-tuned model does not stop talking": "wrong#s-stops",
    "eos token masked in labels": "wrong#s-stops",
    "weird symbols Ġ in output": "wrong#s-spaces",
    "question mark boxes when streaming": "wrong#s-stream",
    "spaces missing after decode": "wrong#s-spaces",
    "every word is [UNK]": "wrong#case-lost",
    "embeddings got worse after upgrading transformers": "wrong#s-ids",
    "new tokens are not learned": "wrong#s-new",
    "streamed character appears twice": "wrong#s-stream",
    "double bos token": "wrong#s-twice",
    "add_eos_token ignored": "wrong#s-bos",
    "additional_special_tokens ignored extra_special_tokens": "wrong#token-not-there",
    "tokenizer adds a space at the beginning": "wrong#prefix-space",
    "Claude token count wrong":
        "questions#how-do-i-count-tokens-for-a-model-whose-tokenizer-is-not-public",
    "tokenizer out of memory training": "wrong#no-pre-tokenizer",
    "IndexError: index out of range in self": "wrong#m-index",
    "RuntimeError: The size of tensor a (600) must match the size of tensor b (512) at "
    "non-singleton dimension 1": "wrong#m-size",
    "Asking to pad but the tokenizer does not have a padding token": "wrong#m-pad",
    "ValueError: EOS token '<eos>' not found in chat_template": "wrong#s-stops",
    "why does my language cost more tokens": "choosing#why-do-some-languages-cost-more",
    "what is an embedding": "glossary#term-embedding",
    "how are emojis tokenized": "bytes",
    "can I add my own words to the tokenizer":
        "questions#how-do-i-add-a-token-and-does-it-work-at-once",
    "difference between BPE and WordPiece": "unigram#the-same-words-three-methods",
    "three sentences in BERT": "questions#can-bert-take-three-texts",
    "open in colab": "index#how-do-i-read-and-run-it",
    "where does Llama add positions": "relative-positions#where-does-llama-add-positions",
}  # fmt: skip
"""What people type, and the place that comes first."""


@pytest.fixture(params=["server", "disk"])
def visit(browser: Browser, site: Path, request: Any) -> Iterator[Visit]:
    is_disk = request.param == "disk"
    base = site.as_uri() if is_disk else request.getfixturevalue("address")
    with (
        browser.new_context(**QUIET) as context,
        in_peace(Visit(context.new_page(), base)) as visit,
    ):
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
    places = {query: found(query)[1:6] for query in ASKED}
    assert {q: p for q, p in places.items() if f"questions.html#{ASKED[q]}" not in p} == {}
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
    assert {query: found(query)[1] for query in PASTED} == {
        query: entry[name] for query, name in PASTED.items()
    }
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
    assert entry.inner_text().startswith("unknown token\n")
    assert "outside the vocabulary" in entry.inner_text()
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
    assert is_in_view(page)
    page.keyboard.press("Tab")
    entry.wait_for(state="hidden")


def is_in_view(page: Page) -> bool:
    inside = """e => {
      const { left, top, right } = e.getBoundingClientRect();
      return left >= 0 && top >= 0 && right <= innerWidth;
    }"""
    return bool(page.locator("#ttv-term").evaluate(inside))


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
        assert is_in_view(page)
        page.locator("h1").last.tap()
        entry.wait_for(state="hidden")
        term.tap()
        entry.wait_for()
        term.tap()
        page.wait_for_url("**/glossary.html#term-unknown-token")
