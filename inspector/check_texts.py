"""Findings in what a tokenizer makes of texts."""

import re

from companion.bpe.alphabet import SIGN_TO_BYTE
from inspector.check import Change, Evidence, check, known, lacking
from inspector.check_ids import merges_missing
from inspector.opened import SETTINGS, TEXTS, Opened
from inspector.showing import CONTROL, listed, visible

_ALIKE = {
    "all spaces": ("a b", "ab"), "case": ("Hat", "hat"), "accents": ("résumé", "resume"),
    "composed and decomposed letters": ("\xe9", "e\u0301"), "runs of spaces": ("a  b", "a b"),
    "line breaks": ("a\nb", "a b"), "spaces at the end": ("a ", "a"),
    "compatible characters": ("ﬁ ２", "fi 2"),
}  # fmt: skip
_words = re.compile(r"[^\W_]+|\ufffd").findall
_CHARACTERS = "aZ9é日ह🙂\u200d¶"
_MOST, _LONGEST = 100_000, 1_000  # tokens, and the characters of one: the cost may be cubic
_DAMAGED, _MANY = 0.3, 100  # a share of the tokens, of so many at least: no published file's


@check("note", "Leave them out of prompts and stop words.")
def unreachable(it: Opened) -> Evidence | None:
    """No text becomes these tokens, so their rows are hardly trained."""
    part, pipeline = it.content["model"], it.pipeline
    has_byte_signs = "ByteLevel" in str(it.content.get("decoder"))
    inner, suffix = part.get("continuing_subword_prefix") or "##", part.get("end_of_word_suffix")
    words = []
    for token, token_id in it.table.pairs:
        word = token.removesuffix(suffix or "")
        is_inner = token.startswith(inner) or not token.endswith(suffix or "") or not word
        is_byte = re.fullmatch(r"<0x\w\w>", token) or (has_byte_signs and _is_part(token))
        is_control = token_id in pipeline.added_tokens or CONTROL.fullmatch(token)
        if not (is_inner or is_byte or is_control) and len(word) <= _LONGEST:
            words.append((word, token_id))
    n, words = len(words), sorted(words, key=lambda pair: len(pair[0]))[:_MOST]
    lost = [word for word, i in words if [found for _, found in pipeline.model(word)] != [i]]
    if not lost:
        return None
    of = f" of the {len(words):,} shortest" if len(words) < n else ""
    cut = visible([token for token, _ in pipeline.model(lost[0])], 80)
    what = f"{len(lost):,} tokens{of}; the text of one, {visible(lost[0])}, becomes {cut}"
    # So many are no property of a vocabulary: its merges or scores are not its own.
    is_many = len(lost) > max(_DAMAGED * len(words), _MANY)
    is_damaged = is_many and not known(merges_missing.run, it)
    return Evidence(what, level="risk" if is_damaged else "")


def _is_part(token: str) -> bool:
    # Tell whether a token of byte signs is a byte, or no whole characters.
    try:
        return len(token) == 1 or not bytes(SIGN_TO_BYTE[sign] for sign in token).decode()
    except (KeyError, UnicodeDecodeError):
        return True


@check("fault")
def case_lost(it: Opened) -> Evidence | None:
    """The list knows no capital letter, so words with one are lost."""
    part, normalizer = it.content["model"], it.content.get("normalizer")
    if part.get("type", "WordPiece") != "WordPiece":
        lacking("a WordPiece")
    words = [token for token, _ in it.table.pairs if not re.fullmatch(r"[\[<].*[\]>]", token)]
    has_small, has_large = (any(re.search(s, w) for w in words) for s in ("[a-z]", "[A-Z]"))
    if has_large or not has_small or it.pipeline.normalizer("A") != "A":
        return None
    text = "The Quick brown Fox met Alice in Paris."
    unknown, tokens = part.get("unk_token"), it.pipeline.stages(text).tokens
    what = f"no token has a capital letter, and the text keeps its own: {visible(text)} has "
    what += f"{tokens.count(unknown)} {unknown} among {len(tokens)} tokens"
    now = it.config.get("do_lower_case")
    changes = []
    if not it.is_older and isinstance(normalizer, dict) and "lowercase" in normalizer:
        changes = [Change(f"{it.file.name}, normalizer", "lowercase", False, True)]
    if it.is_older or now is False:
        changes.append(Change(SETTINGS, "do_lower_case", now, True))
    return Evidence(what, changes, "" if changes else "Let the normalizer lower the case")


