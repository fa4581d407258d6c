"""What is wrong with a tokenizer: for each code a folder that has it, and one that has not."""

import itertools
import json
import os
import re
import shlex
import struct
import subprocess
import sys
from collections.abc import Callable
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
    BERT,
    FAMILIES,
    LLAMA3,
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
    trained,
    write,
)  # fmt: skip
from tokenizers import Tokenizer

from companion.bpe import BYTE_TO_UNICODE
from inspector import Finding, Pipeline, check_texts, inspect_tokenizer
from inspector.__main__ import main
from inspector.check_turns import first_written
from inspector.inspection import CHECKS, report
from inspector.limits import within
from inspector.opened import TEXTS, Opened

CODES = {check.code: check for check in CHECKS}
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


def found(path: Path, ask: bool = False) -> dict[str, Finding]:
    return {finding.code: finding for finding in inspect_tokenizer(path, ask=ask)}


def codes(path: Path, ask: bool = False) -> dict[str, str]:
    return {code: finding.what for code, finding in found(path, ask).items()}


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


def whole(family: str, **changes: Any) -> Files:
    """Return a file of a family, with another setting of its model."""
    content = FAMILIES[family]()
    content.setdefault("normalizer", None)
    return content | {"model": content["model"] | changes}


def small(**normalizer: Any) -> Files:
    """Return a file of BERT's whose tokens have no capital letters."""
    content = FAMILIES["BERT"]()
    words = [token for token in content["model"]["vocab"] if token in BERT or token.islower()]
    vocab = {token: i for i, token in enumerate(words)}
    changed = {"model": content["model"] | {"vocab": vocab}}
    return content | changed | {"normalizer": content["normalizer"] | normalizer}


