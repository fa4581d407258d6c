"""Make `companion/data/transformers-classes.json`: the stages that classes of transformers build.

    PYTHONPATH=tests python tools/once/transformers_classes.py

Each class is built with a vocabulary of a few tokens: with its defaults, and with each setting
turned. Where two differ, the setting decides. The tests compare what `inspector` makes of
the table with the installed transformers.
"""

import base64
import difflib
import inspect
import json
from pathlib import Path
from typing import Any

import transformers
from tokenizer_files import charsmap
from tokenizers import processors
from transformers.models.auto import tokenization_auto as auto

DATA = Path(__file__).parents[2] / "companion" / "data"
CLASSES = (
    "GPT2", "GPTNeoX", "Qwen2", "Qwen3_5", "Roberta", "CodeGen", "Whisper", "Cohere", "CLIP",
    "Llama", "CodeLlama", "Gemma", "Bert", "MPNet", "T5", "XLMRoberta", "Albert", "DebertaV2",
)  # fmt: skip
LITERALS = ["<|startoftranscript|>", "<|notimestamps|>"]  # Whisper's, which are no settings
OWN = processors.ByteLevel(use_regex=False)  # for what a file has
Variant = tuple[str, Any, Any]  # a setting, its default, and what comes of the other value


def built(kind: Any, tokens: list[str], own: bool = True, **settings: Any) -> dict[str, Any]:
    """Return the stages of a class, whose special tokens are named as the settings are."""
    names = [*(f"f{i}" for i in range(1000)), *(f"@{token}" for token in tokens), *LITERALS]
    is_unigram = kind.model.__name__ == "Unigram"
    vocab: Any = (
        [(name, 0.0) for name in names] if is_unigram else {n: i for i, n in enumerate(names)}
    )
    given = {"vocab": vocab} | {token: f"@{token}" for token in tokens} | settings
    given |= {} if is_unigram or kind.model.__name__ == "WordPiece" else {"merges": []}
    given |= {"post_processor": OWN} if own else {}
    given |= {"_spm_precompiled_charsmap": base64.b64decode(charsmap())} if is_unigram else {}
    content = json.loads(kind(**given).backend_tokenizer.to_str())
    stages = {name: content[name] for name in ("model", "normalizer", "pre_tokenizer")}
    stages |= {"post_processor": content["post_processor"], "decoder": content["decoder"]}
    stages["model"] = {k: v for k, v in stages["model"].items() if k not in ("vocab", "merges")}
    return {name: with_names(stage, names) for name, stage in stages.items()}


def with_names(part: Any, names: list[str]) -> Any:
    """Write the ids of special tokens, and the table of characters, as names."""
    if isinstance(part, dict):
        if part.get("type") == "Precompiled":
            return "$charsmap"
        return {with_names(k, names): with_names(v, names) for k, v in part.items()}
    if isinstance(part, list):
        return [with_names(value, names) for value in part]
    if isinstance(part, str):
        return part.replace("@", "$") if part in names else part
    return f"${names[part].lstrip('@')}#" if type(part) is int and part >= 1000 else part


def joined(base: Any, variants: list[Variant]) -> Any:
    """Return a part in which each setting stands where it makes a difference."""
    variants = [each for each in variants if each[2] != base]
    if not variants:
        return base
    if isinstance(base, dict) and all(v and base.keys() == v.keys() for _, _, v in variants):
        return {k: joined(base[k], [(n, d, v[k]) for n, d, v in variants]) for k in base}
    if isinstance(base, list) and all(isinstance(v, list) for _, _, v in variants):
        return joined_lists(base, variants)
    *before, (name, default, other) = variants  # of several settings, the last decides first
    if base is default and not before:
        return f"${name}"
    pair = joined(base, before), other
    return {"if": name, "then": pair[not default], "else": pair[bool(default)]}


