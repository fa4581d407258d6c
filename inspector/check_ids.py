"""Findings in the ids of the files, and in their number."""

import re

from companion.files import text_of
from inspector.check import Change, Evidence, NotChecked, check, lacking
from inspector.opened import SETTINGS, Opened
from inspector.settings import beside, content_of, values
from inspector.showing import CONTROL, listed, visible
from inspector.table import LARGEST_ID

_LOST = 0.05  # of the longer tokens; in published files at most 0.005 are the result of no merge
_FEW = 20  # tokens, which a vocabulary may have beside
_ROUND = 64  # tables are rounded up to multiples of this number


@check("fault", "Take vocabulary and merges from one source.")
def merge_without_token(it: Opened) -> Evidence | None:
    """The file is refused: one of the two was edited, or is another's."""
    there, lost = {token for token, _ in it.table.pairs}, []
    for merge in it.table.results():
        lost += [(*merge[:2], token) for token in merge if token not in there][:1]
    if not lost:
        return None if it.table.merges else lacking("merges")
    left, right, token = map(visible, lost[0])
    first = f"{left} and {right} need {token}, which is no token"
    return Evidence(f"{len(lost):,} of {len(it.table.merges):,} merges: {first}")


@check("fault", "Take the whole merges of this vocabulary; look whether a download ended early.")
def merges_missing(it: Opened) -> Evidence | None:
    """Texts become more tokens than in training."""
    part = it.content["model"]
    if part.get("type", "BPE") != "BPE" or not it.table.merges:
        lacking("a BPE with merges")
    suffix = part.get("end_of_word_suffix") or ""
    made = {token for *_, token in it.table.results()} | {*it.table.markers}
    longer = [
        token
        for token, _ in it.table.pairs
        if len(token.removesuffix(suffix).removeprefix(it.table.prefix)) > 1
        and not (CONTROL.fullmatch(token) or re.fullmatch(r"<0x\w\w>|##.*", token))
    ]
    lost = [token for token in longer if token not in made]
    if len(lost) <= max(_FEW, _LOST * len(longer)):
        return None
    where = "merges.txt" if it.is_older else it.file.name
    of = f"{where} has {len(it.table.merges):,} merges: {len(lost):,} of the {len(longer):,} longer"
    share = f"{len(lost) / len(longer):.0%}; usual: less than 1 %"
    return Evidence(f"{of} tokens are the result of no merge ({share}), such as {visible(lost[0])}")


@check("fault", "Give each token the id that it had in training.")
def two_names(it: Opened) -> Evidence | None:
    """What is encoded as one token is looked up, or decoded, as another."""
    ids, tokens = it.table.twice
    twice = [f"{visible(token)} is {listed(those)}" for token, those in ids.items()]
    twice += [f"id {i} is {listed(those)}" for i, those in tokens.items()]
    if not twice:
        return None
    what = "; ".join(twice[:3]) + (f"; {len(twice) - 3:,} more" if len(twice) > 3 else "")
    wrong = [(token.content, given, gets) for token, given, gets in it.table.added if given != gets]
    gives = "; ".join(f"{visible(token)} gets the id {i}" for token, _, i in wrong[:3])
    free = next(i for i in range(len(it.table.used) + 1) if i not in it.table.used)
    fix = gives or f"The next free id is {free}"
    if it.is_older:
        return Evidence(what, fix=f"{fix}. If the weights have no row, delete added_tokens.json")
    changes = [Change(it.entry(token), "id", given, gets) for token, given, gets in wrong[:3]]
    return Evidence(what, changes, fix)


@check("fault", "Take both files from one source; the ids of the weights count.")
def ids_differ(it: Opened) -> Evidence | None:
    """Another program takes the other id."""
    if it.is_older or not it.listed:
        lacking(f"added_tokens_decoder in {SETTINGS}, and a tokenizer.json")
    mine, theirs = it.table.ids, {content_of(token): i for i, token in it.listed.items()}
    wrong = [token for token, i in theirs.items() if mine.get(token, i) != i]
    if not wrong:
        return None
    said = [
        f"{visible(token)} is {theirs[token]} in added_tokens_decoder of {SETTINGS}, and "
        f"{mine[token]} in {it.file.name}"
        for token in wrong[:3]
    ]
    settings = [pair for _, config in it.configs() for pair in config.items()]
    named = {i for key, i in settings if key.endswith("_token_id") and type(i) is int}
    for where, ids in (("the list", theirs), (it.file.name, mine)):
        if named & {ids[token] for token in wrong}:
            return Evidence("; ".join(said), fix=f"config.json has the ids of {where}")
    return Evidence("; ".join(said))


@check("risk", "Keep the one of the training; delete the other.")
def list_differs(it: Opened) -> Evidence | None:
    """Programs that read the other file give other ids."""
    lines, lists = it.file.with_name("vocab.txt"), {"vocab.json": beside(it.file, "vocab")}
    if lines.is_file():
        tokens = text_of(lines, "a vocab.txt", errors="replace").split("\n")
        lists["vocab.txt"] = {token.removesuffix("\r"): i for i, token in enumerate(tokens)}
    if it.is_older or not any(lists.values()):
        lacking("a vocab.txt or a vocab.json beside a tokenizer.json")
    said, mine = [], it.table.ids
    for name, ids in lists.items():
        if wrong := [token for token, i in ids.items() if mine.get(token, i) != i]:
            first = f"{visible(wrong[0])} is {ids[wrong[0]]}, in {it.file.name} {mine[wrong[0]]}"
            said.append(f"{name}: {len(wrong):,} ids differ, such as {first}")
    return Evidence("; ".join(said)) if said else None