TRAINED = trained("bytes")
HALF = {"merges": TRAINED["merges"][: len(TRAINED["merges"]) // 2]}
GEMMA = "{% for m in messages %}{{ '<start_of_turn>' + m.content + '<end_of_turn>\n' }}{% endfor %}"
TURNS = [added("<start_of_turn>", 261), added("<end_of_turn>", 262),
         added("\n", 263, special=False)]  # fmt: skip


def apart(**config: int) -> Files:
    """Return a folder in which two files do not agree, with a third one."""
    rows = {"263": MARKS[0], "262": MARKS[1]}
    beside = settings(eos_token="<|im_end|>", added_tokens_decoder=rows)["files"]
    return {"added_tokens": MARKS, **files(**beside, config=config)}


def gemma(ends: Any) -> Files:
    beside = settings(chat_template=GEMMA + "{{ add_generation_prompt }}")["files"]
    return {"added_tokens": TURNS, **files(**beside, generation_config={"eos_token_id": ends})}


MANY = {"vocab": VOCAB | {f"##{i}": 261 + i for i in range(100_000)}}


def of_mistral(model_type: str) -> Files:
    version = {"model_type": model_type, "transformers_version": "4.50.3"}
    cutting = sequence(pretokenizers=[split(LLAMA3), bytes_of(use_regex=False)])
    return {"pre_tokenizer": cutting, **model(**MANY), **of_config(**version)}


EXTRA = {"extra_special_tokens": ["<|tool|>"]}
NESTED = {"eos_token_id": 257, "text_config": {"eos_token_id": 257}}

# The code; what a folder has that has it; what one has that has not; the finding, and its fix.
CASES: list[tuple[str, Files, Files, str]] = [
    ("bos-twice", chat(LLAMA), chat(CHAT), r"begins with '<s>'.*: \['<s>', '<s>', 'a'\]"),
    ("bos-twice", chat([{"name": "default", "template": "<s>{{ x }}"}]), chat(LLAMA) | {
        "post_processor": None}, "begins with '<s>'"),
    ("class-overrides-file", {"normalizer": of("NFD")} | of_llama("qwen2"), of_llama("mistral"),
     r"builds Qwen2Tokenizer.*load it with `PreTrained"),
    ("class-overrides-file",
     {"pre_tokenizer": sequence(pretokenizers=[of("Digits", individual_digits=True), bytes_of()])}
     | model(vocab=VOCAB | {"20": 261}, merges=["i n", "2 0"]) | settings(**GPT2), settings(**GPT2),
     r"builds GPT2Tokenizer: .*2019.* by the file .*'2', '0'.*\nSet \"tokenizer_class\": \"PreTra"),
    ("class-overrides-file", settings(**GPT2, add_prefix_space=True), {},
     r'; tokenizer_config.json sets add_prefix_space\nSet "tokenizer_class": "PreTrained'),
    ("never-stops", tuned(), tuned(eos="<|im_end|>"),
     r"ends a turn with 262 '<\|im_end\|>', and generation stops at 257 '</s>' in tok"),
    ("never-stops",
     tuned(eos="<|im_end|>", config=NESTED, generation_config={"eos_token_id": 257}),
     tuned(config={"eos_token_id": 257}, generation_config={"eos_token_id": 262}),
     "stops at 257 '</s>' in generation_config.json"),
    ("never-stops", tuned(CHATML.replace("'<|im_end|>'", "'a<|im_end|>b'")),
     tuned(CHATML.replace("'<|im_end|>'", "eos_token")), "ends a turn"),
    ("never-stops", gemma(257), gemma([257, 262]),
     r'with 262 .<end_of_turn>.*\nSet "eos_token_id": \[257, 262\] in generation_config.json[.] '),
    ("template-without-tokens", tuned() | {"added_tokens": []}, tuned(),
     r"writes '<\|im_end\|>', '<\|im_start\|>', and none of these is a token: .* '\|', 'i',"),
    ("template-without-tokens", tuned() | {"added_tokens": MARKS[:1]},
     chat("{{ '[INST]' }}{{ add_generation_prompt }}"), "has '<.im_start.>'"),
    ("added-token-lost", listing(1), listing(2), r"not find '<\|im_end\|>', which added_tokens_d"),
    ("ids-differ", apart(), {"added_tokens": MARKS, **settings(
        eos_token="<|im_end|>", added_tokens_decoder={"261": MARKS[0], "262": MARKS[1]})},
     r"^'<\|im_start\|>' is 263 in added_tokens_decoder of .*, and 261 in tokenizer.json\nTake"),
    ("ids-differ", apart(bos_token_id=261), {},
     "config.json has the ids of tokenizer.json"),
    ("ids-differ", apart(bos_token_id=263), {},
     "config.json has the ids of the list"),
    ("limit-above-positions", of_config(n_positions=256), of_config(max_position_embeddings=512),
     "model_max_length in tokenizer_config.json is 512, and n_positions in config.json is 256"),
    ("limit-above-positions",
     of_config(model_type="xlm-roberta", max_position_embeddings=513),
     of_config(model_type="roberta", max_position_embeddings=514),
     "max_position_embeddings in config.json, less 2 for padding, is 511"),
    ("id-without-row", of_config(vocab_size=261, pad_token_id=261),
     of_config(vocab_size=260, pad_token_id=260), "pad_token_id in config.json is 261"),
    ("id-without-row", of_config(text_config={"vocab_size": 261}, image_token_index=300), {},
     "image_token_index in config.json is 300 .no token., and the table has 261 rows"),
    ("token-not-there", settings(eos_token="</s> "),
     settings(added_tokens_decoder={"261": {"content": "<x>"}}, pad_token="<x>",
              bos_token={"content": "<s>"}),
     "^eos_token in tokenizer_config.json is '</s>␣': tokenizer.json has no such token"),
    ("token-not-there", {"added_tokens": MARKS} | settings(pad_token="<|im_\u0435nd|>"), {},
     r"is '<\|im_\u0435nd\|>' \(U\+0435\): "),
    ("token-not-there", settings(eos_token="<end>"), {}, "only if the table has fewer than 262 r"),
    ("both-keys", {"added_tokens": MARKS} | settings(
        extra_special_tokens=["<|im_start|>"], additional_special_tokens=["<|im_end|>", "<|x|>"]),
     settings(additional_special_tokens=["<|x|>"]), r"; '<\|x\|>' stand in the second alone"),
    ("setting-ignored", settings(add_eos_token=True), settings(add_eos_token=True)
     | {"post_processor": template("A:0 </s>:0", "A:0 B:0", {"</s>": 257})},
     r"^add_eos_token: true in tok.* 'a' becomes \[97\], without 257 '</s>'"),
    ("mistral-pattern", of_mistral("mistral3"), of_mistral("qwen3"), "of transformers 4.50.3, and"),
    ("merges-missing", {"model": TRAINED | HALF}, {"model": TRAINED},
     r"^tokenizer.json has \d+ merges: 2\d\d of the 4\d\d longer tokens .*\(5\d%; usual: less"),
    ("byte-fallback-off", whole("Llama 2", byte_fallback=False), whole("Llama 2"),
     "'🙂' becomes .*'<unk>'"),
    ("case-lost", small(lowercase=False) | settings(do_lower_case=False), small(),
     r"capitals?|has 5 \[UNK\] among"),
    ("case-lost", small(lowercase=False), whole("BERT, cased"), "no token has a capital letter"),
    ("id-too-large", model(vocab=VOCAB | {"x": 2**40}), {}, "^1 ids, .* 1099511627776 of 'x';"),
    ("list-differs", files(**{"vocab.txt": "[UNK]\u2028\nin\nzz\n"}),
     files(**{"vocab.txt": "\u0100\n"}),
     "vocab.txt: 1 ids differ, such as 'in' is 1, in tokenizer.json 259"),
    ("two-templates",
     chat(CHATML) | files(**chat(CHATML)["files"], **{"chat_template.jinja": CHAT}), chat(CHATML),
     "chat_template.jinja and tokenizer_config.json have different"),
    ("added-token-not-decoded", {"added_tokens": [added("il\xd6veyou", 261)]},
     {"added_tokens": [added("iloveyou", 261)]}, "'il\xd6veyou' becomes 'il\ufffdveyou'"),
    ("lossy", {"decoder": of("Fuse")}, {}, "texts do not come back, such as '.+', which becomes"),
    ("saved-dropout", model(dropout=0.1), model(dropout=None), "in tokenizer.json, model is 0.1"),
    ("no-generation-prompt", tuned(CHATML.partition("{% if add")[0]),
     tuned("{{ '[INST] x [/INST]' }}"), "never looks at"),
    ("table-short", of_config(vocab_size=260), of_config(vocab_size=261),
     r"^261 ids, 260 rows \(vocab_size in config.json\); without a row: 260 '.a'\n.*eddings\(261"),
    ("table-short", files(config={"vocab_size": 261}, tokenizer_config=CONFIG | EXTRA),
     files(config={"vocab_size": 262}, tokenizer_config=CONFIG | EXTRA),
     r"^262 ids, 261 rows .* adds '<\|tool\|>', which only the settings"),
    ("table-long", of_config(vocab_size=320), {}, "^261 ids, 320 rows"),
    ("merge-without-token", model(vocab=VOCAB | {"inxy": 261}, merges=["i n", "in xy"]), {},
     "1 of 2 .* 'in' and 'xy' need 'xy'"),
    ("two-names", model(vocab=VOCAB | {"it": 259}), {},
     "^id 259 is 'in', 'it'\nThe next free id is 261[.] "),
    ("two-names", {"added_tokens": [added("<s>", 300)]},
     {"added_tokens": [added("an", 300), added("<x>", 262)]} | model(vocab=VOCAB | {"an": 300}),
     "^'<s>' is 256, 300\n"),
    ("two-names", {"added_tokens": [MARKS[1], added("<|im_start|>", 262)]}, {},
     r"^'<\|im_end\|>' is 261, 262; id 262 is .* '<.im_end.>' gets the id 261"),
    ("forgeable", {"added_tokens": [BOS, added("Hi", 261)]}, {},
     "found in plain text: 2; 1 look like control tokens: '<s>'\n"),
    ("control-not-special", {"added_tokens": [added("<tool_call>", 261, special=False)]},
     {"added_tokens": [added("<b>", 261, special=False), added("<|x|>", 262),
                       added("</s>", 257, special=False)]}, "'<tool_call>'"),
    ("no-pad", {"model": WORDS} | files(tokenizer_config={"a": 1}),
     files(tokenizer_config={}, config={"model_type": "t5"}), ""),
    ("no-pad", settings(pad_token=None),
     files(tokenizer_config={"a": 1}, special_tokens_map={"pad_token": {"content": "<pad>"}}),
     "^no pad_token"),
    ("pad-is-eos", settings(pad_token="</s>"), {}, "'</s>'"),
    ("pad-is-eos", model(vocab=VOCAB | {"<|endoftext|>": 261}) | files(
        tokenizer_config=None, config={"model_type": "qwen2"}), {},
     "are both 261 '<.endoftext.>'"),
    ("eos-differs", files(config={"eos_token_id": 256}, generation_config=ENDS),
     files(config={"eos_token_id": 257}, generation_config=ENDS),
     "^EOS is 257 '</s>' in tokenizer_config.json; 256 '<s>' in config.json; 3 .* and 257 '"),
    ("eos-differs", files(config={"eos_token_id": 259}, generation_config={"eos_token_id": 999}),
     {}, r"259 'in' in config.json; 999 .no token. in gen.*: \[257\] in gen"),
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
     "'a␣b' comes back as 'a␣b', but its tokens one by one become 'ab'; 'a␣.' comes back as 'a"),
    ("prefix-space", {"pre_tokenizer": bytes_of(add_prefix_space=True)}, {}, "is read as 'Ġa'"),
    ("saved-truncation", {"truncation": TRUNCATION}, {}, "'max_length': 3"),
    ("saved-padding", {"padding": PADDING}, {}, "'Fixed': 9"),
    ("gaps", model(vocab=VOCAB | {"an": 300}), {}, "^39 ids, the first is 261\n"),
]  # fmt: skip


PROPERTIES = {code for code, check in CODES.items() if check.level == "note"}  # nothing to mend
# No file says which id a token had that the vocabulary lacks or names twice.
UNKNOWN = {"merge-without-token", "merges-missing", "two-names", "id-without-row", "id-too-large",
           "ids-differ", "list-differs", "token-not-there", "both-keys"}  # fmt: skip
ASKED = {"class-overrides-file", "added-token-lost", "pad-is-eos"}


@pytest.mark.parametrize(("code", "wrong", "right", "what"), CASES)
def test_codes(code: str, wrong: Files, right: Files, what: str, tmp_path: Path) -> None:
    """A folder has a finding or not, and mended as it says it has it no more, nor another."""
    (tmp_path / "wrong").mkdir()
    (tmp_path / "right").mkdir()
    path = folder(tmp_path / "wrong", wrong)
    asks = code in ASKED
    before = found(path, asks)
    assert re.search(what, f"{before[code].what}\n{before[code].fix}", re.DOTALL)
    assert code not in codes(folder(tmp_path / "right", right), asks)
    if mended(path, before[code].fix):
        # Of some types of models transformers keeps the class, and the fix says what to do then.
        kept = {code} if "builds Qwen2" in before[code].what else set()
        assert {*codes(path, asks)} - {*PROPERTIES} - kept <= before.keys() - {code}
    else:
        assert code in UNKNOWN or code in PROPERTIES or "`" in before[code].fix


def test_a_limit_above_rotated_positions_is_a_risk(tmp_path: Path) -> None:
    for beside, level in ({}, "fault"), ({"rope_theta": 1e4}, "risk"):
        path = folder(tmp_path, of_config(max_position_embeddings=256, **beside))
        assert found(path)["limit-above-positions"].level == level


def test_transformers_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # in a process of its own
    monkeypatch.setattr("inspector.library._BUDGET", 0.001)
    it = Opened(folder(tmp_path, {}))
    assert it.unasked == "transformers ended, or took longer than 0.001 seconds"


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
    "setting-ignored": lambda it: it.result("a")["input_ids"][-1] == 257,
    "mistral-pattern": lambda it: r"\p{Lu}" in it.result.backend_tokenizer.to_str(),
    "added-token-not-decoded": lambda it: it.result == ["\u0101", "\u0103"],
    "bos-twice": lambda it: it.result["input_ids"][:2] == [256, 97],
    "class-overrides-file": lambda it: (
        it.result("Café in")["input_ids"] == it.pipeline.encode("Café in")
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
        tokenizer=fast.from_pretrained(path), PreTrainedTokenizerFast=fast, Pipeline=Pipeline,
        library=Tokenizer.from_file(str(path / "tokenizer.json")),
        AutoTokenizer=transformers.AutoTokenizer,
        batch={"input_ids": torch.tensor([[1]]), "do_sample": True},
    )  # fmt: skip
    for line in re.findall("`(.+?)`", found(path, code in ASKED)[code].fix):
        names = vars(it) | ({"tokenizer": it.library} if code.startswith("saved") else {})
        exec(line if " = " in line else f"result = {line}", names)
        it.result = names.get("result")
    assert LINES[code](it)


def test_the_line_of_a_template_is_its_end(tmp_path: Path) -> None:
    source = CHATML.partition("{% if add")[0]
    fix = found(folder(tmp_path, tuned(source)))["no-generation-prompt"].fix
    line = re.findall("`(.+?)`", fix)[0].replace("assistant...", "<|im_start|>assistant\\n")
    assert {*codes(folder(tmp_path, tuned(source + line)))} == {"never-stops", "forgeable"}
    tokenizer = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(tmp_path)
    end = tokenizer.apply_chat_template(
        [{"role": "user", "content": "a"}], tokenize=False, add_generation_prompt=True
    )
    assert end.endswith("a<|im_end|><|im_start|>assistant\n")


def test_checked_is_what_was_looked_at(tmp_path: Path) -> None:
    beside = SPECIALS | {"chat_template": "{% if x %}"}
    more = files(tokenizer_config=beside, config={"vocab_size": 2})
    seen = report(Opened(folder(tmp_path, {"model": WORDS} | more), asks=False))
    unseen = {"guessed-stages", "merge-without-token", "bos-twice", "limit-above-positions"}
    others = [*seen.clean, *(each.code for each in seen.findings)]
    assert unseen | {"never-stops", "eos-differs"} <= {*CODES} - {*others}
    assert {*seen.not_checked["it needs to ask transformers"]} == {*ASKED} - {"pad-is-eos"}
    not_checked = [*itertools.chain.from_iterable(seen.not_checked.values())]
    assert sorted([*others, *not_checked]) == sorted(CODES)


def test_every_code_has_a_case_and_a_folder_may_be_without(tmp_path: Path) -> None:
    in_test_reading = {"guessed-stages", "list-short"}
    assert {case[0] for case in CASES} | in_test_reading == {*CODES}
    assert inspect_tokenizer(folder(tmp_path, {})) == []
    page = Path(__file__).parents[2].joinpath("book", "api", "inspector.md").read_text("utf-8")
    rows = [(code, check.level) for code, check in CODES.items()]
    assert re.findall(r"^\| `([a-z-]+)` \| (\w+) \|", page, re.MULTILINE) == rows
    levels = [level for _, level in rows]
    assert levels == sorted(levels, key=["fault", "risk", "note"].index)


def test_of_a_large_vocabulary_the_shortest_tokens_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"y" * 20: 261} | {f"x{i:03}": 262 + i for i in range(100)}
    path = folder(tmp_path, model(vocab=VOCAB | words))
    assert codes(path)["unreachable"].startswith("101 tokens; the text of one, 'x000', becomes")
    monkeypatch.setattr(check_texts, "_MOST", 100)
    monkeypatch.setattr("inspector.__main__._MANY", 9)
    assert main([str(path), "--notes"]) == 1  # merges are missing, too
    said = capsys.readouterr()
    assert said.err == "inspecting 362 ids …\n"
    assert re.search("unreachable  9. tokens of the 100 shortest; the text of one, 'x0", said.out)


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
    long = b'{"wte.weight": {"shape": [%s, 4]}}' % (b"9" * 5_000)
    sizes = {len(long): long, 2**63: header, len(header): header, 9: header, 10: b""}
    for size, bad in sizes.items():
        weights.write_bytes(struct.pack("<Q", size) + bad)
        with pytest.raises(ValueError, match=r"00002\.safetensors is not a whole safetensors file"):
            inspect_tokenizer(tmp_path)