@check("note", "Keep the texts beside the ids.")
def lossy(it: Opened) -> Evidence | None:
    """The model cannot see the difference."""
    part, pipeline = it.content["model"], it.pipeline
    unknown = {part.get("unk_id"), pipeline.vocab.get(part.get("unk_token") or "")}

    def ids_of(text: str) -> list[int]:
        ids = pipeline.encode(text, add_special_tokens=False)
        return [] if unknown & {*ids} else ids

    what = [
        f"{name} ({visible(first)} and {visible(second)} have the same ids)"
        for name, (first, second) in _ALIKE.items()
        if ids_of(first) and ids_of(first) == ids_of(second)
    ]
    lost = [sign for sign in _CHARACTERS if not ids_of(sign)]
    what += [f"characters: {listed(lost)}"] if lost else []
    # What has ids of its own comes back: no \ufffd in place of letters, and no words joined.
    broken = {}
    for text in (*sorted({*"".join(TEXTS)} - {*lost}), *TEXTS):
        if ids := ids_of(text):
            back = pipeline.decode(ids)
            was, now = (_words(pipeline.normalizer(each)) for each in (text, back))
            if "".join(was) != "".join(now) or len(now) < len(was):
                broken[text] = back
    if broken:
        text, back = next(iter(broken.items()))
        first = f"such as {visible(text)}, which becomes {visible(back)}"
        what.append(f"{len(broken)} texts do not come back, {first}")
    return Evidence("; ".join(what), level="risk" if broken else "") if what else None


@check("note", "Decode all: `tokenizer.decode(ids, clean_up_tokenization_spaces=False)`.")
def decode_changes(it: Opened) -> Evidence | None:
    """A decoded text need not be the one that was encoded."""
    causes, changes, pipeline = [], [], it.pipeline
    ids, spaced = (pipeline.encode(text, add_special_tokens=False) for text in ("a b", "a ."))
    whole, parts = pipeline.decode(ids), "".join(pipeline.decode([token_id]) for token_id in ids)
    if whole != parts:
        becomes = f"{visible(whole)}, but its tokens one by one become {visible(parts)}"
        causes.append(f"{visible('a b')} comes back as {becomes}")
    if pipeline.decode(spaced) == "a.":
        causes.append(f"{visible('a .')} comes back as 'a.'")
    key, is_bpe = "clean_up_tokenization_spaces", "merges" in it.content["model"]
    if it.config.get(key) is True and not is_bpe:  # transformers 5 ignores it for these
        causes.append(f"{key} in {SETTINGS} is true")
        changes = [Change(SETTINGS, key, True, False)]
    return Evidence("; ".join(causes), changes) if causes else None


@check("risk", "Name it in ASCII, or read it with `tokenizer.convert_ids_to_tokens(ids)`.")
def added_token_not_decoded(it: Opened) -> Evidence | None:
    """An answer with the token is decoded to another text: its letters are read as bytes."""
    if "ByteLevel" not in str(it.content.get("decoder")):
        lacking("a decoder of bytes")
    said = [
        f"{visible(token.content)} becomes {visible(back)}"
        for i, token in it.pipeline.added_tokens.items()
        if not token.content.isascii()
        and (back := it.pipeline.decode([i])).strip() != token.content.strip()
    ]
    return Evidence("; ".join(said[:3])) if said else None


@check("note", "Encode a text whole.")
def prefix_space(it: Opened) -> Evidence | None:
    """Each part of a text that is encoded in parts gets a space."""
    # What the stages before the model put in front, whatever they do with a space of the text.
    begin = "".join(it.pipeline.stages("a").pre_tokens)
    return Evidence(f"'a' is read as {visible(begin)}") if begin[:-1] and begin[-1] == "a" else None