@check("risk", "Compare it with the original, byte for byte.")
def list_short(it: Opened) -> Evidence | None:
    """If a line is missing, each id behind it is one too low."""
    if it.file.name != "vocab.txt":
        lacking("a folder whose tokens are in a vocab.txt")
    lines, rows = len(it.table.pairs), it.rows
    if not 0 < rows.value - it.table.n_vocab < 8 or rows.value % _ROUND == 0:
        return None
    what = f"vocab.txt has {lines:,} lines, and {rows} is {rows.value:,}, no multiple of {_ROUND}"
    return Evidence(what)


@check("note", "Size tables by n_vocab, the highest id plus one.")
def gaps(it: Opened) -> Evidence | None:
    """len(vocab) is less than the highest id plus one."""
    if any(it.table.twice):
        raise NotChecked("it needs one id for each token (see two-names)")
    n = it.table.n_vocab - len(it.table.used)
    first = next((i for i in range(it.table.n_vocab) if i not in it.table.used), 0)
    return Evidence(f"{n:,} ids, the first is {first:,}") if n else None


@check("fault", "A model that you received: ask for the weights, or the tokenizer, that match.")
def table_short(it: Opened) -> Evidence | None:
    """An id beyond the last row is an IndexError, or an assertion on a GPU."""
    n, rows, new = it.n_ids, it.rows, it.new_tokens
    if rows.value >= n:
        return None
    beyond = [f"{i} {visible(t)}" for t, i in it.table.ids.items() if i >= rows.value]
    what = f"{n:,} ids, {rows.value:,} rows ({rows})"
    what += f"; transformers adds {listed(new)}, which only the settings name" if new else ""
    what += f"; without a row: {', '.join(beyond[:3])}" if beyond else ""
    if any(it.table.twice):
        return Evidence(what, fix="First mend what two-names says")
    fix = f"Your own model: `model.resize_token_embeddings({n})`, then train the new rows"
    if not beyond:
        fix = f"Remove {listed(new)} from the settings, if the model never saw it. {fix}"
    return Evidence(what, fix=fix)


@check("note")
def table_long(it: Opened) -> Evidence | None:
    """Tables are often rounded up; an id without a token can still be sampled."""
    n, rows = it.n_ids, it.rows
    fix = f"If they come: `model.generate(**batch, suppress_tokens=[*range({n}, {rows.value})])`"
    what = f"{n:,} ids, {rows.value:,} rows ({rows})"
    return Evidence(what, fix=fix) if rows.value > n else None


@check("fault", "Another model's config? Take the one that belongs to this tokenizer.")
def id_without_row(it: Opened) -> Evidence | None:
    """Looking up that id is an IndexError, or an assertion on a GPU."""
    rows, wrong, changes = it.rows, [], []
    for place, config in it.configs():
        for name, value in config.items():
            # An id that a token has is the same fault as table-short.
            beyond = [i for i in values(value) or [value] if type(i) is int and i >= rows.value]
            is_id = name.endswith(("_token_id", "_token_index"))
            if is_id and max(beyond, default=-1) >= it.n_ids:
                wrong.append(f"{name} in {place} is {it.named(beyond)}")
                right = it.table.ids.get(it.specials.get(name.removesuffix("_id"), ""), rows.value)
                changes += [Change(place, name, value, right)] if right < rows.value else []
    what = f"{'; '.join(wrong[:4])}, and the table has {rows.value:,} rows ({rows})"
    return Evidence(what, changes) if wrong else None


@check("fault", "An id is the number of a row.")
def id_too_large(it: Opened) -> Evidence | None:
    """The package tokenizers cannot load the file."""
    large = [token for token, i in it.table.ids.items() if i > LARGEST_ID]
    first = f"{it.table.ids[large[0]]} of {visible(large[0])}" if large else ""
    return Evidence(f"{len(large):,} ids, such as {first}; {it.table.limit}") if large else None


@check("fault")
def byte_fallback_off(it: Opened) -> Evidence | None:
    """No text becomes a byte token, so characters without a token of their own are lost."""
    part, names = it.content["model"], {f"<0x{byte:02X}>" for byte in range(256)}
    if part.get("type", "BPE") not in ("BPE", "Unigram") or not names <= it.table.ids.keys():
        lacking("the 256 tokens <0x00> to <0xFF>")
    if part.get("byte_fallback") is True:
        return None
    sign = next((sign for sign in "🙂𓀀" if sign not in it.table.ids), "")
    becomes = visible(it.pipeline.stages(sign).tokens)
    what = f"all 256 byte tokens <0x00> to <0xFF> are there, and {visible(sign)} becomes {becomes}"
    now = part.get("byte_fallback")
    return Evidence(what, [Change(f"{it.file.name}, model", "byte_fallback", now, True)])
