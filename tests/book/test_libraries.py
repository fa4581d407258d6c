"""What the chapter `libraries` says of control tokens, tried with the installed transformers."""

from pathlib import Path
from typing import Any

from tokenizer_files import added, bytes_of, of, template, write
from transformers import PreTrainedTokenizerFast

from companion.bpe import BYTE_TO_UNICODE

CONTENT = {
    "version": "1.0", "pre_tokenizer": bytes_of(), "decoder": bytes_of(),
    "model": of("BPE", vocab={sign: i for i, sign in enumerate(BYTE_TO_UNICODE.values())},
                merges=[]),
    "post_processor": template("<s>:0 A:0", "<s>:0 A:0 B:0", {"<s>": 256}),
    "added_tokens": [added("<s>", 256), added("<tool_call>", 257, special=False)],
}  # fmt: skip


def test_control_tokens_that_are_named_replace_those_of_the_template(tmp_path: Path) -> None:
    write(tmp_path, {"tokenizer": CONTENT, "tokenizer_config": {"bos_token": "<s>"}})
    tokenizer: Any = PreTrainedTokenizerFast.from_pretrained(tmp_path)
    tokenizer.add_tokens(["<other>"])
    call = "{% if m.tool %}<tool_call>{% endif %}"
    tokenizer.chat_template = f"<s>{{% for m in messages %}}{{{{ m.content }}}}{call}{{% endfor %}}"
    for named, is_forged in (None, False), (["<other>"], True):
        if named:
            tokenizer.chat_control_tokens = named
        for role in ("user", "assistant"):  # the model's own call in the history is cut as well
            said = [{"role": role, "content": "<s><tool_call>"}]
            ids = tokenizer.apply_chat_template(said, sanitize_control_tokens=True)["input_ids"]
            assert (ids.count(256), 257 in ids) == (1, is_forged)
