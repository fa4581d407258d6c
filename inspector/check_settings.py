"""Findings in the settings of a tokenizer, and in what transformers makes of them."""

import difflib
import json
import re

from companion.checks import shortened
from inspector.check import ABSENT, Change, Evidence, Place, check, known, lacking
from inspector.opened import TEXTS, Opened
from inspector.settings import beside, content_of
from inspector.showing import BEYOND, CONTROL, listed, visible

_ANY = "PreTrainedTokenizerFast"
_MISTRAL = ("mistral", "mistral3", "voxtral", "ministral", "pixtral")
_SWITCHES = (
    "add_prefix_space", "do_lower_case", "strip_accents", "tokenize_chinese_chars", "legacy",
    "keep_accents", "remove_space",
)  # fmt: skip


@check("fault", "AutoTokenizer takes other stages than the file's, mostly silently.")
def class_overrides_file(it: Opened) -> Evidence | None:
    if it.is_older:
        lacking("a tokenizer.json")
    mine, theirs = [it.pipeline.encode(text) for text in TEXTS], it.library
    if theirs.ids == mine:
        return None
    text, ours, others = next(
        (text, ours, others)
        for text, ours, others in zip(TEXTS, mine, theirs.ids, strict=True)
        if ours != others
    )
    how = f"transformers {theirs.version} builds {theirs.name}"
    names = [visible([_name(it, i) for i in ids], 120) for ids in (others, ours)]
    what = f"{how}: {visible(text)} becomes {names[0]}, by the file {names[1]}"
    if there := [key for key in _SWITCHES if key in it.config]:
        what += f"; {it.settings} sets {', '.join(there)}"
    return Evidence(what, *_keeping_stages(it))


def _name(it: Opened, token_id: int) -> str:
    return next((token for token, i in it.table.ids.items() if i == token_id), str(token_id))


@check("fault", "AutoTokenizer cuts these tokens into pieces, which have other ids.")
def added_token_lost(it: Opened) -> Evidence | None:
    if it.is_older:
        lacking("a tokenizer.json")
    markers = it.table.markers[: len(it.library.marker_ids)]
    mine = [it.pipeline.encode(token, add_special_tokens=False) for token in markers]
    theirs = it.library.marker_ids
    lost = [t for t, ours, other in zip(markers, mine, theirs, strict=True) if ours != other]
    if not lost:
        return None
    of = it.library
    what = f"{of.name} of transformers {of.version} does not find {listed(lost)}"
    rows = it.config.get("added_tokens_decoder")
    if isinstance(rows, dict) and not {*lost} <= it.listed:
        what += ", which added_tokens_decoder in tokenizer_config.json lacks"
    return Evidence(what, *_keeping_stages(it))


def _keeping_stages(it: Opened) -> tuple[list[Change], str]:
    """Say with what transformers takes the stages of the file."""
    # Some types of models have a class whatever the settings of the tokenizer name.
    if it.model_config.get("model_type"):
        return [], f"Load it with `{_ANY}.from_pretrained(folder)`"
    now = it.config.get("tokenizer_class", ABSENT)
    return [Change(Place(it.settings), "tokenizer_class", now, _ANY)], ""


@check(
    "fault",
    "The row of the new token was never trained, if there is one.",
    "Or take the tokenizer.json that belongs to these settings.",
)
def token_not_there(it: Opened) -> Evidence | None:
    if not it.config:
        lacking("tokenizer_config.json")
    older = beside(it.file, "added_tokens") if it.is_older else {}
    there = {token for token, _ in it.table.pairs} | it.listed | older.keys()
    there |= set() if it.is_older else it.table.ids.keys()
    said, changes = [], []
    for name in ("bos_token", "eos_token", "pad_token"):
        token = content_of(it.config.get(name))
        if not token or token in there:
            continue
        said.append(f"{name} in {it.home(name)} is {visible(token)}")
        alike = difflib.get_close_matches(token, filter(CONTROL.fullmatch, there), 1, 0.8)
        changes += [Change(it.home(name), name, token, each) for each in alike]
    new = "transformers adds one, with an id of its own"
    what = f"{'; '.join(said)}: {it.file.name} has no such token, and {new}"
    fix = "" if changes else f"If the token is to be new: {_growing(it)}"
    return Evidence(what, changes, fix) if said else None


