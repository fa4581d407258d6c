"""Older folders: `vocab.json` with `merges.txt`, or `vocab.txt`, and what lies beside them.

The stages of GPT-2 and of BERT are written here; for other classes transformers is asked.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.bpe.merges_file import numbered_merges
from companion.files import text_of
from companion.wordpiece import WordPieceTokenizer
from inspector.check import NotChecked
from inspector.library import ask
from inspector.parts import Part, field
from inspector.settings import SPECIALS, beside, class_named, content_of, read_json, settings_of

_GPT2, _BERT = (
    ("GPT2Tokenizer", "gpt2"),
    ("BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "bert", "distilbert", "electra"),
)
_GPT2_TOKENS = dict.fromkeys(("unk_token", "bos_token", "eos_token"), "<|endoftext|>")
_BERT_TOKENS = {
    f"{name}_token": f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")
}
_AROUND = ("unk_token", "cls_token", "sep_token")


def convert(folder: Path) -> str:
    """Say how transformers writes a `tokenizer.json` into a folder."""
    files = beside(folder / "tokenizer.json", "config"), settings_of(folder / "tokenizer.json")[0]
    is_named = any(each.get("model_type") or each.get("tokenizer_class") for each in files)
    first = (
        "put the model's config.json and tokenizer_config.json beside it, which name its class "
        "(without one, transformers guesses, and may give other ids); then "
    )
    return (
        f"{'' if is_named else first}let transformers write a tokenizer.json (for a SentencePiece "
        "model, with the packages sentencepiece and protobuf):\n"
        "    from transformers import AutoTokenizer\n"
        f"    AutoTokenizer.from_pretrained({str(folder)!r}).save_pretrained({str(folder)!r})"
    )


def merging(folder: Path) -> dict[str, Any]:
    """Return the stages of a `vocab.json` and the merges beside it: GPT-2's, or its class's."""
    file = folder / "vocab.json"
    if (name := class_beside(file)) and name not in _GPT2:
        return _by_library(file, name)
    vocab = read_json(file, "a vocab.json")
    text = text_of(folder / "merges.txt", "a file of merges", "an empty file")
    merges = [line for _, line in numbered_merges(text)]
    if any(merge.endswith("</w>") for merge in merges):
        what = f"{folder / 'merges.txt'} holds '</w>', and GPT-2's stages know no such sign"
        raise ValueError(f"{what}; {convert(folder)}")
    if foreign := {*"".join(merges)} - {*BYTE_TO_UNICODE.values(), " "}:
        what = f"{folder / 'merges.txt'} holds {min(foreign)!r}, which no merge of bytes has"
        raise ValueError(f"{what}; {convert(folder)}")
    config, added, ids = _settings(file, vocab, _GPT2_TOKENS)
    has_space = config.get("add_prefix_space") is True
    return {
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
        "added_tokens": added,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": has_space},
        "post_processor": _around(config, ids),
        "decoder": {"type": "ByteLevel"},
    }


def pieces(folder: Path) -> dict[str, Any]:
    """Return the stages of a `vocab.txt`: BERT's, or its class's."""
    file = folder / "vocab.txt"
    if (name := class_beside(file)) and name not in _BERT:
        return _by_library(file, name)
    if "[UNK]" not in text_of(file, "a vocab.txt", "an empty file").split():
        raise ValueError(
            f"{file} has no '[UNK]', so it is not BERT's but a list of another "
            "program, such as the amino acids of ESM; read it with the class that the model's page "
            "names: there are no stages for it here"
        )
    vocab = WordPieceTokenizer.load(file).vocab
    config, added, ids = _settings(file, vocab, _BERT_TOKENS)
    unk, *sides = (content_of(config.get(name, _BERT_TOKENS[name])) for name in _AROUND)
    cls, sep = ([name, ids.get(name, ids["[UNK]"])] for name in sides)
    is_lower, splits = config.get("do_lower_case"), config.get("tokenize_chinese_chars")
    return {
        "model": {"type": "WordPiece", "vocab": vocab, "unk_token": unk},
        "added_tokens": added,
        "normalizer": {
            "type": "BertNormalizer",
            "lowercase": is_lower,
            "strip_accents": config.get("strip_accents"),
            "handle_chinese_chars": splits,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "cls": cls, "sep": sep},
        "decoder": {"type": "WordPiece"},
    }


def class_beside(file: Path) -> str:
    """Return the class, or the type of model, that the files beside another name."""
    return class_named(beside(file, "tokenizer_config"), beside(file, "config"))


def _by_library(file: Path, name: str) -> dict[str, Any]:
    """Return what transformers makes of a folder of another class."""
    try:
        content: dict[str, Any] = json.loads(ask(file.parent, wants_file=True).file or "")
    except NotChecked as reason:
        what = f"{file} goes with {name!r}, whose stages are not written here"
        raise ValueError(f"{what} ({reason}); {convert(file.parent)}") from None
    return content


def _settings(
    file: Path, vocab: Mapping[str, int], usual: Mapping[str, str]
) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, int]]:
    """Return the settings with the usual tokens, the added tokens, and the ids of all tokens."""
    config, _ = settings_of(file)
    if not class_beside(file):
        usual = {name: token for name, token in usual.items() if token in vocab}
    # Of added tokens the ids are those of the vocabulary, or the next free ones.
    ids, added = dict(vocab), []
    config = {**usual, **config}
    for token in _added(file, config):
        ids.setdefault(field(token, "content", str), len(ids))
        added.append({"id": ids[token["content"]], **token})
    return config, added, ids


def _around(config: Part, ids: Mapping[str, int]) -> dict[str, Any] | None:
    """Return the template that writes BOS before each text, or EOS after it, if it is set so."""
    names = ("bos_token", "eos_token")
    bos, eos = (config.get(f"add_{e}") is True and content_of(config.get(e)) for e in names)
    if not (bos or eos):
        return None

    def items(text: str, segment_id: int) -> list[Any]:
        kinds = ("SpecialToken", bos), ("Sequence", text), ("SpecialToken", eos)
        return [{kind: {"id": name, "type_id": segment_id}} for kind, name in kinds if name]

    specials = {token: {"ids": [ids[token]], "tokens": [token]} for token in (bos, eos) if token}
    layout = {"single": items("A", 0), "pair": items("A", 0) + items("B", 1)}
    return {"type": "TemplateProcessing", **layout, "special_tokens": specials}


def _added(file: Path, config: Part) -> Iterator[dict[str, Any]]:
    """Yield the added tokens of an older folder, each once, in the order of transformers."""
    off = dict.fromkeys(("normalized", "lstrip", "rstrip", "single_word"), False)
    values = [config.get(name) for name in SPECIALS]
    extra = config.get("extra_special_tokens") or config.get("additional_special_tokens") or []
    values += extra.values() if isinstance(extra, dict) else extra
    specials = [each if isinstance(each, dict) else {"content": each} for each in values if each]
    names = {token.get("content") for token in specials}
    # 1. Those with ids: from the settings, or an older file, which does not say how one is found.
    if "added_tokens_decoder" in config:
        listed = field(config, "added_tokens_decoder", dict)
        if not all(name.isdecimal() and isinstance(listed[name], dict) for name in listed):
            raise ValueError(f"{file}: 'added_tokens_decoder' must map ids to added tokens")
        tokens = [{**token, "id": int(i)} for i, token in listed.items()]
    else:
        tokens = [
            {**off, "content": token, "id": i, "special": token in names,
             "normalized": token not in names}
            for token, i in beside(file, "added_tokens").items()
        ]  # fmt: skip
    # 2. The special tokens by name.
    tokens = sorted(tokens, key=lambda token: token["id"])
    tokens += [{**off, **token, "special": True} for token in specials]
    seen: set[object] = set()
    for token in tokens:
        if token.get("content") not in seen:
            yield token
        seen.add(token.get("content"))
