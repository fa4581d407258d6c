"""What is said of a tokenizer: the verdict first, then what it is, then each finding in short."""

from collections import Counter
from collections.abc import Iterator

from inspector.check import NotChecked, known
from inspector.inspection import Entry, Report
from inspector.opened import Opened
from inspector.settings import beside

_VERDICTS = {"fault": "BROKEN", "risk": "CHECK", "note": "OK"}
_TEMPLATES = {"<|im_start|>": "ChatML", "[INST]": "Llama 2", "<|start_header_id|>": "Llama 3",
              "<start_of_turn>": "Gemma"}  # fmt: skip
_MOST = 4  # settings that are written for a finding


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, "1 fault" or "2 faults"."""
    return f"{n:,} {noun}{'s' * (n != 1)}"


def verdict(found: Report) -> str:
    """Return OK, CHECK or BROKEN: by the worst of the findings."""
    levels = {each.level for each in found.findings}
    return next((_VERDICTS[level] for level in _VERDICTS if level in levels), "OK")


def summary(found: Report) -> str:
    """Count what was found and what was looked at."""
    levels = Counter(each.level for each in found.findings)
    apart = sum(map(len, found.not_checked.values()))
    faults, risks = (counted(levels[level], level) for level in ("fault", "risk"))
    made = counted(len(found.clean) + len(found.findings), "check")
    return (
        f"{verdict(found)}: {faults}, {risks}. {made} made, {apart} do not apply (--all); "
        f"{counted(levels['note'], 'note')} (--notes)"
    )


def facts(it: Opened) -> str:
    """Say what a tokenizer is: its model, ids, rows, limits and template."""
    part = it.content["model"]
    kind = it.read.model.kind if it.read else str(part.get("type"))
    kind += " with byte fallback" if part.get("byte_fallback") is True else ""
    if it.is_older:
        files = "vocab.json + merges.txt" if it.file.name == "vocab.json" else it.file.name
        kind = f"{files} ({it.named_class or 'no class named'})"
    said = [kind, f"{it.table.n_vocab:,} ids", *_numbers(it)]
    return f"{it.file.resolve().parent.name}: {', '.join(said)}"


def _numbers(it: Opened) -> Iterator[str]:
    if it.n_ids != it.table.n_vocab:
        yield f"{it.n_ids:,} with those that transformers adds"
    if rows := known(lambda: it.rows):
        spare = rows.value - it.n_ids
        yield f"{rows.value:,} rows ({rows.file}{f', {spare:,} spare' if spare > 0 else ''})"
    cut = beside(it.file, "sentence_bert_config").get("max_seq_length")
    if it.limit:
        yield f"limit {it.limit:,}"
    if type(cut) is int and cut != it.limit:
        yield f"sentence-transformers cuts at {cut:,}, silently"
    if positions := known(lambda: it.positions):
        yield f"{positions.value:,} positions"
    if template := known(lambda: it.template):
        name = next((name for sign, name in _TEMPLATES.items() if sign in template), "")
        yield f"chat template{f' ({name})' if name else ''}"


def not_asked(it: Opened) -> str:
    """Say why transformers was not asked, or nothing."""
    try:
        _ = it.library
    except NotChecked as reason:
        return f"not checked, what transformers makes of it: {reason}"
    return ""


def lines_of(entry: Entry) -> Iterator[str]:
    """Write a finding: which settings of which files, why it matters, and what to do."""
    finding, changes, advice = entry
    head = f"{finding.level} {finding.code}  "
    rows = [change.short() for change in changes[:_MOST]]
    if len(changes) > _MOST:
        rows.append(f"and {len(changes) - _MOST} more")
    said = rows if rows and finding.level != "fault" else [*rows, finding.what]
    yield head + said[0]
    for row in said[1 : len(rows)]:
        yield " " * len(head) + row
    yield from (f"      {row}" for row in (*said[len(rows) or 1 :], finding.why))
    if advice and not (rows and finding.level == "risk"):
        yield f"      fix: {advice}"
