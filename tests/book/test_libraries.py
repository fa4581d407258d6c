"""What the chapter `libraries` says of transformers and tokenizers, tried with those installed."""

from pathlib import Path
from typing import Any

import pytest
from tokenizer_files import added, bytes_of, library, of, template, write
from transformers import PreTrainedTokenizerFast

from companion.bpe import BYTE_TO_UNICODE

SIGNS = [*BYTE_TO_UNICODE.values(), "Ġa"]
CONTENT = {
    "version": "1.0", "pre_tokenizer": bytes_of(), "decoder": bytes_of(),
    "model": of("BPE", vocab={sign: i for i, sign in enumerate(SIGNS)}, merges=[["Ġ", "a"]]),
    "post_processor": template("<s>:0 A:0", "<s>:0 A:0 B:0", {"<s>": 257}),
    "added_tokens": [added("<s>", 257), added("<tool_call>", 258, special=False)],
}  # fmt: skip


@pytest.fixture
def tokenizer(tmp_path: Path) -> Any:
    """Open a folder whose tokenizer begins with <s>."""
    write(tmp_path, {"tokenizer": CONTENT, "tokenizer_config": {"bos_token": "<s>"}})
    return PreTrainedTokenizerFast.from_pretrained(tmp_path)


def test_control_tokens_that_are_named_replace_those_of_the_template(tokenizer: Any) -> None:
    tokenizer.add_tokens(["<other>"])
    call = "{% if m.tool %}<tool_call>{% endif %}"
    tokenizer.chat_template = f"<s>{{% for m in messages %}}{{{{ m.content }}}}{call}{{% endfor %}}"
    for named, is_forged in (None, False), (["<other>"], True):
        if named:
            tokenizer.chat_control_tokens = named
        for role in ("user", "assistant"):  # the model's own call in the history is cut as well
            said = [{"role": role, "content": "<s><tool_call>"}]
            ids = tokenizer.apply_chat_template(said, sanitize_control_tokens=True)["input_ids"]
            assert (ids.count(257), 258 in ids) == (1, is_forged)


def test_the_plain_class_splits_special_tokens_only_and_has_no_limit(tokenizer: Any) -> None:
    plain = {"split_special_tokens": True, "add_special_tokens": False}
    assert tokenizer.encode("<tool_call>", **plain) == [258]  # it is not special
    assert len(tokenizer.encode("a" * 5000, truncation=True)) == 5001


def test_offsets_leave_the_space_out_if_the_post_processor_trims() -> None:
    trimmed = library(CONTENT | {"post_processor": bytes_of(trim_offsets=True)})
    assert trimmed.encode("b a").offsets == [(0, 1), (2, 3)]
