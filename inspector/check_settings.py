"""Findings in the settings of a tokenizer, and in what transformers makes of them."""

import difflib
import json
import re

from companion.checks import shortened
from inspector.check import Change, Evidence, check, known, lacking
from inspector.opened import SETTINGS, TEXTS, Opened
from inspector.settings import content_of, values
from inspector.showing import CONTROL, listed, visible

_ANY_CLASS = ("", "PreTrainedTokenizer", "TokenizersBackend")  # they add no token of their own
_MISTRAL = ("mistral", "mistral3", "voxtral", "ministral", "pixtral")
_SWITCHES = (
    "add_prefix_space", "do_lower_case", "strip_accents", "tokenize_chinese_chars", "legacy",
    "keep_accents", "remove_space",
)  # fmt: skip


@check("fault", "If it still does, load it with `PreTrainedTokenizerFast.from_pretrained(folder)`.")
def class_overrides_file(it: Opened) -> Evidence | None:
    """AutoTokenizer takes other stages than the file's, mostly silently."""
    mine, theirs = [it.pipeline.encode(text) for text in TEXTS], it.library
    if theirs.ids == mine:
        return None
    text, *both = next(row for row in zip(TEXTS, theirs.ids, mine, strict=True) if row[1] != row[2])
    others, ours = (visible([it.table.tokens.get(i, str(i)) for i in ids], 120) for ids in both)
    what = f"transformers {theirs.version} builds {theirs.name}: {visible(text)} becomes {others}"
    what += f", by the file {ours}"
    if there := [key for key in _SWITCHES if key in it.config]:
        what += f"; {SETTINGS} sets {', '.join(there)}"
    now = it.config.get("tokenizer_class")
    return Evidence(what, [Change(SETTINGS, "tokenizer_class", now, "PreTrainedTokenizerFast")])


@check("fault", "If it still does, load it with `PreTrainedTokenizerFast.from_pretrained(folder)`.")
def added_token_lost(it: Opened) -> Evidence | None:
    """AutoTokenizer cuts these tokens into pieces, which have other ids."""
    asked = [*zip(it.table.markers, it.library.marker_ids, strict=False)]
    lost = [t for t, ids in asked if ids != it.pipeline.encode(t, add_special_tokens=False)]
    if not lost:
        return None
    what = f"{it.library.name} of transformers {it.library.version} does not find {listed(lost)}"
    if it.listed and not {*lost} <= {*map(content_of, it.listed.values())}:
        what += f", which added_tokens_decoder in {SETTINGS} lacks"
    now = it.config.get("tokenizer_class")
    return Evidence(what, [Change(SETTINGS, "tokenizer_class", now, "PreTrainedTokenizerFast")])


@check("fault", "Another model's settings? Take the tokenizer.json that belongs to them.")
def token_not_there(it: Opened) -> Evidence | None:
    """The row of the new token was never trained, if there is one."""
    there = it.table.ids.keys() | {*map(content_of, (*it.listed.values(), *it.extra))}
    names = (name for name in ("bos_token", "eos_token", "pad_token") if name in it.config)
    wrong = {name: content_of(it.config[name]) for name in names}
    wrong = {name: token for name, token in wrong.items() if token and token not in there}
    if not wrong:
        return None
    said = (f"{name} in {it.home(name)} is {visible(token)}" for name, token in wrong.items())
    what = f"{'; '.join(said)}: {it.file.name} has no such token, and transformers adds one"
    changes = [
        Change(it.home(name), name, token, each)
        for name, token in wrong.items()
        for each in difflib.get_close_matches(token, filter(CONTROL.fullmatch, there), 1, 0.8)
    ]
    return Evidence(what, changes, "" if changes else f"If it is to be new: {_growing(it)}")


def _growing(it: Opened) -> str:
    # Say what a token more needs of the table.
    grow = "`model.resize_token_embeddings(len(tokenizer))`"
    return f"only if the table has fewer than {it.table.n_vocab + 1:,} rows, {grow}; train its row"


@check("risk", "Name all tokens in extra_special_tokens, and delete the other key.")
def both_keys(it: Opened) -> Evidence | None:
    """AutoTokenizer takes one list; tokens of the other are cut into pieces."""
    names = ("extra_special_tokens", "additional_special_tokens")
    first, second = (values(it.config.get(name)) for name in names)
    if not (first and second):
        return None
    lost = [token for token in map(content_of, second) if token not in it.table.ids]
    more = f"; {listed(lost)} stand in the second alone" if lost else ""
    return Evidence(f"{SETTINGS} has {' and '.join(names)}{more}")


@check("risk")
def setting_ignored(it: Opened) -> Evidence | None:
    """The library keeps the file's post-processor, so the last vector is another one."""
    if it.is_older:
        lacking("a tokenizer.json")
    keys = [key for key in ("bos_token", "eos_token") if it.config.get(f"add_{key}") is True]
    ids = {it.table.ids[token] for key in keys if (token := it.specials[key]) in it.table.ids}
    if not (missing := ids.difference(it.pipeline.encode(""))):
        return None
    said = ", ".join(f"add_{key}: true" for key in keys)
    what = f"{said} in {SETTINGS}, and 'a' becomes {it.pipeline.encode('a')}, without "
    both = ", ".join(f"add_{key}=True" for key in keys)
    fix = f"Load it with `AutoTokenizer.from_pretrained(folder, {both})`"
    return Evidence(what + it.named(missing), fix=fix)