CLASSES = (None, "LlamaTokenizerFast", "PreTrainedTokenizerFast", "GPT2Tokenizer", "Qwen2Tokenizer",
           "BertTokenizer", "Other")  # fmt: skip


@pytest.mark.parametrize("family", ["Llama 2", "DeepSeek", "BERT, cased", "T5"])
def test_what_transformers_builds(family: str, tmp_path: Path) -> None:
    """It is asked, in a process of its own, and says what it says here."""
    transformers = pytest.importorskip("transformers")
    usual = ("normalizer", "pre_tokenizer", "post_processor", "truncation", "padding")
    content = {"version": "1.0", **dict.fromkeys(usual), **FAMILIES[family]()}
    asked = 0
    for name, model_type in itertools.product(CLASSES, (None, "qwen2", "llama")):
        named = {"tokenizer_class": name} if name else {}
        config = {"model_type": model_type} if model_type else {}
        path = folder(tmp_path, content | files(config=config, tokenizer_config=named))
        try:
            theirs = transformers.AutoTokenizer.from_pretrained(path)
            ids = [theirs(text)["input_ids"] for text in TEXTS]
        except Exception:  # class and file do not fit, and it says so
            assert "class-overrides-file" not in codes(path, ask=True)
            continue
        pipeline = Pipeline.from_file(path)
        differs = ids != [pipeline.encode(text) for text in TEXTS]
        assert differs is ("class-overrides-file" in codes(path, ask=True)), (name, model_type)
        asked += 1
    assert asked > 9


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
    (files(config='{"vocab_size": %s}' % ("9" * 5_000)), r"Exceeds the limit \(4300 digits\)"),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "message"), HOSTILE)
