"""What is wrong with a tokenizer: for each code a folder that has it, and one that has not."""

import itertools
import json
import os
import re
import shlex
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save
from tokenizer_files import (
    FAMILIES,
    PADDING,
    TRUNCATION,
    added,
    bytes_of,
    charsmap,
    mended,
    of,
    replace,
    sequence,
    split,
    template,
    write,
)  # fmt: skip
from tokenizers import Tokenizer

import inspector
from companion.bpe import BYTE_TO_UNICODE
from companion.files import bundled_json
from inspector import Finding, Pipeline, check_texts, inspect_tokenizer
from inspector.__main__ import main
from inspector.files import TokenizerFiles
from inspector.inspection import report
from inspector.limits import within
from inspector.templates import first_written

CODES, TEXTS = (bundled_json("findings.json")[name] for name in ("codes", "texts"))
NAMES = [*(BYTE_TO_UNICODE[byte] for byte in range(256)), "<s>", "</s>", "<pad>", "in", "Ġa"]
VOCAB = {token: i for i, token in enumerate(NAMES)}
MODEL = of("BPE", vocab=VOCAB, merges=["i n", "Ġ a"])
BOS, START = added("<s>", 256), template("<s>:0 A:0", "<s>:0 A:0 B:0", {"<s>": 256})
SPECIALS: dict[str, Any] = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>"}
CONFIG = SPECIALS | {"model_max_length": 512}
WORDS = of("WordLevel", vocab={"[UNK]": 0, "a": 1, "b": 2, ".": 3, "é": 4}, unk_token="[UNK]")
CHAT = "{% for m in messages %}{{ '<|user|>' + m.content }}{% endfor %}"
LLAMA = (
    "{% for m in messages %}{% set content = '<|start|>' + m.content %}{% if loop.first %}"
    "{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}"
)


Files = dict[str, Any]


def folder(path: Path, changes: Files) -> Path:
    """Write a folder without a finding, but for the changes of its files; None is no file."""
    content: dict[str, Any] = {
        "model": MODEL, "pre_tokenizer": bytes_of(), "decoder": bytes_of(), "added_tokens": [],
    }  # fmt: skip
    files = {"tokenizer_config": CONFIG} | changes.get("files", {})
    files["tokenizer"] = {k: v for k, v in (content | changes).items() if k != "files"}
    return write(path, {name: what for name, what in files.items() if what is not None})


def found(path: Path) -> dict[str, Finding]:
    return {finding.code: finding for finding in inspect_tokenizer(path)}


def codes(path: Path) -> dict[str, str]:
    return {code: finding.what for code, finding in found(path).items()}


def files(**named: Any) -> Files:
    return {"files": named}


def model(**fields: Any) -> Files:
    return {"model": MODEL | fields}


def settings(**changed: Any) -> Files:
    """Return a folder's changes that are settings of the tokenizer."""
    return files(tokenizer_config=CONFIG | changed)


def of_config(**values: Any) -> Files:
    return files(config=values)


def chat(source: object, **changed: Any) -> Files:
    beside = settings(chat_template=source, **changed)
    return {"post_processor": START, "added_tokens": [BOS], **beside}


def of_llama(model_type: str) -> Files:
    beside = settings(tokenizer_class="LlamaTokenizerFast")["files"]
    return files(config={"model_type": model_type}, **beside)


GPT2 = {"tokenizer_class": "GPT2Tokenizer"}
SPACED = {"model": WORDS, "pre_tokenizer": of("Whitespace")}
PLAIN = sequence(normalizers=[of("NFD"), of("StripAccents")])
CLEANS = settings(clean_up_tokenization_spaces=True)  # ignored for BPE
ENDS = {"eos_token_id": [257, 3]}
CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m.role + m.content + '<|im_end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant' }}{% endif %}"
)
MARKS = [added("<|im_start|>", 261), added("<|im_end|>", 262)]


def tuned(template: str = CHATML, eos: str = "</s>", **more: Any) -> Files:
    beside = settings(eos_token=eos, chat_template=template)["files"]
    return {"added_tokens": MARKS, **files(**beside, **more)}


def listing(n: int) -> Files:
    """Return a folder whose class transformers builds, with so many of two tokens in a list."""
    tokens = {token["id"]: token for token in MARKS[:n]}
    return {"added_tokens": MARKS, **settings(**GPT2, added_tokens_decoder=tokens)}


