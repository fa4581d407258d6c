"""What is wrong with a tokenizer: each finding is tried on its files, and none of them is run."""

import os
from typing import NamedTuple

from inspector import check_ids as ids
from inspector import check_settings as settings
from inspector import check_texts as texts
from inspector import check_turns as turns
from inspector.check import Check, Evidence, NotChecked
from inspector.limits import within
from inspector.opened import Opened

_BUDGET, _AGAIN = 8.0, 1.0  # seconds for a check, and where one has taken too long
_LEVELS = ("fault", "risk", "note")
_REFUSED = {"merge-without-token", "two-names", "id-too-large"}  # why Pipeline reads no such file

CHECKS: tuple[Check, ...] = (
    turns.bos_twice, settings.class_overrides_file, turns.never_stops,
    turns.template_without_tokens, settings.added_token_lost, settings.token_not_there,
    ids.ids_differ, settings.limit_above_positions, ids.id_without_row, ids.table_short,
    ids.merge_without_token, ids.merges_missing, ids.byte_fallback_off, texts.case_lost,
    ids.two_names, ids.id_too_large, settings.saved_dropout,
    settings.guessed_stages, ids.list_short, ids.list_differs, settings.both_keys,
    settings.setting_ignored, settings.mistral_pattern, settings.control_not_special,
    texts.added_token_not_decoded, settings.no_pad, settings.pad_is_eos, turns.eos_differs,
    turns.no_generation_prompt, settings.no_limit, settings.saved_truncation,
    settings.saved_padding,
    turns.forgeable, turns.two_templates, texts.unreachable, texts.lossy, ids.table_long,
    ids.gaps, texts.decode_changes, texts.prefix_space,
)  # fmt: skip


class Finding(NamedTuple):
    """What is wrong, with its code, its level, why it matters, and a fix.

    The level is "fault" (wrong ids, or an error), "risk" (wrong in some uses) or "note" (a property
    that many good tokenizers have).
    """

    code: str
    level: str
    what: str
    why: str
    fix: str


class Report(NamedTuple):
    """What was found, the codes that were checked without it, and why others were not checked."""

    entries: list[tuple[Finding, Evidence]]
    clean: list[str]
    not_checked: dict[str, list[str]]

    @property
    def findings(self) -> list[Finding]:
        """The findings alone."""
        return [finding for finding, _ in self.entries]


def inspect_tokenizer(path: str | os.PathLike[str], *, ask: bool = True) -> list[Finding]:
    """Say what is wrong with a tokenizer: a folder with its files, or a `tokenizer.json`.

    Beside the tokenizer's files, the settings, the chat template, and of `*.safetensors` the names
    and shapes are read; no code and no template is run. Of each code there is at most one finding,
    faults first, then risks, then notes.

    A `ValueError` says that the files are those of no tokenizer, or of one that `Pipeline` does not
    support. A check that takes longer than ten seconds is given up, but nothing can stop it under
    Windows, in a browser and outside the main thread.

    >>> import json, pathlib, tempfile
    >>> from inspector import inspect_tokenizer
    >>> model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tokenizer.json")
    ...     _ = path.write_text(json.dumps({"model": model}), encoding="utf-8")
    ...     [(each.code, each.what) for each in inspect_tokenizer(folder, ask=False)]
    [('merge-without-token', "1 of 1 merges: 'a' and 'b' need 'ab', which is no token")]
    """
    return report(Opened(path, asks=ask)).findings


def report(it: Opened) -> Report:
    """Return what is wrong with the files of a tokenizer, and what was looked at."""
    found, seconds = Report([], [], {}), _BUDGET
    for check in CHECKS:
        try:
            with within(seconds):
                seen = check.run(it)
        except (NotChecked, TimeoutError) as reason:
            found.not_checked.setdefault(str(reason), []).append(check.code)
            seconds = _AGAIN if isinstance(reason, TimeoutError) else seconds
            continue
        except ValueError:  # in a file that is refused for another reason
            if not it.refusal:
                raise
            continue
        if seen is None:
            found.clean.append(check.code)
            continue
        advice = " ".join(f"{each.rstrip('.')}." for each in (seen.fix, check.fix) if each)
        sets = "; ".join(map(str, seen.changes))
        fix = ". ".join(filter(None, (sets[:1].upper() + sets[1:], advice)))
        level = seen.level or check.level
        finding = Finding(check.code, level, seen.what, check.why, fix)
        found.entries.append((finding, seen._replace(fix=advice)))
    if it.refusal and not _REFUSED & {each.code for each in found.findings}:
        raise ValueError(it.refusal)
    found.entries.sort(key=lambda each: _LEVELS.index(each[0].level))
    return found
