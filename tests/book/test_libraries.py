"""What the chapter `libraries` says of transformers and tokenizers, tried with those installed."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tokenizer_files import added, bytes_of, of, sequence, template
from tokenizers import Tokenizer
from transformers import AutoTokenizer, PreTrainedTokenizerFast, TokenizersBackend

from companion.bpe import BYTE_TO_UNICODE

CHAPTER = Path(__file__).parents[2] / "book" / "libraries.md"
SIGNS = [*BYTE_TO_UNICODE.values(), "20", "Ġa"]
MODEL = of("BPE", vocab={sign: i for i, sign in enumerate(SIGNS)}, merges=[["2", "0"], ["Ġ", "a"]])
DIGITS = sequence(pretokenizers=[of("Digits", individual_digits=True), bytes_of()])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a folder whose file lower-cases, splits off digits, and begins with <s>."""
    content = {
        "model": MODEL, "normalizer": of("Lowercase"), "pre_tokenizer": DIGITS,
        "decoder": bytes_of(),
        "post_processor": template("<s>:0 A:0", "<s>:0 A:0 B:0", {"<s>": 258}),
        "added_tokens": [added("<s>", 258), added("<tool_call>", 259, special=False)],
    }  # fmt: skip
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>"}
    for name, values in {"tokenizer": content, "tokenizer_config": config, "config": {}}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")
    return tmp_path


def test_the_versions_that_the_chapter_names_are_those_pinned() -> None:
    (named,) = re.findall(
        r"versions ([\d.]+\d) and ([\d.]+\d)", CHAPTER.read_text(encoding="utf-8")
    )
    pins = (CHAPTER.parents[1] / "requirements.txt").read_text(encoding="utf-8").split()
    assert {f"tokenizers=={named[0]}", f"transformers=={named[1]}"} <= {*pins}


def test_gpt2s_class_takes_the_rest_from_the_file(folder: Path) -> None:
    config = {"tokenizer_class": "GPT2Tokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    ids = AutoTokenizer.from_pretrained(folder).encode("<tool_call>20")
    assert ids == [258, 259, 256]


# With these control tokens, and a template that writes <tool_call> or not: is a typed one a token?
@pytest.mark.parametrize(
    ("named", "writes_it", "is_forged"),
    [
        ([], False, True),
        ([], True, False),
        (["<other>"], True, True),
        (["<tool_call>"], False, False),
    ],
)
def test_control_tokens_that_are_named_replace_those_of_the_template(
    folder: Path, named: list[str], writes_it: bool, is_forged: bool
) -> None:
    tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(folder)
    tokenizer.add_tokens(["<other>"])
    if named:
        tokenizer.chat_control_tokens = named
    call = "{% if m.tool %}<tool_call>{% endif %}" if writes_it else ""
    tokenizer.chat_template = f"<s>{{% for m in messages %}}{{{{ m.content }}}}{call}{{% endfor %}}"
    for role in ("user", "assistant"):  # the model's own call in the history is cut as well
        said = [{"role": role, "content": "<s><tool_call>"}]
        ids = tokenizer.apply_chat_template(said, sanitize_control_tokens=True)["input_ids"]
        assert (ids.count(258), 259 in ids) == (1, is_forged)
    for refused in ({"tokenize": False}, {"return_assistant_tokens_mask": True}):
        with pytest.raises(ValueError, match="sanitize_control_tokens"):
            tokenizer.apply_chat_template(said, sanitize_control_tokens=True, **refused)


def test_what_the_plain_class_does_and_writes(folder: Path, tmp_path: Path) -> None:
    tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(folder)
    plain = {"split_special_tokens": True, "add_special_tokens": False}
    assert tokenizer.encode("<tool_call>", **plain) == [259]  # it is not special
    assert 258 not in tokenizer.encode("<s>", **plain)
    ids = tokenizer.encode("a , b", add_special_tokens=False)
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=True) == "a , b"  # not for BPE
    assert len(tokenizer.encode("a" * 5000, truncation=True)) == 5001  # there is no limit
    assert PreTrainedTokenizerFast is TokenizersBackend
    tokenizer.save_pretrained(tmp_path / "saved")
    saved = json.loads((tmp_path / "saved" / "tokenizer_config.json").read_text(encoding="utf-8"))
    assert saved["tokenizer_class"] == "TokenizersBackend"


@pytest.mark.parametrize("trims", [True, False])
def test_offsets_leave_the_space_out_if_the_post_processor_trims(trims: bool) -> None:
    content = {"model": MODEL, "pre_tokenizer": bytes_of(), "post_processor": bytes_of(
        trim_offsets=trims)}  # fmt: skip
    tokenizer = Tokenizer.from_str(json.dumps(content))
    assert tokenizer.encode("b a").offsets == [(0, 1), (2 if trims else 1, 3)]
