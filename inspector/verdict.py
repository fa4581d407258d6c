"""What is said of a tokenizer: the verdict first, then what it is, then each finding in short."""

from collections import Counter
from collections.abc import Iterator

from inspector.check import Evidence, known
from inspector.inspection import Finding, Report
from inspector.opened import Opened
from inspector.settings import beside

_TEMPLATES = {"<|im_start|>": "ChatML", "[INST]": "Llama 2", "<|start_header_id|>": "Llama 3",
              "<start_of_turn>": "Gemma"}  # fmt: skip
_MOST = 4  # settings that are written for a finding


def summary(found: Report) -> str:
    """Say OK, CHECK or BROKEN, and count what was found and what was looked at."""
    counts = Counter(each.level for each in found.findings)
    verdict = "BROKEN" if counts["fault"] else "CHECK" if counts["risk"] else "OK"
    counts["check"] = len(found.clean) + len(found.findings)
    apart = sum(map(len, found.not_checked.values()))
    faults, risks, made, notes = (
        f"{counts[noun]:,} {noun}{'s' * (counts[noun] != 1)}"
        for noun in ("fault", "risk", "check", "note")
    )
    return (
        f"{verdict}: {faults}, {risks}. {made} made, {apart} do not apply (--all); "
        f"{notes} (--notes)"
    )


def facts(it: Opened) -> str:
    """Say what a tokenizer is: its model, ids, rows, limits and template."""
    part = it.content["model"]
    kind = it.read.model.kind if it.read else str(part.get("type"))
    kind += " with byte fallback" if part.get("byte_fallback") is True else ""
    if it.is_older:
        files = "vocab.json + merges.txt" if it.file.name == "vocab.json" else it.file.name
        kind = f"{files} ({it.named_class or 'no class named'})"
    said = [kind, f"{it.table.n_vocab:,} ids"]
    if it.n_ids != it.table.n_vocab:
        said += [f"{it.n_ids:,} with those that transformers adds"]
    if rows := known(lambda: it.rows):
        spare = rows.value - it.n_ids
        said += [f"{rows.value:,} rows ({rows.file}{f', {spare:,} spare' if spare > 0 else ''})"]
    if it.limit:
        said += [f"limit {it.limit:,}"]
    cut = beside(it.file, "sentence_bert_config").get("max_seq_length")
    if type(cut) is int and cut != it.limit:
        said += [f"sentence-transformers cuts at {cut:,}, silently"]
    if positions := known(lambda: it.positions):
        said += [f"{positions.value:,} positions"]
    if template := known(lambda: it.template):
        name = next((f" ({name})" for sign, name in _TEMPLATES.items() if sign in template), "")
        said += [f"chat template{name}"]
    return f"{it.file.resolve().parent.name}: {', '.join(said)}"


def lines_of(finding: Finding, seen: Evidence) -> Iterator[str]:
    """Write a finding: which settings of which files, why it matters, and what to do."""
    head = f"{finding.level} {finding.code}  "
    rows = [change.short() for change in seen.changes[:_MOST]]
    rows += [f"and {len(seen.changes) - _MOST} more"] if len(seen.changes) > _MOST else []
    first, *more = rows or [finding.what]
    yield head + first
    yield from (" " * len(head) + row for row in more)
    # Of a risk, the settings say enough.
    is_whole = finding.level == "fault" or not rows
    yield from [f"      {finding.what}"] if rows and is_whole else []
    yield f"      {finding.why}"
    yield from [f"      fix: {seen.fix}"] if seen.fix and is_whole else []