NESTED = {"eos_token_id": 257, "text_config": {"eos_token_id": 257}}

# The code; what a folder has that has it; what one has that has not; the finding, and its fix.
CASES: list[tuple[str, Files, Files, str]] = [
    ("bos-twice", chat(LLAMA), chat(CHAT), r"begins with '<s>'.*: \['<s>', '<s>', 'a'\]"),
    ("bos-twice", chat([{"name": "default", "template": "<s>{{ x }}"}]), chat(LLAMA) | {
        "post_processor": None}, "begins with '<s>'"),
    ("class-overrides-file", {"normalizer": of("NFD")} | of_llama("qwen2"), of_llama("mistral"),
     "builds Qwen2Tokenizer"),
    ("class-overrides-file",
     {"pre_tokenizer": sequence(pretokenizers=[of("Digits", individual_digits=True), bytes_of()])}
     | model(vocab=VOCAB | {"20": 261}, merges=["i n", "2 0"]) | settings(**GPT2), settings(**GPT2),
     r"builds GPT2Tokenizer: pre_tokenizer ByteLevel.* and not Seq.*2019.* by the file .*'2', '0'"),
    ("class-overrides-file", settings(**GPT2, add_prefix_space=True), {},
     '\\nSet "add_prefix_space": false in tokenizer_config.json$'),
    ("never-stops", tuned(), tuned(eos="<|im_end|>"),
     r"ends a turn with 262 '<\|im_end\|>', and generation stops at 257 '</s>' in tok"),
    ("never-stops",
     tuned(eos="<|im_end|>", config=NESTED, generation_config={"eos_token_id": 257}),
     tuned(config={"eos_token_id": 257}, generation_config={"eos_token_id": 262}),
     "stops at 257 '</s>' in generation_config.json"),
    ("never-stops", tuned(config={"eos_token_id": 257}),
     tuned(generation_config={"eos_token_id": [257, 262]}), "257 '</s>' in config.json"),
    ("never-stops", tuned(CHATML.replace("'<|im_end|>'", "'a<|im_end|>b'")),
     tuned(CHATML.replace("'<|im_end|>'", "eos_token")), "ends a turn"),
    ("added-token-lost", listing(1), listing(2), r"lacks '<\|im_end\|>', which GPT2Tokenizer cuts"),
    ("limit-above-positions", of_config(n_positions=256), of_config(max_position_embeddings=512),
     "model_max_length in tokenizer_config.json is 512, and n_positions in config.json is 256"),
    ("limit-above-positions",
     of_config(model_type="xlm-roberta", max_position_embeddings=513),
     of_config(model_type="roberta", max_position_embeddings=514),
     "max_position_embeddings in config.json, less 2 for padding, is 511"),
    ("id-without-row", of_config(vocab_size=261, pad_token_id=261),
     of_config(vocab_size=261, pad_token_id=260), "pad_token_id in config.json is 261"),
    ("id-without-row", of_config(text_config={"vocab_size": 261}, image_token_index=300), {},
     "image_token_index in config.json is 300 .no token., and the table has 261 rows"),
    ("token-not-there", settings(eos_token="</s> "),
     settings(added_tokens_decoder={"261": {"content": "<x>"}}, pad_token="<x>",
              bos_token={"content": "<s>"}),
     "^eos_token in tokenizer_config.json is '</s>␣': tokenizer.json has no such token"),
    ("token-not-there", {"added_tokens": MARKS} | settings(pad_token="<|im_\u0435nd|>"), {},
     r"is '<\|im_\u0435nd\|>' \(U\+0435\): "),
    ("saved-dropout", model(dropout=0.1), model(dropout=None), "dropout in 'model' .* is 0.1"),
    ("no-generation-prompt", tuned(CHATML.partition("{% if add")[0]), tuned(), "never looks at"),
    ("table-short", of_config(vocab_size=260), of_config(vocab_size=261),
     r"^261 ids, 260 rows \(vocab_size"),
    ("table-long", of_config(vocab_size=320), {}, "^261 ids, 320 rows"),
    ("merge-without-token", model(vocab=VOCAB | {"inxy": 261}, merges=["i n", "in xy"]), {},
     "1 of 2 .* 'in' and 'xy' need 'xy'"),
    ("two-names", model(vocab=VOCAB | {"it": 259}), {},
     "^id 259 is 'in', 'it'\nThe next free id is 261[.] "),
    ("two-names", {"added_tokens": [added("<s>", 300)]},
     {"added_tokens": [added("an", 300), added("<x>", 262)]} | model(vocab=VOCAB | {"an": 300}),
     "^'<s>' is 256, 300\n"),
    ("two-names", {"added_tokens": [MARKS[1], added("<|im_start|>", 262)]}, {},
     r"^'<\|im_end\|>' is 261, 262; id 262 is .* gives '<\|im_end\|>' the id 261: if "),
    ("forgeable", {"added_tokens": [BOS, added("Hi", 261)]}, {},
     "^2 added tokens .* 1 look like control tokens: '<s>'\n"),
    ("control-not-special", {"added_tokens": [added("<tool_call>", 261, special=False)]},
     {"added_tokens": [added("<b>", 261, special=False), added("<|x|>", 262)]}, "'<tool_call>'"),
    ("no-pad", {"model": WORDS} | files(tokenizer_config={"a": 1}),
     files(tokenizer_config={}, config={"model_type": "t5"}), ""),
    ("no-pad", settings(pad_token=None),
     files(tokenizer_config={"a": 1}, special_tokens_map={"pad_token": {"content": "<pad>"}}),
     "^no pad_token: tokenizer_config.json has none"),
    ("pad-is-eos", settings(pad_token="</s>"), {}, "'</s>'"),
    ("pad-is-eos", model(vocab=VOCAB | {"<|endoftext|>": 261}) | files(
        tokenizer_config=None, config={"model_type": "qwen2"}), {},
     "by Qwen2Tokenizer's default .there is no tok"),
    ("eos-differs", files(config={"eos_token_id": 256}, generation_config=ENDS),
     files(config={"eos_token_id": 257}, generation_config=ENDS),
     "^EOS is 257 '</s>' in tokenizer_config.json; 256 '<s>' in config.json; 3 .* and 257 '"),
    ("eos-differs", files(config={"eos_token_id": 259}, generation_config={"eos_token_id": 999}),
     {}, "259 'in' in config.json; 999 .no token. in gen.* 257 in generation_config.json .257 '</"),
    ("no-limit", files(tokenizer_config=SPECIALS | {"model_max_length": 10**30},
                       config={"max_position_embeddings": 4096}), {}, "is beyond any text\n"),
    ("unreachable", model(vocab=VOCAB | {"ink": 261}), model(vocab=VOCAB | {"ÃŃÃ": 261}),
     r"^1 tokens; the text of one, 'ink', becomes \['in', 'k'\]\n"),
    ("lossy", {"normalizer": of("Lowercase")}, {"normalizer": None}, r"^case \('Hat' and 'hat'"),
    ("lossy", {"normalizer": PLAIN}, {}, "accents.*com"),
    ("lossy", SPACED | {"decoder": None}, {},
     r"^runs of spaces.*line breaks.*spaces at the end.*; characters: 'Z', '9', '日'"),
    ("decode-changes", SPACED | {"decoder": of("WordPiece", prefix="##", cleanup=False)}
     | CLEANS, CLEANS, "clean"),
    ("decode-changes", SPACED | {"decoder": of("WordPiece")}, {},
     "'a␣b' is unchanged, but its tokens one by one become 'ab'; 'a␣.' comes back as 'a.'"),
    ("prefix-space", {"pre_tokenizer": bytes_of(add_prefix_space=True)}, {}, "is read as 'Ġa'"),
    ("saved-truncation", {"truncation": TRUNCATION}, {}, "'max_length': 3"),
    ("saved-padding", {"padding": PADDING}, {}, "'Fixed': 9"),
    ("gaps", model(vocab=VOCAB | {"an": 300}), {}, "^39 ids, the first is 261\n"),
]  # fmt: skip