@check("risk", "Save what `AutoTokenizer.from_pretrained(folder, fix_mistral_regex=True)` gives.")
def mistral_pattern(it: Opened) -> Evidence | None:
    """Llama 3's pattern was saved by mistake; training had another one."""
    if not any(config.get("model_type") in _MISTRAL for _, config in it.configs()):
        lacking("a model of Mistral")
    version = str(it.model_config.get("transformers_version") or "")
    pattern = json.dumps(it.content.get("pre_tokenizer"))
    is_llama = r"(?i:'s|'t|'re" in pattern and r"\\p{N}{1,3}" in pattern
    what = f"config.json is of transformers {version}, and the pre-tokenizer has Llama 3's pattern"
    is_wrong = re.match(r"[0-4]\.", version) and is_llama and it.table.n_vocab > 100_000
    return Evidence(what) if is_wrong else None


@check("risk")
def control_not_special(it: Opened) -> Evidence | None:
    """skip_special_tokens keeps them, split_special_tokens finds them."""
    # What the settings name is special for transformers, whatever its entry says.
    named = {*it.specials.values(), *map(content_of, it.extra)}
    found = [
        token.content
        for token_id, token in it.pipeline.added_tokens.items()
        if CONTROL.fullmatch(token.content)
        and token.content not in named
        and it.pipeline.decode([token_id], skip_special_tokens=True)
    ]
    changes = [Change(it.entry(token), "special", False, True) for token in found[:9]]
    what = f"{len(found):,} with special: false: {listed(found)}"
    return Evidence(what, changes) if found else None


@check("risk")
def no_pad(it: Opened) -> Evidence | None:
    """Texts of different lengths make no batch."""
    if it.any_config and it.specials["pad_token"]:
        return None
    if it.named_class not in _ANY_CLASS and not it.answer:
        lacking(f"transformers, which knows the tokens of {it.named_class}")
    return Evidence("no pad_token", *_padding(it))


@check("risk", "Or hide labels by the attention mask: `labels[attention_mask == 0] = -100`.")
def pad_is_eos(it: Opened) -> Evidence | None:
    """Labels that hide padding by its id hide EOS too, and the model never learns to stop."""
    pad = it.any_config and it.specials["pad_token"]
    if not pad or pad != it.specials["eos_token"]:
        return None
    token = it.named([it.table.ids[pad]]) if pad in it.table.ids else visible(pad)
    return Evidence(f"pad_token and eos_token are both {token}", *_padding(it))


def _padding(it: Opened) -> tuple[list[Change], str]:
    # Name a token that may be used for padding.
    tokens = [token for token in (*it.table.markers, "<pad>", "[PAD]") if token in it.table.ids]
    for sign in ("pad", "reserved|unused"):
        for token in tokens:
            if re.search(f"(?i){sign}", token) and token != it.specials["eos_token"]:
                now = it.config.get("pad_token")
                return [Change(it.home("pad_token"), "pad_token", now, token)], ""
    new = '`tokenizer.add_special_tokens({"pad_token": "<pad>"})`'
    return [], f"No token of {it.file.name} is for padding; a new one, {new}: {_growing(it)}"


@check("fault", "A longer limit needs a model with more positions.")
def limit_above_positions(it: Opened) -> Evidence | None:
    """Longer texts pass truncation=True, then raise an IndexError; with RoPE answers get worse."""
    limit, positions = it.limit or lacking("model_max_length"), it.positions
    keys = " ".join(key for _, config in it.configs() for key in config)
    what = f"model_max_length in {SETTINGS} is {limit:,}, and {positions} is {positions.value:,}"
    change = Change(SETTINGS, "model_max_length", limit, positions.value)
    # Positions that are rotated have no table to end.
    level = "risk" if re.search("rope|rotary", keys) else ""
    return Evidence(what, [change], level=level) if limit > positions.value else None


@check("risk", "In a call: `tokenizer(text, truncation=True, max_length=512)`.")
def no_limit(it: Opened) -> Evidence | None:
    """truncation=True cuts nothing."""
    if it.any_config and it.limit:
        return None
    now = it.config.get("model_max_length")
    what = "no model_max_length" if now is None else "model_max_length is beyond any text"
    positions = known(lambda: it.positions.value)
    change = Change(SETTINGS, "model_max_length", now, positions)
    return Evidence(what, [change] if positions else [])


@check("risk", "If another class was used in training, name it.")
def guessed_stages(it: Opened) -> Evidence | None:
    """Another class has other special tokens, or cuts otherwise."""
    if not it.is_older:
        lacking("a folder of older files (vocab.json, vocab.txt)")
    if it.named_class:
        return None
    is_bpe = it.content["model"]["type"] == "BPE"
    whose, name = ("GPT-2's", "GPT2Tokenizer") if is_bpe else ("BERT's", "BertTokenizer")
    what = f"no file says which stages {it.file.name} goes with; {whose} were taken"
    return Evidence(what, [Change(SETTINGS, "tokenizer_class", None, name)])


@check("fault")
def saved_dropout(it: Opened) -> Evidence | None:
    """The package tokenizers skips merges at random (here the file is read without)."""
    return _saved(it, "dropout", "model")


@check("risk", "Or call `tokenizer.no_truncation()` of the package tokenizers, and save the file.")
def saved_truncation(it: Opened) -> Evidence | None:
    """The package tokenizers cuts texts silently (here none is cut)."""
    return _saved(it, "truncation")


@check("risk", "Or call `tokenizer.no_padding()` of the package tokenizers, and save the file.")
def saved_padding(it: Opened) -> Evidence | None:
    """The package tokenizers pads each text (here none is padded)."""
    return _saved(it, "padding")


def _saved(it: Opened, key: str, part: str = "") -> Evidence | None:
    value = (it.content[part] if part else it.content).get(key)
    place = f"{it.file.name}, {part}" if part else it.file.name
    what = f"{key} in {place} is {shortened(value, 120)}"
    return Evidence(what, [Change(place, key, value, None)]) if value else None
