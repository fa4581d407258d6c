"""What is wrong with a tokenizer: each finding is tried on its files, and none of them is run."""

import os
from typing import Any, NamedTuple

from companion.files import bundled_json
from inspector import check_ids, check_specials, check_texts
from inspector.files import TokenizerFiles
from inspector.limits import within
from inspector.showing import NotChecked

_BUDGET = 10.0  # seconds for a check


class Finding(NamedTuple):
    """What is wrong, with its code, its level, why it matters, and a fix.

    The level is "fault" (wrong ids, or an error), "risk" (wrong in some uses) or "note".
    """

    code: str
    level: str
    what: str
    why: str
    way_out: str


class Report(NamedTuple):
    """The findings, the codes that were checked without one, and why others were not checked."""

    findings: list[Finding]
    clean: list[str]
    not_checked: dict[str, list[str]]

    def parts(self) -> dict[str, list[Finding]]:
        """Return what is to be fixed, and properties that many good tokenizers have, as notes."""
        normal = bundled_json("findings.json")["properties"]
        notes = [each._replace(level="note") for each in self.findings if each.code in normal]
        to_fix = [each for each in self.findings if each.code not in normal]
        return {"To fix": to_fix, "Normal properties, worth knowing": notes}


def inspect_tokenizer(path: str | os.PathLike[str]) -> list[Finding]:
    """Say what is wrong with a tokenizer: a folder with its files, or a `tokenizer.json`.

    Beside the tokenizer's files, those are read that lie there of `tokenizer_config.json`,
    `special_tokens_map.json`, `config.json`, `generation_config.json`, `chat_template.jinja`, and
    of `*.safetensors` the names and shapes. No code and no template of them is run. Of each code
    there is at most one finding, with all causes.

    Faults come first, then risks, then notes. A `ValueError` says that the files are those of no
    tokenizer, or of one that `Pipeline` does not support; one that it refuses for a fault with a
    code is reported. A check that takes longer than ten seconds is given up; under Windows, in a
    browser and outside the main thread nothing can stop it, so open a stranger's files there in a
    process that you can end.

    >>> import json, pathlib, tempfile
    >>> from inspector import inspect_tokenizer
    >>> model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tokenizer.json")
    ...     _ = path.write_text(json.dumps({"model": model}), encoding="utf-8")
    ...     [(each.code, each.what) for each in inspect_tokenizer(folder)]
    [('merge-without-token', "1 of 1 merges: 'a' and 'b' need 'ab', which is no token")]
    """
    return report(TokenizerFiles(path)).findings


def report(files: TokenizerFiles) -> Report:
    """Return what is wrong with the files of a tokenizer, and what was looked at."""
    if files.pipeline is None:
        try:
            is_known = check_ids.merge_without_token(files) or check_ids.two_names(files)
        except ValueError:  # another part is wrong too
            is_known = None
        if not is_known:
            raise ValueError(files.refusal)
    data = bundled_json("findings.json")
    found = Report([], [], {})
    for code, (level, why, fix, *needs) in data["codes"].items():
        lacking = [data["needs"][need] for need in needs if not getattr(files, need)]
        try:
            if lacking:
                raise NotChecked(f"it needs {' and '.join(lacking)}")
            with within(_BUDGET):
                seen = _check(code)(files)
        except (NotChecked, TimeoutError) as error:
            found.not_checked.setdefault(str(error), []).append(code)
            continue
        if seen is None:
            found.clean.append(code)
            continue
        fix = fix if seen.fix else fix.removeprefix("Or ")
        fix = ". ".join(part[:1].upper() + part[1:] for part in (seen.fix, fix) if part)
        found.findings.append(Finding(code, seen.level or level, seen.what, why, fix))
    found.findings.sort(key=lambda row: ("fault", "risk", "note").index(row.level))
    return found


def _check(code: str) -> Any:
    """Return the function of a code, which has its name."""
    modules = check_ids, check_specials, check_texts
    name = code.replace("-", "_")
    return next(getattr(module, name) for module in modules if hasattr(module, name))