def test_bad_files_are_one_sentence(
    changes: Files, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match=message):
        inspect_tokenizer(folder(tmp_path, changes))
    assert main([str(tmp_path)]) == 2
    assert re.fullmatch(rf".*{message}.*\n", capsys.readouterr().err)


def test_a_strangers_files_take_no_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What takes long is given up; what is no regular file counts as missing."""
    changes = files(config={"model_type": "qwen2"}, tokenizer_config=None)
    changes["files"] |= {"chat_template.jinja": "{{" + "(" * 100_000}
    path = folder(tmp_path, SLOW | changes | model(vocab=VOCAB | {"<|endoftext|>": 261}))
    os.mkfifo(path / "generation_config.json")
    (path / "tokenizer_config.json").symlink_to(path / "nothing")
    (path / "model.safetensors").mkdir()
    monkeypatch.setattr("inspector.inspection._BUDGET", 1)
    monkeypatch.setattr("inspector.__main__._BUDGET", 1)
    assert main([str(path), "a" * 60, "--all"]) == 0
    said = capsys.readouterr().out
    assert "size of the token table: id-without-row, table-short, table-long\n" in said
    unread = "generation_config.json, model.safetensors, tokenizer_config.json"
    assert f"\nnot read, as a broken link or no regular file: {unread}\n" in said
    assert "aaa'\n         it took longer than 1 seconds\n" in said
    pipeline = Pipeline.from_file(path)
    with pytest.raises(TimeoutError, match=r"longer than 0\.2 seconds"), within(0.2):
        pipeline.encode("a" * 60)
    # A token that is found in the normalized text is normalized when the file is read.
    monkeypatch.setattr("inspector.pipeline._BUDGET", 0.2)
    for pattern in ("(.?){60}z", "([^z]+)+z"):
        long = [added("a" * 50, 261, normalized=True)]
        folder(path, {"normalizer": replace(pattern, "x", "Regex"), "added_tokens": long} | changes)
        with pytest.raises(ValueError, match=r"tokenizer.json: it took longer than 0\.2 seconds"):
            inspect_tokenizer(path)


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
            found = inspect_tokenizer(path, ask=False)
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
    # It writes in an encoding without some signs, too, and who reads may have gone.
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env=ascii_only, encoding="ascii")
    assert done.returncode == 0
    assert re.match(r"OK: 0 faults, 0 risks. \d+ checks made, \d+ do not apply", done.stdout)
    assert done.stdout.splitlines()[1] == "\\x1b[2Jname: BPE, 263 ids, limit 512"
    assert re.search(
        r"\\xe9'\ntokens .*\nids +256 259 260 .*\ndecoded +the same text\n$", done.stdout
    )
    assert len(done.stdout.splitlines()) == 7
    piped = subprocess.run(f"{shlex.join(command)} | true", shell=True, capture_output=True)
    assert piped.stderr == b""
    assert main([*command[3:], "--notes", "--all", "--stages"]) == 0
    more = capsys.readouterr().out
    assert "note forgeable  added tokens that are found in plain text: 3" in more
    assert "'<tool_c\u0430ll>' (U+0430)" in more
    assert "\x1b" not in more
    assert "needs a chat template: bos-twice, never-stops, template-without-tokens, no-gen" in more
    assert re.search(r"\nnormal\. +\['in a.*\npieces +\['in', 'Ġa'", more)
    folder(path, model(merges=["i t"]))
    assert main([str(path)]) == 1
    said = capsys.readouterr().out
    assert re.match(
        "BROKEN: 1 fault, 0 risks.*\n.*\n.*\n\nfault merge-without-token  1 of 1 m", said
    )
    assert "\nPipeline does not read it: " in said
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert capsys.readouterr().err.startswith("usage: python -m inspector")
    empty, linked = tmp_path / "empty", tmp_path / "linked"
    empty.mkdir()
    linked.mkdir()
    (write(linked, {"vocab": {}}) / "merges.txt").symlink_to("../blobs/abc")
    for arguments, message in (
        ([str(empty)], "empty holds no tokenizer.json"),
        ([str(linked)], r"merges.txt is a broken link \(to \.\./blobs/abc\); "),
        (["org/name"], "if it is a model's name on a hub"),
    ):
        assert main(arguments) == 2
        assert re.fullmatch(f".*{message}.*\n", capsys.readouterr().err)