PROPERTIES = bundled_json("findings.json")["properties"]  # there is nothing to mend in the files
# No file says which id a token had that the vocabulary lacks or names twice.
UNKNOWN = {"merge-without-token", "two-names", "id-without-row"}


@pytest.mark.parametrize(("code", "wrong", "right", "what"), CASES)
def test_codes(code: str, wrong: Files, right: Files, what: str, tmp_path: Path) -> None:
    """A folder has a finding or not, and mended as it says it has it no more, nor another."""
    (tmp_path / "wrong").mkdir()
    (tmp_path / "right").mkdir()
    path = folder(tmp_path / "wrong", wrong)
    before = found(path)
    assert re.search(what, f"{before[code].what}\n{before[code].way_out}", re.DOTALL)
    assert code not in codes(folder(tmp_path / "right", right))
    if mended(path, before[code].way_out):
        after = {*codes(path)} - {*PROPERTIES}
        assert after <= before.keys() - {code}
    else:
        assert code in UNKNOWN or code in PROPERTIES or "`" in before[code].way_out


def saved(it: Any, code: str) -> bool:
    """Save the tokenizer and the model that a fix has changed, and look again."""
    for each in (it.tokenizer, it.model):
        each.save_pretrained(it.folder)
    return code not in codes(it.folder)


