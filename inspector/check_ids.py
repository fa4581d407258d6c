"""Findings in the ids of the files, and in their number."""

import re
from collections.abc import Iterator

from companion.files import text_of
from inspector.check import Change, Evidence, NotChecked, Place, check, known, lacking
from inspector.opened import Opened
from inspector.settings import beside, content_of
from inspector.showing import BEYOND, CONTROL, listed, visible
from inspector.table import LARGEST_ID

_LOST = 0.05  # of the longer tokens; in published files at most 0.005 are the result of no merge
_FEW = 20  # tokens, which a vocabulary may have beside
_ROUND = 64  # tables are rounded up to multiples of this number


@check(
    "fault",
    "The file is refused: one of the two was edited, or is another's.",
    "Take vocabulary and merges from one source.",
)
def merge_without_token(it: Opened) -> Evidence | None:
    if not it.table.merges:
        lacking("merges")
    known, lost = {token for token, _ in it.table.pairs}, []
    for merge in it.table.results():
        lost += [(*merge[:2], token) for token in merge if token not in known][:1]
    if not lost:
        return None
    left, right, token = map(visible, lost[0])
    first = f"{left} and {right} need {token}, which is no token"
    return Evidence(f"{len(lost):,} of {len(it.table.merges):,} merges: {first}")


@check(
    "fault",
    "Texts become more tokens than in training.",
    "Take the whole merges of this vocabulary; look whether a download ended early.",
)
def merges_missing(it: Opened) -> Evidence | None:
    if it.content["model"].get("type", "BPE") != "BPE" or not it.table.merges:
        lacking("a BPE with merges")
    return Evidence(said) if (said := lost_merges(it)) else None


def lost_merges(it: Opened) -> str:
    """Say how many of the longer tokens are the result of no merge, if these are many."""
    suffix = it.content["model"].get("end_of_word_suffix") or ""
    made = {token for *_, token in it.table.results()} | {*it.table.markers}
    longer = [
        token
        for token, _ in it.table.pairs
        if len(token.removesuffix(suffix).removeprefix(it.table.prefix)) > 1
        and not (CONTROL.fullmatch(token) or re.fullmatch(r"<0x\w\w>|##.*", token))
    ]
    lost = [token for token in longer if token not in made]
    if not it.table.merges or len(lost) <= max(_FEW, _LOST * len(longer)):
        return ""
    share = f"{len(lost) / len(longer):.0%}; usual: less than 1 %"
    which = f"are the result of no merge ({share}), such as {visible(lost[0])}"
    where = "merges.txt" if it.is_older else it.file.name
    there = f"{where} has {len(it.table.merges):,} merges"
    return f"{there}: {len(lost):,} of the {len(longer):,} longer tokens {which}"


@check(
    "fault",
    "What is encoded as one token is looked up, or decoded, as another.",
    "Give each token the id that it had in training.",
)
def two_names(it: Opened) -> Evidence | None:
    ids, tokens = it.table.twice
    twice = [f"{visible(token)} is {listed(those)}" for token, those in ids.items()]
    twice += [f"id {i} is {listed(those)}" for i, those in tokens.items()]
    if not twice:
        return None
    more = f"; {len(twice) - 3:,} more" if len(twice) > 3 else ""
    what = "; ".join(twice[:3]) + more
    wrong = [(token.content, given, gets) for token, given, gets in it.table.added if given != gets]
    if not wrong:
        free = next(i for i in range(len(it.table.used) + 1) if i not in it.table.used)
        return Evidence(what, fix=f"The next free id is {free}")
    gives = "; ".join(f"{visible(token)} gets the id {i}" for token, _, i in wrong[:3])
    if it.is_older:
        rows = known(lambda: it.rows.value) or it.table.n_vocab
        is_leftover = "added_tokens_decoder" not in it.config and rows <= len(it.table.pairs)
        has_none = f"{gives}. The weights have no row for it, so delete added_tokens.json"
        return Evidence(what, fix=has_none if is_leftover else gives)
    changes = [Change(Place(it.file.name, "", t), "id", old, new) for t, old, new in wrong[:3]]
    return Evidence(what, changes, f"{gives}: set it if the model was trained so")


