"""Findings in special tokens and in the chat template: a function for each code."""

import difflib
import re
from collections.abc import Iterable
from typing import Any

from inspector.classes import named
from inspector.files import TokenizerFiles
from inspector.folders import SPECIALS, beside
from inspector.parts import field
from inspector.showing import NotChecked, Seen, entry, listed, setting, shown
from inspector.templates import first_written, turn_end

CONTROL = re.compile(  # <|im_end|>, <tool_call>, [INST], </s>
    r"<[|｜].+[|｜]>|</?[a-z]+_\w+>|\[/?[A-Z_]+\]|</?(?:s|bos|eos|pad|unk|mask|cls|sep|think)>"
)
_ROLE = re.compile(r"(?i)user|assistant|system|\binst\b|im_(?:start|end)|turn|eo[st]_id")


def bos_twice(files: TokenizerFiles) -> Seen | None:
    if not (written := first_written(files.template)):
        raise NotChecked("it needs a chat template whose beginning can be read")
    around = files.mine.encode_pair("")
    begins = files.named("bos_token") if written == "bos_token" else written
    if not around.ids or not begins.startswith(token := around.tokens[0]):
        return None
    whole = files.mine.encode_pair(f"{token}a")
    what = f"the template begins with {shown(token)}, which the post-processor writes too"
    is_twice = whole.ids[:2] == around.ids[:1] * 2
    return Seen(f"{what}: {shown(whole.tokens[:3])}") if is_twice else None


def token_not_there(files: TokenizerFiles) -> Seen | None:
    older = beside(files.file, "added_tokens") if files.is_older else {}
    there = {token for token, _ in files.model_vocab} | _listed_tokens(files) | older.keys()
    there |= set() if files.is_older else files.ids.keys()
    said, fixes = [], []
    for name in ("bos_token", "eos_token", "pad_token"):
        token = named(files.config, name)
        if not token or not isinstance(token, str) or token in there:
            continue
        said.append(f"{name} in {files.home(name)} is {shown(token)}")
        alike = difflib.get_close_matches(token, filter(CONTROL.fullmatch, there), 1, 0.8)
        fixes += [setting(name, each, files.home(name)) for each in alike]
    new = "transformers adds one, with an id of its own"
    what = f"{'; '.join(said)}: {files.file.name} has no such token, and {new}"
    return Seen(what, "; ".join(fixes)) if said else None


def _listed_tokens(files: TokenizerFiles) -> set[Any]:
    """Return the added tokens that the settings of the tokenizer list."""
    extra = files.config.get("extra_special_tokens") or files.config.get(
        "additional_special_tokens"
    )
    more = extra.values() if isinstance(extra, dict) else extra or []
    rows = files.config.get("added_tokens_decoder") or {}
    return {named({"": token}, "") for token in (*field({"": rows}, "", dict).values(), *more)}


def added_token_lost(files: TokenizerFiles) -> Seen | None:
    if "added_tokens_decoder" not in files.config:
        raise NotChecked("it needs added_tokens_decoder in tokenizer_config.json")
    kept = _listed_tokens(files) | {*map(files.named, SPECIALS)}
    lost = [token for token in files.markers if token not in kept]
    what = f"added_tokens_decoder in tokenizer_config.json lacks {listed(lost)}"
    what += f", which {files.rebuilt['name']} cuts into pieces"
    return Seen(what, keep(files)) if lost else None


def keep(files: TokenizerFiles) -> str:
    """Say how transformers takes what the file says."""
    name = "PreTrainedTokenizerFast"
    if files.class_with(tokenizer_class=name):  # the type of the model alone decides
        return f"Load it with `{name}.from_pretrained(folder)`"
    return setting("tokenizer_class", name, files.settings)


def forgeable(files: TokenizerFiles) -> Seen | None:
    found = [
        token.content
        for token_id, token in files.mine.added_tokens.items()
        if token_id in files.mine.encode(token.content, add_special_tokens=False)
    ]
    if not found:
        return None
    control = [content for content in found if CONTROL.fullmatch(content)]
    like = f"; {len(control):,} look like control tokens: {listed(control)}" if control else ""
    has_roles = files.template or any(map(_ROLE.search, found))
    are = "token is" if len(found) == 1 else "tokens are"
    what = f"{len(found):,} added {are} found in plain text{like}"
    return Seen(what, level="" if has_roles else "note")


def control_not_special(files: TokenizerFiles) -> Seen | None:
    found = [
        token.content
        for token_id, token in files.mine.added_tokens.items()
        if CONTROL.fullmatch(token.content)
        and files.mine.decode([token_id], skip_special_tokens=True)
    ]
    fix = "; ".join(setting("special", True, f"{entry(t)} {files.file.name}") for t in found[:9])
    return Seen(f"{len(found):,} with special: false: {listed(found)}", fix) if found else None