def without(it: Any, key: str) -> bool:
    it.library.save(str(it.folder / "tokenizer.json"))
    return json.loads((it.folder / "tokenizer.json").read_text())[key] is None


# What the line of code of a fix achieves, in the first folder above.
LINES: dict[str, Callable[[Any], bool]] = {
    "bos-twice": lambda it: it.result["input_ids"][:2] == [256, 97],
    "class-overrides-file": lambda it: (
        it.result("Café in")["input_ids"] == it.pipeline.encode("Café in")
    ),
    "token-not-there": lambda it: (
        it.model.get_input_embeddings()(it.torch.tensor([it.tokenizer.eos_token_id])).numel() == 8
    ),
    "table-short": lambda it: saved(it, "table-short"),
    "forgeable": lambda it: 256 not in it.result,
    "no-pad": lambda it: saved(it, "no-pad"),
    "pad-is-eos": lambda it: it.labels.tolist() == [[-100, 2]],
    "no-limit": lambda it: len(it.result["input_ids"]) == 512,
    "saved-truncation": lambda it: without(it, "truncation"),
    "saved-padding": lambda it: without(it, "padding"),
    "table-long": lambda it: it.result.max() < 261,
    "decode-changes": lambda it: it.result == "a .",
}


@pytest.mark.parametrize("code", LINES)
def test_the_code_of_a_fix_runs(code: str, tmp_path: Path) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    changes = next(wrong for name, wrong, *_ in CASES if name == code)
    path = folder(tmp_path, changes)
    rows = changes.get("files", {}).get("config", {}).get("vocab_size", 261)
    sizes = {"n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 32, "vocab_size": rows}
    ends = {"bos_token_id": 0, "eos_token_id": None}
    fast = transformers.PreTrainedTokenizerFast
    it = SimpleNamespace(
        model=transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes, **ends)),
        folder=path, pipeline=Pipeline.from_file(path), text="<s>a" + " a" * 600, ids=[1, 3],
        labels=torch.tensor([[1, 2]]), attention_mask=torch.tensor([[0, 1]]), torch=torch,
        tokenizer=fast.from_pretrained(path), PreTrainedTokenizerFast=fast, inspector=inspector,
        library=Tokenizer.from_file(str(path / "tokenizer.json")),
        batch={"input_ids": torch.tensor([[1]]), "do_sample": True},
    )  # fmt: skip
    for line in re.findall("`(.+?)`", found(path)[code].way_out):
        names = vars(it) | ({"tokenizer": it.library} if code.startswith("saved") else {})
        exec(line if " = " in line else f"result = {line}", names)
        it.result = names.get("result") if not line.startswith("inspector.") else it.result
    assert LINES[code](it)


def test_the_line_of_a_template_is_its_end(tmp_path: Path) -> None:
    source = CHATML.partition("{% if add")[0]
    fix = found(folder(tmp_path, tuned(source)))["no-generation-prompt"].way_out
    line = re.findall("`(.+?)`", fix)[0].replace("...", "<|im_start|>assistant\\n")
    assert {*codes(folder(tmp_path, tuned(source + line)))} == {"never-stops", "forgeable"}
    tokenizer = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(tmp_path)
    end = tokenizer.apply_chat_template(
        [{"role": "user", "content": "a"}], tokenize=False, add_generation_prompt=True
    )
    assert end.endswith("a<|im_end|><|im_start|>assistant\n")


