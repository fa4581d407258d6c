"""Findings in what a tokenizer makes of texts: a function for each code."""

import re
import time

from companion.bpe.alphabet import SIGN_TO_BYTE
from companion.files import bundled_json
from inspector.check_specials import CONTROL, keep
from inspector.files import TokenizerFiles
from inspector.pipeline import Pipeline
from inspector.showing import NotChecked, Seen, listed, setting, shown

_SECONDS = 5.0  # for the tokens of a vocabulary
_LONGEST = 1_000  # characters of a token that is given to the model: the cost may be cubic


def class_overrides_file(files: TokenizerFiles) -> Seen | None:
    mine = files.mine
    version = bundled_json("transformers-classes.json")["version"]
    how = f"transformers {version} builds {files.rebuilt['name']}"
    kind = files.rebuilt["stages"]["model"]["type"]
    if (own := files.content["model"].get("type", kind)) != kind:
        return Seen(f"{how}, a {kind}, where {files.file.name} has a {own}", keep(files))
    try:
        theirs = files.built(files.config)
    except ValueError as error:
        raise NotChecked(f"it needs a file that the class can read: {error}") from None
    if (text := _different(mine, theirs)) is None:
        return None
    stages = []
    for name in Pipeline.STAGES:
        parts = (repr(vars(each)[name])[:200] for each in (theirs, mine))
        one, other = (re.sub(r"Sequence\(\w+=\[\]\)|None", "nothing", part) for part in parts)
        stages += [f"{name} {one} and not {other}"] if one != other else []
    both = [shown(each.encode_pair(text).tokens, 120) for each in (theirs, mine)]
    difference = f"{shown(text)} becomes {both[0]}, by the file {both[1]}"
    # It may be settings that make the class differ.
    usual = {k: v for k, v in files.rebuilt["defaults"].items() if not k.endswith("_token")}
    turned = {k: v for k, v in usual.items() if files.config.get(k, v) != v}
    fix = keep(files)
    if turned and _different(mine, files.built(files.config | turned)) is None:
        fix = "; ".join(setting(key, value, files.settings) for key, value in turned.items())
    return Seen(f"{how}: {'; '.join(stages)}. {difference}", fix)


def _different(mine: Pipeline, theirs: Pipeline) -> str | None:
    """Return the first of some texts for which two have other ids."""
    texts = bundled_json("findings.json")["texts"]
    return next((text for text in texts if mine.encode(text) != theirs.encode(text)), None)


def unreachable(files: TokenizerFiles) -> Seen | None:
    part = files.content["model"]
    inner, suffix = part.get("continuing_subword_prefix") or "##", part.get("end_of_word_suffix")
    words = []
    for token, token_id in files.model_vocab:
        word = token.removesuffix(suffix or "")
        is_inner = token.startswith(inner) or not token.endswith(suffix or "") or not word
        is_byte = re.fullmatch(r"<0x\w\w>", token) or (files.has_byte_signs and _is_part(token))
        is_control = token_id in files.mine.added_tokens or CONTROL.fullmatch(token)
        if not (is_inner or is_byte or is_control) and len(word) <= _LONGEST:
            words.append((word, token_id))
    words.sort(key=lambda pair: len(pair[0]))
    lost, end, seen = [], time.monotonic() + _SECONDS, len(words)
    for i, (word, token_id) in enumerate(words):
        if time.monotonic() > end:
            seen = i
            break
        if [found for _, found in files.mine.model(word)] != [token_id]:
            lost.append(word)
    if not lost:
        return None
    of = f" of the {seen:,} shortest" if seen < len(words) else ""
    cut = shown([token for token, _ in files.mine.model(lost[0])], 80)
    return Seen(f"{len(lost):,} tokens{of}; the text of one, {shown(lost[0])}, becomes {cut}")


def _is_part(token: str) -> bool:
    """Tell whether a token of byte signs is a byte, or no whole characters."""
    try:
        return len(token) == 1 or not bytes(SIGN_TO_BYTE[sign] for sign in token).decode()
    except (KeyError, UnicodeDecodeError):
        return True


def lossy(files: TokenizerFiles) -> Seen | None:
    part, data = files.content["model"], bundled_json("findings.json")
    unknown = {part.get("unk_id"), files.mine.vocab.get(part.get("unk_token"))}

    def ids_of(text: str) -> list[int]:
        ids = files.mine.encode(text, add_special_tokens=False)
        return [] if unknown & {*ids} else ids

    what = [
        f"{name} ({shown(first)} and {shown(second)} have the same ids)"
        for name, (first, second) in data["alike"].items()
        if ids_of(first) and ids_of(first) == ids_of(second)
    ]
    lost = [sign for sign in data["characters"] if not ids_of(sign)]
    what += [f"characters: {listed(lost)}"] if lost else []
    return Seen("; ".join(what)) if what else None


def decode_changes(files: TokenizerFiles) -> Seen | None:
    causes, fix = [], ""
    decode = files.mine.decode
    ids, spaced = (files.mine.encode(text, add_special_tokens=False) for text in ("a b", "a ."))
    whole, parts = decode(ids), "".join(decode([token_id]) for token_id in ids)
    if whole != parts:
        back = "is unchanged" if whole == "a b" else f"comes back as {shown(whole)}"
        causes.append(f"{shown('a b')} {back}, but its tokens one by one become {shown(parts)}")
    if decode(spaced) == "a.":
        causes.append(f"{shown('a .')} comes back as 'a.'")
    key, is_bpe = "clean_up_tokenization_spaces", "merges" in files.content["model"]
    if files.config.get(key) is True and not is_bpe:  # transformers 5 ignores it for these
        causes.append(f"{key} in {files.settings} is true")
        fix = setting(key, False, files.settings)
    return Seen("; ".join(causes), fix) if causes else None


def prefix_space(files: TokenizerFiles) -> Seen | None:
    # What the stages before the model put in front, whatever they do with a space of the text.
    begin = "".join(files.mine.stages("a").pre_tokens)
    is_put = len(begin) > 1 and begin[-1] == "a"
    return Seen(f"'a' is read as {shown(begin)}") if is_put else None
