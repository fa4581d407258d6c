"""Which files of a folder hold its tokenizer, and how they are read; none of them is run.

Older folders have `vocab.json` with `merges.txt`, or `vocab.txt`. The stages of GPT-2 and of BERT
are written here; for other classes transformers is asked.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.bpe.alphabet import BYTE_TO_UNICODE
from companion.bpe.merges_file import numbered_merges
from companion.checks import shortened
from companion.files import kind_of, text_of
from companion.wordpiece import WordPieceTokenizer
from inspector.check import NotChecked
from inspector.library import ask
from inspector.parts import field
from inspector.settings import SPECIALS, Settings, beside, content_of, read_json

_GPT2 = ("", "GPT2Tokenizer", "gpt2")
_BERT = (
    "", "BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer", "bert", "distilbert", "electra",
)  # fmt: skip
_GPT2_TOKENS = dict.fromkeys(("unk_token", "bos_token", "eos_token"), "<|endoftext|>")
_BERT_TOKENS = {
    f"{name}_token": f"[{name.upper()}]" for name in ("unk", "sep", "pad", "cls", "mask")
}


def read(path: str | os.PathLike[str]) -> tuple[Path, dict[str, Any]]:
    """Return the file that was read, and what a `tokenizer.json` with the same meaning holds."""
    path = Path(path)
    names = {each.name for each in path.iterdir()} if path.is_dir() else set()
    needed = {"tokenizer.json"} & names or {"vocab.json", "merges.txt", "vocab.txt"} & names
    for link in (path / name for name in needed):
        if not link.exists():
            to = os.readlink(link)
            raise ValueError(f"{link} is a broken link (to {to}); put the file itself there")
    if not path.is_dir() or "tokenizer.json" in names:
        file = path / "tokenizer.json" if names else path
        content = read_json(file, "a tokenizer.json")
        if not isinstance(content.get("model"), dict):
            raise ValueError(f"{file} has no 'model', so it is no tokenizer.json; choose another")
        return file, content
    if {"vocab.json", "merges.txt"} <= names:
        return path / "vocab.json", _older(path / "vocab.json", _merging, _GPT2)
    if "vocab.txt" in names:
        return path / "vocab.txt", _older(path / "vocab.txt", _pieces, _BERT)
    for file in (each for each in sorted(path.iterdir()) if each.is_file()):
        with open(file, "rb") as opened:
            kind = kind_of(opened.read(4096))
        name, fix = (kind.name, kind.fix) if kind else ("a model of another kind", "")
        if name == "a SentencePiece model" or file.name.startswith("tokenizer.model"):
            raise ValueError(f"{file} is {name}; {_convert(path)}")
        if file.name == "tekken.json":
            name = "a file of Mistral's Tekken"
            fix = "take the model's tokenizer.json, or read it with the package mistral-common"
        if name in ("a file of Mistral's Tekken", "a file of tiktoken's ranks", "a GGUF file"):
            raise ValueError(f"{path} has no tokenizer.json; its {file.name} is {name}: {fix}")
    raise ValueError(
        f"{path} holds no tokenizer.json, no vocab.json with merges.txt and no vocab.txt, but "
        f"{shortened(sorted(names))}; take the tokenizer.json from the model's page"
    )


def _convert(folder: Path) -> str:
    # Say how transformers writes a `tokenizer.json` into a folder.
    return (
        "put the model's config.json and tokenizer_config.json beside it, which name its class; "
        "then let transformers, with sentencepiece and protobuf, write a tokenizer.json:\n"
        "    from transformers import AutoTokenizer\n"
        f"    AutoTokenizer.from_pretrained({str(folder)!r}).save_pretrained({str(folder)!r})"
    )


def _older(
    file: Path, stages: Callable[[Settings], dict[str, Any]], classes: Sequence[str]
) -> dict[str, Any]:
    # Return the stages that go with an older file: those here, or what transformers builds.
    settings = Settings(file)
    # The stages here put no BOS or EOS around a text, as those of OPT do.
    adds = settings.config.get("add_bos_token") or settings.config.get("add_eos_token")
    if settings.named_class in classes and not adds:
        return stages(settings)
    try:
        content: dict[str, Any] = json.loads(ask(file.parent, wants_file=True).file)
    except NotChecked as reason:
        what = f"{file} goes with {settings.named_class!r}, whose stages are not here"
        raise ValueError(f"{what} ({reason}); {_convert(file.parent)}") from None
    return content


def _merging(settings: Settings) -> dict[str, Any]:
    # Return the stages of GPT-2, with a `vocab.json` and the merges beside it.
    vocab, file = read_json(settings.file, "a vocab.json"), settings.file.with_name("merges.txt")
    text = text_of(file, "a file of merges", "an empty file")
    merges = [line for _, line in numbered_merges(text)]
    signs = {*BYTE_TO_UNICODE.values(), " "}
    if odd := next((each for each in merges if each.endswith("</w>") or {*each} - signs), ""):
        what = f"{file} holds {odd!r}, which is no merge of bytes as GPT-2's are"
        raise ValueError(f"{what}; {_convert(file.parent)}")
    config, added, _ = _with_usual(settings, vocab, _GPT2_TOKENS)
    has_space = config.get("add_prefix_space") is True
    return {
        "model": {"type": "BPE", "vocab": vocab, "merges": merges},
        "added_tokens": added,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": has_space},
        "decoder": {"type": "ByteLevel"},
    }


def _pieces(settings: Settings) -> dict[str, Any]:
    # Return the stages of BERT, with a `vocab.txt`.
    if "[UNK]" not in text_of(settings.file, "a vocab.txt", "an empty file").split():
        raise ValueError(
            f"{settings.file} has no '[UNK]', so it is not BERT's but a list of another program, "
            "such as the amino acids of ESM; read it with the class that the model's page names"
        )
    vocab = WordPieceTokenizer.load(settings.file).vocab
    config, added, ids = _with_usual(settings, vocab, _BERT_TOKENS)
    names = ("unk_token", "cls_token", "sep_token")
    unk, *sides = (content_of(config.get(name, _BERT_TOKENS[name])) for name in names)
    cls, sep = ([name, ids.get(name, ids["[UNK]"])] for name in sides)
    return {
        "model": {"type": "WordPiece", "vocab": vocab, "unk_token": unk},
        "added_tokens": added,
        "normalizer": {
            "type": "BertNormalizer",
            "lowercase": config.get("do_lower_case"),
            "strip_accents": config.get("strip_accents"),
            "handle_chinese_chars": config.get("tokenize_chinese_chars"),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "cls": cls, "sep": sep},
        "decoder": {"type": "WordPiece"},
    }


def _with_usual(
    settings: Settings, vocab: Mapping[str, int], usual: Mapping[str, str]
) -> tuple[dict[str, Any], list[dict[str, Any]], dict[str, int]]:
    # Return the settings with the usual tokens, the added tokens, and the ids of all tokens.
    if not settings.named_class:
        usual = {name: token for name, token in usual.items() if token in vocab}
    config = {**usual, **settings.config}
    off = dict.fromkeys(("normalized", "lstrip", "rstrip", "single_word"), False)
    named = [*map(config.get, SPECIALS), *settings.extra]
    specials = [each if isinstance(each, dict) else {"content": each} for each in named if each]
    specials = [{**off, **token, "special": True} for token in specials]
    names = {token.get("content") for token in specials}
    # 1. Those with ids: from the settings, or an older file, which does not say how one is found.
    tokens = [{**token, "id": i} for i, token in settings.listed.items()] or [
        {**off, "content": token, "id": i, "special": is_special, "normalized": not is_special}
        for token, i in beside(settings.file, "added_tokens").items()
        for is_special in [token in names]
    ]
    # 2. The special tokens by name. The ids are those of the vocabulary, or the next free ones.
    ids, added = dict(vocab), dict[str, dict[str, Any]]()
    for token in sorted(tokens, key=lambda token: token["id"]) + specials:
        content = field(token, "content", str)
        token_id = ids.setdefault(content, len(ids))
        added.setdefault(content, {"id": token_id, **token})
    return config, [*added.values()], ids