def test_checked_is_what_was_looked_at(tmp_path: Path) -> None:
    beside = SPECIALS | {"chat_template": "{% if x %}"}
    more = files(tokenizer_config=beside, config={"vocab_size": 2})
    seen = report(TokenizerFiles(folder(tmp_path, {"model": WORDS} | more)))
    unseen = {"guessed-stages", "merge-without-token", "bos-twice", "limit-above-positions"}
    others = [*seen.clean, *(each.code for each in seen.findings)]
    assert unseen | {"never-stops", "eos-differs"} <= {*CODES} - {*others}
    not_checked = [*itertools.chain.from_iterable(seen.not_checked.values())]
    assert sorted([*others, *not_checked]) == sorted(CODES)


def test_every_code_has_a_case_and_a_folder_may_be_without(tmp_path: Path) -> None:
    assert {case[0] for case in CASES} | {"guessed-stages"} == {*CODES}  # see test_reading.py
    assert inspect_tokenizer(folder(tmp_path, {})) == []
    page = Path(__file__).parents[2].joinpath("book", "api", "inspector.md").read_text("utf-8")
    rows = [(code, row[0]) for code, row in CODES.items()]
    assert re.findall(r"^\| `([a-z-]+)` \| (\w+) \|", page, re.MULTILINE) == rows
    levels = [level for _, level in rows]
    assert levels == sorted(levels, key=["fault", "risk", "note"].index)


def test_of_a_large_vocabulary_the_shortest_tokens_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"y" * 20: 261} | {f"x{i:03}": 262 + i for i in range(100)}
    path = folder(tmp_path, model(vocab=VOCAB | words))
    assert codes(path)["unreachable"].startswith("101 tokens; the text of one, 'x000', becomes")
    monkeypatch.setattr(check_texts, "_LONGEST", 4)
    monkeypatch.setattr("inspector.__main__._MANY", 9)
    assert main([str(path)]) == 0
    said = capsys.readouterr()
    assert said.err == "inspecting 362 ids …\n"
    assert "unreachable: 100 tokens; the text of one, 'x000', becomes" in said.out


TEMPLATES = [
    ("{{- bos_token }}{{ x }}", "bos_token"),
    ("\n {# of ours #}{%- if a -%} <s>{{ x }}", "<s>"),
    ("{{ '' }}{{ raise_exception('no') }}{{ (\"<|a|>\" + x) }}", "<|a|>"),
    ("{% macro m(a) %}{{ '<s>' }}{% endmacro %}{% set ns.x = bos_token %}{{ ns.x }}", "bos_token"),
    ("{% set a = b %}{% set b = a %}{{ a }}", "b"),
    (LLAMA, "bos_token"), (CHAT, "<|user|>"), ("{% if", ""), ("{{" * 200_000, ""),
]  # fmt: skip


@pytest.mark.parametrize(("source", "first"), TEMPLATES)
def test_what_a_template_writes_first(source: str, first: str) -> None:
    assert first_written(source) == first


def test_rows_are_those_of_the_weights(tmp_path: Path) -> None:
    folder(tmp_path, of_config(vocab_size=9))
    weights = tmp_path / "model-00001-of-00002.safetensors"
    weights.write_bytes(save({"model.embed_tokens.weight": np.zeros((262, 4))}, {"format": "pt"}))
    what = "261 ids, 262 rows (model.embed_tokens.weight in model-00001-of-00002.safetensors)"
    assert codes(tmp_path) == {"table-long": what}
    weights.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:1")
    assert "table-short" in codes(tmp_path)
    header = b'{"wte.weight": {"shape": [-5, 4]}}'
    for size, bad in ((2**63, header), (9, header), (len(header), header), (9, b"")):
        weights.write_bytes(struct.pack("<Q", size) + bad)
        with pytest.raises(ValueError, match=r"00002\.safetensors is not a whole safetensors file"):
            inspect_tokenizer(tmp_path)


FAMILY_OF = {"BPE": ("DeepSeek", "Llama 2"), "WordPiece": ("BERT, cased",), "Unigram": ("T5",)}
TYPES = ("bert", "electra", "gpt_neox", "llama", "mistral", "phi3", "qwen2", "qwen3", "t5", "?")
MORE = ("<|startoftext|>", "<|endoftext|>", "[CLS]", "[SEP]", "<s>", "</s>", "<unk>", "[UNK]")
SWITCHES = {"do_lower_case": False, "add_prefix_space": True, "legacy": True, "keep_accents": True}