def joined_lists(base: list[Any], variants: list[Variant]) -> list[Any]:
    """Return a list in which a setting may add items, or leave some out."""
    here: list[list[Variant]] = [[] for _ in base]
    new: dict[int, list[Any]] = {}
    for name, default, items in variants:
        old, changed = ([json.dumps(each) for each in both] for both in (base, items))
        for tag, i, j, k, m in difflib.SequenceMatcher(None, old, changed).get_opcodes():
            if tag == "insert":
                new.setdefault(i, []).extend(joined(None, [(name, default, x)]) for x in items[k:m])
            elif tag != "equal":
                for n in range(i, j):
                    here[n].append((name, default, items[k + n - i] if k + n - i < m else None))
    pairs = [(*new.get(i, []), joined(each, here[i])) for i, each in enumerate(base)]
    return [item for pair in [*pairs, new.get(len(base), [])] for item in pair]


def entry(name: str) -> dict[str, Any]:
    """Return the defaults and the stages of a class."""
    kind = getattr(transformers, f"{name}Tokenizer")
    signature = inspect.signature(kind.__init__).parameters
    usual = {name: each.default for name, each in signature.items()}
    tokens = {k: str(v) for k, v in usual.items() if k.endswith("_token") and isinstance(v, str)}
    tokens = {k: v for k, v in tokens.items() if not k.startswith("add_")}
    base, defaults, variants = built(kind, [*tokens]), dict[str, Any](tokens), []
    for setting, value in usual.items():
        is_switch = (value is None and not setting.endswith("_token")) or isinstance(value, bool)
        if not is_switch or setting.startswith(("vocab", "merges", "add_bos", "add_eos", "_")):
            continue
        try:
            made = {on: built(kind, [*tokens], **{setting: on}) for on in (True, False)}
        except (TypeError, ValueError, OSError, AttributeError):  # it is no switch
            continue
        if value is None and base in made.values():
            value = base == made[True]
        if made[not value] != base:
            defaults[setting] = value
            variants.append((setting, value, made[not value]))
    stages = joined(base, variants)
    alone = built(kind, [*tokens], own=False)["post_processor"]
    if base["post_processor"] == json.loads(OWN.__getstate__()):
        del stages["post_processor"]
        if "SpecialToken" in json.dumps(alone) or alone["type"] != "TemplateProcessing":
            stages["post_processor"] = {"if": "own", "then": "$own", "else": alone}
    return {"defaults": defaults, "stages": stages}


def builder(kind: Any) -> Any:
    """Return the class whose `__init__` builds the stages of a class."""
    bases = kind.__mro__ if isinstance(kind, type) else ()
    made = [(base, base.__dict__["__init__"]) for base in bases if "__init__" in base.__dict__]
    return next((b for b, init in made if "vocab" in inspect.signature(init).parameters), None)


def main() -> None:
    """Write the table."""
    classes = {f"{name}Tokenizer": entry(name) for name in CLASSES}
    kinds = {getattr(transformers, name): name for name in classes}
    public = dir(transformers)  # and DistilBertTokenizer, which only the name of its model shows
    known = {n.removesuffix("Config") + "Tokenizer" for n in public if n.endswith("Config")}
    known |= {n for n in public if n.endswith("Tokenizer")}
    known |= {str(n).removesuffix("Fast") for n in auto.TOKENIZER_MAPPING_NAMES.values()}
    found = {n: kinds.get(builder(getattr(transformers, n, None))) for n in sorted(known)}
    names = {n: kind for n, kind in found.items() if kind}
    registered = {"TokenizersBackend": "from file", "MistralCommonBackend": "from file"} | names
    model_types = {
        model_type: registered.get(str(name).removesuffix("Fast"), "another class")
        for model_type, name in auto.TOKENIZER_MAPPING_NAMES.items()
    }
    table = {
        "version": transformers.__version__,
        "forced": sorted(auto.MODELS_WITH_INCORRECT_HUB_TOKENIZER_CLASS),
        "names": names, "model_types": model_types, "classes": classes,
    }  # fmt: skip
    text = json.dumps(table, ensure_ascii=False, indent=1)
    (DATA / "transformers-classes.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