def _growing(it: Opened) -> str:
    """Say what a token more needs of the table."""
    grow = "`model.resize_token_embeddings(len(tokenizer))`"
    rows = known(lambda: it.rows.value)
    if rows is None:
        return f"only if the table has fewer than {it.table.n_vocab + 1:,} rows, {grow}"
    if rows > it.table.n_vocab:
        return f"the table has spare rows ({rows:,}), so leave its size as it is"
    return f"the table needs a row for it, {grow}, which is to be trained"


@check("risk", "transformers takes one list; tokens of the other are cut into pieces.")
def both_keys(it: Opened) -> Evidence | None:
    names = ("extra_special_tokens", "additional_special_tokens")
    first, second = (it.config.get(name) or [] for name in names)
    if not (isinstance(second, list) and first and second):
        return None
    more = [token for token in second if content_of(token) not in it.table.ids]
    extra = [*first.values()] if isinstance(first, dict) else first
    home = Place("tokenizer_config.json")
    changes = [
        Change(home, names[0], first, [*extra, *(t for t in second if t not in extra)]),
        Change(home, names[1], second, []),
    ]
    lost = f"; {listed(map(content_of, more))} stand in the second alone" if more else ""
    return Evidence(f"tokenizer_config.json has {names[0]} and {names[1]}{lost}", changes)


@check("risk", "transformers 5 keeps the post-processor; the last vector is another one.")
def setting_ignored(it: Opened) -> Evidence | None:
    around = it.pipeline.encode("")
    keys = {f"add_{name}": it.special(name) for name in ("bos_token", "eos_token")}
    missing = {
        key: token
        for key, token in keys.items()
        if it.config.get(key) is True and token and it.table.ids.get(token) not in around
    }
    if it.is_older or not missing:
        return None
    said = ", ".join(f"{key}: true" for key in missing)
    what = f"{said} in {it.settings}, and 'a' becomes {it.pipeline.encode('a')}, without "
    what += " and ".join(f"{it.table.ids.get(t)} {visible(t)}" for t in missing.values())
    both = ", ".join(f"{key}=True" for key in keys if it.config.get(key) is True)
    return Evidence(what, fix=f"Load it with `AutoTokenizer.from_pretrained(folder, {both})`")


@check(
    "risk",
    "Llama 3's pattern was saved by mistake; training had another one.",
    "Load it with `AutoTokenizer.from_pretrained(folder, fix_mistral_regex=True)`, and save it.",
)
def mistral_pattern(it: Opened) -> Evidence | None:
    of_text = it.model_config.get("text_config")
    configs = (it.model_config, of_text if isinstance(of_text, dict) else {})
    if not any(config.get("model_type") in _MISTRAL for config in configs):
        lacking("a model of Mistral")
    version = str(it.model_config.get("transformers_version") or "")
    is_old = bool(re.match(r"[0-4]\.", version))
    pattern = json.dumps(it.content.get("pre_tokenizer"))
    is_llama = r"(?i:'s|'t|'re" in pattern and r"\\p{N}{1,3}" in pattern
    what = f"config.json is of transformers {version}, and the pre-tokenizer has Llama 3's pattern"
    return Evidence(what) if is_old and is_llama and it.table.n_vocab > 100_000 else None


@check(
    "risk",
    "skip_special_tokens keeps them, split_special_tokens finds them.",
    "Or handle each explicitly.",
)
def control_not_special(it: Opened) -> Evidence | None:
    found = [
        token.content
        for token_id, token in it.pipeline.added_tokens.items()
        if CONTROL.fullmatch(token.content)
        and it.pipeline.decode([token_id], skip_special_tokens=True)
    ]
    changes = [Change(Place(it.file.name, "", t), "special", False, True) for t in found[:9]]
    what = f"{len(found):,} with special: false: {listed(found)}"
    return Evidence(what, changes) if found else None


@check("risk", "Texts of different lengths make no batch.")
def no_pad(it: Opened) -> Evidence | None:
    padding = it.any_config and it.content.get("padding")
    saved = padding.get("pad_token") if isinstance(padding, dict) else None
    if it.special("pad_token") or saved:
        return None
    if not it.knows_specials():
        lacking(f"transformers, which knows the tokens of {it.named_class}")
    return Evidence(f"no pad_token: {it.lack}", *_padding(it))


