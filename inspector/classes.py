"""What transformers builds of a folder: the stages of a class, as a bundled table has them."""

from collections.abc import Mapping
from typing import Any

from companion.files import bundled_json
from inspector.parts import Part


def class_of(config: Part, model_config: Part, has_bytes: bool = False) -> dict[str, Any]:
    """Return the name, defaults and stages of the class that is taken, if the table has it."""
    known = bundled_json("transformers-classes.json")
    model_type = model_config.get("model_type")
    registered = known["model_types"].get(model_type) if isinstance(model_type, str) else None
    is_forced = model_type in known["forced"]
    given = config.get("tokenizer_class") or model_config.get("tokenizer_class")
    name = given.removesuffix("Fast") if isinstance(given, str) else registered
    # Some model types keep what the file says, and some have a class whatever the folder names.
    if registered == "from file" or (registered and is_forced):
        name = registered
    # Llama 3's folders name Llama's class, which knows no bytes, and the file is kept.
    elif name == "LlamaTokenizer" and has_bytes and not is_forced:
        name = None
    if name not in known["names"] or "auto_map" in config:  # code of the folder's own
        return {}
    name = known["names"][name]
    return {"name": name, **known["classes"][name]}


def named(config: Part, name: str, default: Any = None) -> Any:
    """Return a setting, or of a special token its text."""
    value = config.get(name, default)
    return value.get("content") if isinstance(value, dict) else value


def with_stages(
    content: dict[str, Any], entry: Part, config: Part, ids: Mapping[str, int]
) -> dict[str, Any]:
    """Return what a `tokenizer.json` holds, with the stages of a class for its own."""
    own = content["model"]
    normalizer = content.get("normalizer") or {}
    charsmaps = (
        part for part in (normalizer, *normalizer.get("normalizers", []))
        if part.get("type") == "Precompiled"
    )  # fmt: skip
    free = max(ids.values(), default=-1) + 1  # where what has no id is added
    values = {"own": content.get("post_processor"), "charsmap": next(charsmaps, None)}
    for name, usual in entry["defaults"].items():
        value = named(config, name, usual)
        values[name] = usual if value is None and not name.endswith("_token") else value

    def filled(part: Any) -> Any:
        """Put values into a part: "$name", the id "$name#", or a choice by a value."""
        match part:
            case {"if": name, "then": then, "else": other}:
                return filled(then if values[name] else other)
            case dict():
                return {filled(name): filled(value) for name, value in part.items()}
            case list():
                return [filled(value) for value in part]
            case str() if part.startswith("$") and part.endswith("#"):
                if (name := part[1:-1]) in values:
                    return ids.get(str(values[name]), free)
                return ids.get(name, ids.get(str(values.get("unk_token")), free))
            case str() if part.startswith("$"):
                return values[part[1:]]
        return part

    stages: dict[str, Any] = filled(entry["stages"])
    stages["model"] |= {key: own[key] for key in ("vocab", "merges") if key in own}
    return content | stages