def no_pad(files: TokenizerFiles) -> Seen | None:
    padding = files.content.get("padding")
    saved = padding.get("pad_token") if isinstance(padding, dict) else None
    is_there = files.named("pad_token") or saved
    return None if is_there else Seen(f"no pad_token: {files.lack}", _padding(files))


def pad_is_eos(files: TokenizerFiles) -> Seen | None:
    pad = files.named("pad_token")
    places = {files.place(name) for name in ("pad_token", "eos_token")}
    ids = f" ({files.ids[pad]})" if pad in files.ids else ""
    what = f"pad_token and eos_token {' and '.join(sorted(places))} are both {shown(pad)}{ids}"
    return Seen(what, _padding(files)) if pad and pad == files.named("eos_token") else None


def _padding(files: TokenizerFiles) -> str:
    """Name a token that may be used for padding."""
    tokens = [*files.markers, "<pad>", "[PAD]"]
    tokens = [token for token in tokens if token in files.ids and token != files.named("eos_token")]
    for sign in ("pad", "reserved|unused"):
        for token in tokens:
            if re.search(f"(?i){sign}", token):
                return setting("pad_token", token, files.home("pad_token"))
    new = '`tokenizer.add_special_tokens({"pad_token": "<pad>"})`'
    rows = "a row: `model.resize_token_embeddings(len(tokenizer))`"
    if files.rows and files.rows.value > files.n_vocab:
        rows = "no more rows than there are"
    return f"no token of {files.file.name} is for padding; a new one, {new}, needs {rows}"


def eos_differs(files: TokenizerFiles) -> Seen | None:
    sets = [*files.ends.values()]
    if len(sets) < 2:
        raise NotChecked(
            "it needs EOS in two of tokenizer_config.json, config.json and generation_config.json"
        )
    # Each may name more tokens that end a text than the one before it.
    if all(first <= second for i, first in enumerate(sets) for second in sets[i + 1 :]):
        return None
    what = "; ".join(f"{_with_texts(files, ids)} {where}" for where, ids in files.ends.items())
    # An id of another model may be any word here: only what ends a text or a turn is proposed.
    own = {_turn_end(files)[0], files.named("eos_token")} & files.ids.keys()
    ids = {files.ids[token] for token in own}
    if ids <= (more := files.ends.get("in generation_config.json", set())):
        ids |= more & {files.ids[token] for token in files.markers}
    fix = "; ".join(_set_ends(files, ids)) + f" ({_with_texts(files, ids)})" if ids else ""
    return Seen(f"EOS is {what}", fix)


def never_stops(files: TokenizerFiles) -> Seen | None:
    last, written = _turn_end(files)
    if not last:
        raise NotChecked("it needs a chat template that ends a turn with a token")
    # generate() takes the first of these that there is.
    places = ("in generation_config.json", "in config.json", 'in "text_config" of config.json')
    where = next((place for place in places if place in files.ends), next(iter(files.ends)))
    ids = {files.ids[token] for token in written if token in files.ids}
    if last == files.named("bos_token") or files.ends[where] & ids:
        return None
    ends = {files.ids[last]}
    fixes = [setting("eos_token", last, files.home("eos_token"))]
    what = f"the template ends a turn with {_with_texts(files, ends)}, and generation stops at"
    fix = "; ".join([*fixes, *_set_ends(files, ends)])
    return Seen(f"{what} {_with_texts(files, files.ends[where])} {where}", fix)


def no_generation_prompt(files: TokenizerFiles) -> Seen | None:
    what = "the chat template never looks at add_generation_prompt"
    return None if "add_generation_prompt" in files.template else Seen(what)


def _turn_end(files: TokenizerFiles) -> tuple[str, set[str]]:
    names = {name: files.named(name) for name in ("bos_token", "eos_token")}
    names = {name: token for name, token in names.items() if token in files.ids}
    return turn_end(files.template, files.markers, names)


def _with_texts(files: TokenizerFiles, ids: Iterable[int]) -> str:
    """Name ids with the tokens that they are."""
    texts = {i: shown(token) for token, i in files.ids.items() if i in ids}
    return " and ".join(f"{i} {texts.get(i, '(no token)')}" for i in sorted(ids))


def _set_ends(files: TokenizerFiles, ids: set[int]) -> list[str]:
    """Say in which files of the model the ids of EOS are to be set."""
    value = min(ids) if len(ids) == 1 else sorted(ids)
    there = {name: config for name, config in files.configs() if config}
    wanted = [
        name for name in there if name == "generation_config.json" or f"in {name}" in files.ends
    ]
    return [setting("eos_token_id", value, name) for name in wanted or [*there][:1]]