@check(
    "risk",
    "Labels that hide padding by its id hide EOS too, and the model never learns to stop.",
    "Or hide labels by the attention mask, `labels[attention_mask == 0] = -100`.",
)
def pad_is_eos(it: Opened) -> Evidence | None:
    pad = it.any_config and it.special("pad_token")
    if not pad or pad != it.special("eos_token"):
        return None
    places = {it.origin(name) for name in ("pad_token", "eos_token")}
    ids = f" ({it.table.ids[pad]})" if pad in it.table.ids else ""
    what = f"pad_token and eos_token, by {' and '.join(sorted(places))}, are both {visible(pad)}"
    return Evidence(f"{what}{ids}", *_padding(it))


def _padding(it: Opened) -> tuple[list[Change], str]:
    """Name a token that may be used for padding."""
    tokens = [token for token in (*it.table.markers, "<pad>", "[PAD]") if token in it.table.ids]
    for sign in ("pad", "reserved|unused"):
        for token in tokens:
            if re.search(f"(?i){sign}", token) and token != it.special("eos_token"):
                now = it.config.get("pad_token", ABSENT)
                return [Change(it.home("pad_token"), "pad_token", now, token)], ""
    new = '`tokenizer.add_special_tokens({"pad_token": "<pad>"})`'
    return [], f"No token of {it.file.name} is for padding; a new one, {new}: {_growing(it)}"


@check(
    "fault",
    "truncation=True lets texts through that have more tokens than the model has positions: that "
    f"{BEYOND}.",
    "A longer limit needs a model with more positions.",
)
def limit_above_positions(it: Opened) -> Evidence | None:
    limit, positions = it.limit or lacking("model_max_length"), it.positions
    rotates = any("rope" in key for _, config in it.configs() for key in config)
    what = f"model_max_length in {it.settings} is {limit:,}, and {positions} is "
    what += f"{positions.value:,}"
    change = Change(Place(it.settings), "model_max_length", limit, positions.value)
    # Positions that are computed have no table to end.
    level = "risk" if rotates else ""
    return Evidence(what, [change], level=level) if limit > positions.value else None


@check(
    "risk",
    "truncation=True cuts nothing.",
    "Or pass the limit at each call, such as `tokenizer(text, truncation=True, max_length=512)`.",
)
def no_limit(it: Opened) -> Evidence | None:
    if it.any_config and it.limit:
        return None
    now = it.config.get("model_max_length", ABSENT)
    beyond = f"model_max_length in {it.settings} is beyond any text"
    what = f"no model_max_length: {it.lack}" if now in (ABSENT, None) else beyond
    positions = known(lambda: it.positions.value)
    change = Change(Place(it.settings), "model_max_length", now, positions)
    return Evidence(what, [change] if positions else [])


@check("risk", "Another class has other special tokens, or cuts otherwise.")
def guessed_stages(it: Opened) -> Evidence | None:
    if not it.is_older:
        lacking("a folder of older files (vocab.json, vocab.txt)")
    if it.named_class:
        return None
    is_bpe = it.content["model"]["type"] == "BPE"
    whose, name = ("GPT-2's", "GPT2") if is_bpe else ("BERT's", "Bert")
    what = f"no file says which stages {it.file.name} goes with; {whose} were taken"
    other = ", RobertaTokenizer perhaps: <s> is its first token" * (it.table.ids.get("<s>") == 0)
    change = Change(Place(it.settings), "tokenizer_class", ABSENT, f"{name}Tokenizer")
    return Evidence(what, [change], f"If another class was used in training, name it{other}")


@check("fault", "The package tokenizers skips merges at random (Pipeline does not).")
def saved_dropout(it: Opened) -> Evidence | None:
    return _saved(it, "dropout", Place(it.file.name, "model"))


@check(
    "risk",
    "The package tokenizers cuts texts silently (Pipeline does not).",
    "Or call `tokenizer.no_truncation()` of the package tokenizers, and save the file.",
)
def saved_truncation(it: Opened) -> Evidence | None:
    return _saved(it, "truncation", Place(it.file.name))


@check(
    "risk",
    "The package tokenizers pads each text (Pipeline does not).",
    "Or call `tokenizer.no_padding()` of the package tokenizers, and save the file.",
)
def saved_padding(it: Opened) -> Evidence | None:
    return _saved(it, "padding", Place(it.file.name))


def _saved(it: Opened, key: str, place: Place) -> Evidence | None:
    value = (it.content[place.part] if place.part else it.content).get(key)
    what = f"{key} in {place} is {shortened(value, 120)}"
    return Evidence(what, [Change(place, key, value, None)]) if value else None