def combinations() -> Iterator[tuple[str | None, str | None, str, Files]]:
    """Yield classes with model types, families, and settings of `tokenizer_config.json`."""
    classes = bundled_json("transformers-classes.json")["classes"]
    for name, entry in classes.items():
        for family in FAMILY_OF[entry["stages"]["model"]["type"]]:
            yield name, None, family, {}
            yield name, None, family, SWITCHES
    for name in (None, "LlamaTokenizerFast", "PreTrainedTokenizerFast", "Other"):
        for model_type, family in itertools.product(TYPES, ("DeepSeek", "Llama 2", "BERT, cased")):
            yield name, model_type, family, {}


def test_what_transformers_builds(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    known = bundled_json("transformers-classes.json")
    for alias, name in known["names"].items():
        assert issubclass(getattr(transformers, alias), getattr(transformers, name))

    usual = ("normalizer", "pre_tokenizer", "post_processor", "truncation", "padding")
    counts = Counter[bool]()
    for name, model_type, family, switches in combinations():
        content = {"version": "1.0", **dict.fromkeys(usual), **FAMILIES[family]()}
        vocab = content["model"]["vocab"]
        more = [token for token in MORE if token not in dict(vocab)]
        more_ids = {token: len(vocab) + i for i, token in enumerate(more)}
        is_listed = isinstance(vocab, list)
        vocab = [*vocab, *([token, 0.0] for token in more)] if is_listed else vocab | more_ids
        content |= {"model": content["model"] | {"vocab": vocab}, "added_tokens": []}
        config = {"model_type": model_type} if model_type else {}
        named = {"tokenizer_class": name, **switches} if name else {}
        beside = files(config=config, tokenizer_config=named)
        it = TokenizerFiles(folder(tmp_path, content | beside))
        does_fit = it.rebuilt.get("stages", content)["model"]["type"] == content["model"]["type"]
        try:
            theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
            ids = [theirs(text)["input_ids"] for text in TEXTS]
        except Exception:  # class and file do not fit, and it says so
            assert not does_fit
            continue
        differs = ids != [it.mine.encode(text) for text in TEXTS]
        assert differs is ("class-overrides-file" in codes(tmp_path)), beside
        if it.rebuilt and does_fit:
            assert ids == [it.built(it.config).encode(text) for text in TEXTS], beside
        counts[differs] += 1
    assert min(counts[True], counts[False]) > 30


SLOW = {"pre_tokenizer": of("Split", pattern={"Regex": "(a|a)*b"}, behavior="Isolated")}
HOSTILE: list[tuple[Files, str]] = [
    (files(tokenizer_config="<html>"), "tokenizer_config.json is an HTML page"),
    (files(tokenizer_config="[1]"), "tokenizer_config.json holds .1., not a JSON object"),
    (files(config='{\n"a": 1,\n}'), "config.json is not valid JSON at line 3, .*; correct that"),
    ({"model": of("Unigram", unk_id=0, vocab=[["a" * 10_001, -1.0]])}, "its pieces are too long"),
    ({"normalizer": sequence(normalizers=[replace("a", "aa")] * 40)}, "a text 1,099,511,627,776 t"),
    ({"normalizer": replace("e*", "x", "Regex")}, "its pattern matches the empty text"),
    ({"pre_tokenizer": split(r"\p{L}" * 500)}, "a pattern of 2,500 characters is too long"),
    ({"normalizer": of("Precompiled", precompiled_charsmap=charsmap()[:-4_000])}, "is cut short"),
    (files(config='{"vocab_size": ' + "9" * 5_000 + "}"), "config.json is no JSON of a tokenizer"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), HOSTILE)
def test_bad_files_are_one_sentence(
    changes: Files, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=message):
        inspect_tokenizer(folder(tmp_path, changes))
    assert main([str(tmp_path)]) == 2
    assert re.fullmatch(rf".*{message}.*\n", capsys.readouterr().err)


def test_a_strangers_files_take_no_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What takes long is given up; what is no regular file counts as missing."""
    changes = files(config={"model_type": "qwen2"}, tokenizer_config=None)
    changes["files"] |= {"chat_template.jinja": "{{" + "(" * 100_000}
    path = folder(tmp_path, SLOW | changes | model(vocab=VOCAB | {"<|endoftext|>": 261}))
    os.mkfifo(path / "generation_config.json")
    (path / "tokenizer_config.json").symlink_to(path / "nothing")
    (path / "model.safetensors").mkdir()
    assert "(tokenizer_config.json was not read)" in codes(path)["pad-is-eos"]
    assert main([str(path), "in a"]) == 1  # by another class
    said = capsys.readouterr().out
    assert "size of the token table: id-without-row, table-short, table-long\n" in said
    unread = "generation_config.json, model.safetensors, tokenizer_config.json"
    assert f"\nNot read, as a broken link or no regular file: {unread}\n" in said
    pipeline = Pipeline.from_file(path)
    with pytest.raises(TimeoutError, match=r"longer than 0\.2 seconds"), within(0.2):
        pipeline.encode("a" * 60)


JUNK: tuple[object, ...] = (
    None, True, -1, 2**70, 1e400, "", "x", "\0", [], [[]], {}, {"type": "Sequence"}, {"": [None]},
)  # fmt: skip


@given(st.data())
def test_what_files_hold_is_never_trusted(data: st.DataObject) -> None:
    """Any value may stand anywhere: there are findings, or a `ValueError`."""
    wrong = chat(LLAMA, tokenizer_class="BertTokenizer", eos_token={"content": "</s>"})
    of_model = {"model_type": "bert", "vocab_size": 9, "eos_token_id": [1], "text_config": {}}
    wrong["files"]["config"] = of_model
    with TemporaryDirectory() as path:
        folder(Path(path), {"normalizer": PLAIN, "truncation": {"max_length": 9}, **wrong})
        file = Path(path, data.draw(st.sampled_from(sorted(os.listdir(path)))))
        place = content = json.loads(file.read_text())
        while True:
            keys = list(place) if isinstance(place, dict) else range(len(place))
            key = data.draw(st.sampled_from(keys))
            below = place[key]
            if not below or not isinstance(below, dict | list) or data.draw(st.booleans()):
                break
            place = below
        place[key] = data.draw(st.sampled_from(JUNK))
        file.write_text(json.dumps(content))
        try:
            found = inspect_tokenizer(path)
        except ValueError as error:
            assert path in str(error)  # noqa: PT017
        else:
            assert len({finding.code for finding in found}) == len(found)


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    marked = [BOS, added("\x1b[2J<|x|>", 261), added("<tool_c\u0430ll>", 262)]
    path = tmp_path / "\x1b[2Jname"  # which would move a terminal's cursor
    path.mkdir()
    folder(path, {"post_processor": START, "added_tokens": marked})
    command = [sys.executable, "-m", "inspector", str(path), "in a\x1b[2Jé"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0
    assert re.search(r"ids +\[256, 259, 260, .*\ndecoded +'<s>in a", done.stdout)
    assert "forgeable: 3 added tokens" in done.stdout
    assert "'<tool_c\u0430ll>' (U+0430)" in done.stdout
    assert "\x1b" not in done.stdout
    assert "it needs a chat template: bos-twice, never-stops, no-generation-prompt\n" in done.stdout
    assert done.stdout.endswith("\n0 faults, 0 risks; exit status 0\n")
    # Who reads may have gone, or write in an encoding without some signs.
    piped = subprocess.run(f"{shlex.join(command)} | true", shell=True, capture_output=True)
    assert piped.stderr == b""
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    plain = subprocess.run(command, capture_output=True, env=ascii_only, check=True)
    assert rb"\xe9'" in plain.stdout
    folder(path, model(merges=["i t"]))
    assert main([str(path)]) == 1
    said = capsys.readouterr().out
    assert said.endswith("\n1 fault, 0 risks; exit status 1\n")
    assert re.search("Pipeline does not read it: .*\n\nTo fix: 1\n\nfault merge-without", said)
    assert main(["--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: ")
    empty, linked = tmp_path / "empty", tmp_path / "linked"
    empty.mkdir()
    linked.mkdir()
    (write(linked, {"vocab": {}}) / "merges.txt").symlink_to("../blobs/abc")
    for arguments, message in (
        ([], "usage: "),
        ([""], "usage: "),
        ([str(empty)], "empty is empty; put a tokenizer.json into it"),
        ([str(linked)], r"merges.txt is a broken link \(to \.\./blobs/abc\); "),
        (["org/name"], "if it is a model's name on a hub"),
    ):
        assert main(arguments) == 2
        assert re.fullmatch(f".*{message}.*\n", capsys.readouterr().err)