@check(
    "fault",
    "Another program takes the other id.",
    "Take both files from one source; the ids of the weights count.",
)
def ids_differ(it: Opened) -> Evidence | None:
    wrong = ids_apart(it)
    if not wrong:
        return None
    said = [
        f"{visible(token)} is {theirs} in added_tokens_decoder of tokenizer_config.json, and "
        f"{mine} in {it.file.name}"
        for token, (theirs, mine) in wrong.items()
    ]
    values = ((key, i) for _, config in it.configs() for key, i in config.items())
    named = {i for key, i in values if key.endswith("_token_id") and type(i) is int}
    token, (theirs, mine) = next(iter(wrong.items()))
    fix = ""
    if named & {at for at, _ in wrong.values()}:
        fix = f"config.json has the ids of the list, so {it.file.name} is another model's"
    elif named & {at for _, at in wrong.values()}:
        fix = f"config.json has those of {it.file.name}: in the list, write {visible(token)} "
        fix += f'under "{mine}" in place of "{theirs}"'
    return Evidence("; ".join(said[:3]), fix=fix)


def ids_apart(it: Opened) -> dict[str, tuple[int, int]]:
    """Return tokens that have one id in added_tokens_decoder, and another in tokenizer.json."""
    rows = it.config.get("added_tokens_decoder")
    if it.is_older or not isinstance(rows, dict):
        lacking("added_tokens_decoder in tokenizer_config.json, and a tokenizer.json")
    ids = {content_of(token): int(i) for i, token in rows.items() if i.isdecimal()}
    mine = it.table.ids
    return {t: (i, mine[t]) for t, i in ids.items() if t in mine and mine[t] != i}


@check(
    "risk",
    "Programs that read the other file give other ids.",
    "Keep the one of the training; delete the other.",
)
def list_differs(it: Opened) -> Evidence | None:
    said = []
    for name, ids in _lists_beside(it):
        theirs = {t: i for t, i in ids.items() if it.table.ids.get(t, i) != i}
        if theirs:
            token, token_id = next(iter(theirs.items()))
            first = f"{visible(token)} is {token_id}, in {it.file.name} {it.table.ids[token]}"
            said.append(f"{name}: {len(theirs):,} ids differ, such as {first}")
    return Evidence("; ".join(said)) if said else None


