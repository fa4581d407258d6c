"""Findings in what a tokenizer makes of texts."""

import re
import time

from companion.bpe.alphabet import SIGN_TO_BYTE
from inspector.check import ABSENT, Change, Evidence, Place, check, lacking
from inspector.check_ids import lost_merges
from inspector.opened import TEXTS, Opened
from inspector.showing import CONTROL, listed, visible

_ALIKE = {
    "all spaces": ("a b", "ab"), "case": ("Hat", "hat"), "accents": ("résumé", "resume"),
    "composed and decomposed letters": ("\xe9", "e\u0301"), "runs of spaces": ("a  b", "a b"),
    "line breaks": ("a\nb", "a b"), "spaces at the end": ("a ", "a"),
    "compatible characters": ("ﬁ ２", "fi 2"),
}  # fmt: skip
_CHARACTERS = "aZ9é日ह🙂\u200d¶"
_SECONDS = 5.0  # for the tokens of a vocabulary
_LONGEST = 1_000  # characters of a token that is given to the model: the cost may be cubic
_DAMAGED, _MANY = 0.3, 100  # a share of the tokens, of so many at least: no published file's


@check(
    "note",
    "No text becomes these tokens, so their rows are hardly trained.",
    "Leave them out of prompts and stop words.",
)
def unreachable(it: Opened) -> Evidence | None:
    part, pipeline = it.content["model"], it.pipeline
    inner, suffix = part.get("continuing_subword_prefix") or "##", part.get("end_of_word_suffix")
    words = []
    for token, token_id in it.table.pairs:
        word = token.removesuffix(suffix or "")
        is_inner = token.startswith(inner) or not token.endswith(suffix or "") or not word
        is_byte = re.fullmatch(r"<0x\w\w>", token) or (it.has_byte_signs and _is_part(token))
        is_control = token_id in pipeline.added_tokens or CONTROL.fullmatch(token)
        if not (is_inner or is_byte or is_control) and len(word) <= _LONGEST:
            words.append((word, token_id))
    words.sort(key=lambda pair: len(pair[0]))
    lost, end, seen = [], time.monotonic() + _SECONDS, len(words)
    for i, (word, token_id) in enumerate(words):
        if time.monotonic() > end:
            seen = i
            break
        if [found for _, found in pipeline.model(word)] != [token_id]:
            lost.append(word)
    if not lost:
        return None
    of = f" of the {seen:,} shortest" if seen < len(words) else ""
    cut = visible([token for token, _ in pipeline.model(lost[0])], 80)
    # So many are no property of a vocabulary: its merges or scores are not its own.
    is_damaged = len(lost) > max(_DAMAGED * seen, _MANY) and not lost_merges(it)
    level = "risk" if is_damaged else ""
    what = f"{len(lost):,} tokens{of}; the text of one, {visible(lost[0])}, becomes {cut}"
    return Evidence(what, level=level)


def _is_part(token: str) -> bool:
    """Tell whether a token of byte signs is a byte, or no whole characters."""
    try:
        return len(token) == 1 or not bytes(SIGN_TO_BYTE[sign] for sign in token).decode()
    except (KeyError, UnicodeDecodeError):
        return True


@check("fault", "The list knows no capital letter, so words with one are lost.")
def case_lost(it: Opened) -> Evidence | None:
    if it.content["model"].get("type", "WordPiece") != "WordPiece":
        lacking("a WordPiece")
    words = [token for token, _ in it.table.pairs if not re.fullmatch(r"[\[<].*[\]>]", token)]
    has_small, has_large = (any(re.search(s, w) for w in words) for s in ("[a-z]", "[A-Z]"))
    if has_large or not has_small or it.pipeline.normalizer("A") != "A":
        return None
    text = "The Quick brown Fox met Alice in Paris."
    unknown, tokens = it.content["model"].get("unk_token"), it.pipeline.stages(text).tokens
    what = f"no token has a capital letter, and the text keeps its own: {visible(text)} has "
    what += f"{tokens.count(unknown)} {unknown} among {len(tokens)} tokens"
    changes = []
    part = it.content.get("normalizer")
    if not it.is_older and isinstance(part, dict) and part.get("type") == "BertNormalizer":
        changes = [Change(Place(it.file.name, "normalizer"), "lowercase", False, True)]
    if it.is_older or it.config.get("do_lower_case") is False:
        now = it.config.get("do_lower_case", ABSENT)
        changes.append(Change(Place(it.settings), "do_lower_case", now, True))
    return Evidence(what, changes, "" if changes else "Let the normalizer lower the case")


@check("note", "The model cannot see the difference.", "Keep the texts beside the ids.")
def lossy(it: Opened) -> Evidence | None:
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


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+|\ufffd", text)


@check(
    "note",
    "A decoded text need not be the one that was encoded.",
    "Decode all ids at once, with `tokenizer.decode(ids, clean_up_tokenization_spaces=False)`; or "
    "keep the text.",
)
def decode_changes(it: Opened) -> Evidence | None:
    causes, changes, pipeline = [], [], it.pipeline
    ids, spaced = (pipeline.encode(text, add_special_tokens=False) for text in ("a b", "a ."))
    whole, parts = pipeline.decode(ids), "".join(pipeline.decode([token_id]) for token_id in ids)
    if whole != parts:
        back = "is unchanged" if whole == "a b" else f"comes back as {visible(whole)}"
        causes.append(f"{visible('a b')} {back}, but its tokens one by one become {visible(parts)}")
    if pipeline.decode(spaced) == "a.":
        causes.append(f"{visible('a .')} comes back as 'a.'")
    key, is_bpe = "clean_up_tokenization_spaces", "merges" in it.content["model"]
    if it.config.get(key) is True and not is_bpe:  # transformers 5 ignores it for these
        causes.append(f"{key} in {it.settings} is true")
        changes = [Change(Place(it.settings), key, True, False)]
    return Evidence("; ".join(causes), changes) if causes else None


@check(
    "risk",
    "An answer that has the token is decoded to another text: its characters are read as bytes.",
    "Take another name in ASCII, or decode such a token by itself with "
    "`tokenizer.convert_ids_to_tokens(ids)`.",
)
def added_token_not_decoded(it: Opened) -> Evidence | None:
    if it.pipeline.decoder.kind not in ("ByteLevel", "Sequence") or not it.has_byte_signs:
        lacking("a decoder of bytes")
    wrong = {
        token.content: back
        for i, token in it.pipeline.added_tokens.items()
        if not token.content.isascii()
        and (back := it.pipeline.decode([i])).strip() != token.content.strip()
    }
    said = [f"{visible(token)} becomes {visible(back)}" for token, back in wrong.items()]
    return Evidence("; ".join(said[:3])) if wrong else None


@check("note", "Each part of a text that is encoded in parts gets a space.", "Encode a text whole.")
def prefix_space(it: Opened) -> Evidence | None:
    # What the stages before the model put in front, whatever they do with a space of the text.
    begin = "".join(it.pipeline.stages("a").pre_tokens)
    is_put = len(begin) > 1 and begin[-1] == "a"
    return Evidence(f"'a' is read as {visible(begin)}") if is_put else None