def _lists_beside(it: Opened) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the lists of tokens beside a tokenizer.json, with their ids."""
    lines = it.file.with_name("vocab.txt")
    listed_ids = beside(it.file, "vocab")
    if it.is_older or not (lines.is_file() or listed_ids):
        lacking("a vocab.txt or a vocab.json beside a tokenizer.json")
    yield "vocab.json", {t: i for t, i in listed_ids.items() if type(i) is int}
    if lines.is_file():
        texts = text_of(lines, "a vocab.txt", errors="replace").split("\n")
        yield "vocab.txt", {token.removesuffix("\r"): i for i, token in enumerate(texts)}


@check(
    "risk",
    "If a line is missing, each id behind it is one too low.",
    "Compare it with the original, byte for byte.",
)
def list_short(it: Opened) -> Evidence | None:
    if it.file.name != "vocab.txt":
        lacking("a folder whose tokens are in a vocab.txt")
    lines, rows = len(it.table.pairs), it.rows
    if not 0 < rows.value - it.table.n_vocab < 8 or rows.value % _ROUND == 0:
        return None
    what = f"vocab.txt has {lines:,} lines, and {rows} is {rows.value:,}, which is no multiple of "
    return Evidence(f"{what}{_ROUND}, so the table was not rounded up")


@check(
    "note",
    "len(vocab) is less than the highest id plus one.",
    "Size tables by n_vocab, the highest id plus one.",
)
def gaps(it: Opened) -> Evidence | None:
    if any(it.table.twice):
        raise NotChecked("it needs one id for each token (see two-names)")
    n = it.table.n_vocab - len(it.table.used)
    first = next((i for i in range(it.table.n_vocab) if i not in it.table.used), 0)
    return Evidence(f"{n:,} ids, the first is {first:,}") if n else None


@check(
    "fault",
    f"An id beyond the last row {BEYOND}.",
    "A model that you received: ask for the weights, or the tokenizer, that match.",
)
def table_short(it: Opened) -> Evidence | None:
    n, rows = it.n_ids, it.rows
    if rows.value >= n:
        return None
    library = known(lambda: it.library)
    new = [t for t in (library.added if library else it.new_tokens) if t not in it.table.ids]
    beyond = [f"{i} {visible(t)}" for t, i in it.table.ids.items() if i >= rows.value]
    what = f"{n:,} ids, {rows.value:,} rows ({rows})"
    what += f"; transformers adds {listed(new)}, which only the settings name" if new else ""
    what += f"; without a row: {', '.join(beyond[:3])}" if beyond else ""
    if any(it.table.twice):
        return Evidence(what, fix="First mend what two-names says")
    fix = f"Your own model: `model.resize_token_embeddings({n})`, then train the new rows"
    if new and it.table.n_vocab <= rows.value:
        fix = f"Remove {listed(new)} from the settings, if the model never saw it. {fix}"
    return Evidence(what, fix=fix)


@check("note", "Tables are often rounded up; an id without a token can still be sampled.")
def table_long(it: Opened) -> Evidence | None:
    n, rows = it.n_ids, it.rows
    fix = f"If they come: `model.generate(**batch, suppress_tokens=[*range({n}, {rows.value})])`"
    what = f"{n:,} ids, {rows.value:,} rows ({rows})"
    return Evidence(what, fix=fix) if rows.value > n else None


@check(
    "fault",
    f"Looking up that id {BEYOND}.",
    "Or take the config, or the weights, that belong to this tokenizer.",
)
def id_without_row(it: Opened) -> Evidence | None:
    rows = it.rows
    texts = {i: visible(token) for token, i in it.table.ids.items()}
    wrong, changes = [], []
    for place, config in it.configs():
        for name, values in config.items():
            if not name.endswith(("_token_id", "_token_index")):
                continue
            right = it.table.ids.get(it.special(name.removesuffix("_id")), rows.value)
            for value in values if isinstance(values, list) else [values]:
                if type(value) is int and value >= rows.value:
                    wrong.append(f"{name} in {place} is {value} {texts.get(value, '(no token)')}")
                    if right < rows.value:
                        changes.append(Change(place, name, values, right))
    what = f"{'; '.join(wrong[:4])}, and the table has {rows.value:,} rows ({rows})"
    return Evidence(what, changes) if wrong else None


@check("fault", "The package tokenizers cannot load the file.", "An id is the number of a row.")
def id_too_large(it: Opened) -> Evidence | None:
    large = {token: i for token, i in it.table.ids.items() if i > LARGEST_ID}
    if not large:
        return None
    token, token_id = next(iter(large.items()))
    return Evidence(f"{len(large):,} ids, such as {token_id} of {visible(token)}; {it.table.limit}")


@check("fault", "No text becomes a byte token, so unknown characters are lost.")
def byte_fallback_off(it: Opened) -> Evidence | None:
    part = it.content["model"]
    names = {f"<0x{byte:02X}>" for byte in range(256)}
    if part.get("type", "BPE") not in ("BPE", "Unigram") or not names <= it.table.ids.keys():
        lacking("the 256 tokens <0x00> to <0xFF>")
    if part.get("byte_fallback") is True:
        return None
    change = Change(Place(it.file.name, "model"), "byte_fallback", part.get("byte_fallback"), True)
    return Evidence("all 256 byte tokens <0x00> to <0xFF> are there, and byte_fallback is not true",
                    [change])  # fmt: skip
