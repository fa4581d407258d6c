"""The pins hold on every platform and every Python that the book promises.

Nothing is downloaded: the markers in requirements.txt say what is installed where, and the metadata
of what is installed here says what that needs. `make lock` asks for a wheel of each.
"""

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from itertools import product
from pathlib import Path

import pytest
import tomllib
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LEFT_OUT = set(PROJECT["tool"]["uv"]["pip"]["no-emit-package"])
"""Libraries for accelerators: each build of torch brings those that it needs."""
PLATFORMS = {
    "linux": ("linux", "posix", "Linux", "x86_64"),
    "linux-arm": ("linux", "posix", "Linux", "aarch64"),
    "macos": ("darwin", "posix", "Darwin", "arm64"),
    "windows": ("win32", "nt", "Windows", "AMD64"),
}
NAMES = ("sys_platform", "os_name", "platform_system", "platform_machine")
ENVIRONMENTS = {
    f"{platform}-3.{minor}": {
        **dict(zip(NAMES, values, strict=True)),
        "python_version": f"3.{minor}",
        "python_full_version": f"3.{minor}.1",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    for (platform, values), minor in product(PLATFORMS.items(), range(11, 15))
}


def direct() -> list[Requirement]:
    """What the project itself asks for: for the package, and in the pinned groups."""
    groups = PROJECT["dependency-groups"]
    lines = [line for group in PROJECT["tool"]["uv"]["pip"]["group"] for line in groups[group]]
    return [Requirement(line) for line in [*PROJECT["project"]["dependencies"], *lines]]


def pins(text: str) -> list[Requirement]:
    """Read the lines of requirements.txt, without the package itself."""
    return [Requirement(line) for line in text.split("\n") if re.match(r"[\w.-]+==", line)]


@cache
def metadata(name: str, version: str) -> tuple[tuple[Requirement, ...], str] | None:
    """What a version of a package needs, and its Pythons; None if it is not installed here."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return None
    if found.version.partition("+")[0] != version:  # torch is 2.13.0+cpu
        return None
    needs = tuple(map(Requirement, found.requires or []))
    has_python = "Requires-Python" in found.metadata
    return needs, found.metadata["Requires-Python"] if has_python else ""


def faults(text: str, environment: dict[str, str]) -> list[str]:
    """What is missing, pinned twice or of the wrong version in an environment."""
    chosen: dict[str, str] = {}
    found = []
    for pin in pins(text):
        if pin.marker is None or pin.marker.evaluate(environment):
            name = canonicalize_name(pin.name)
            found += [f"{name} is pinned twice"] if name in chosen else []
            chosen[name] = str(pin.specifier).removeprefix("==")
    queue = [("the project", requirement, "") for requirement in direct()]
    seen = set()
    while queue:
        parent, requirement, extra = queue.pop()
        if requirement.marker and not requirement.marker.evaluate(environment | {"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        if name in LEFT_OUT:
            continue
        if name not in chosen:
            found.append(f"{name}, which {parent} needs, is not pinned")
            continue
        if not requirement.specifier.contains(chosen[name], prereleases=True):
            found.append(f"{parent} needs {requirement}, and {chosen[name]} is pinned")
        for extra in {"", *requirement.extras}:
            known = metadata(name, chosen[name]) if (name, extra) not in seen else None
            seen.add((name, extra))
            if known is None:
                continue
            needs, python = known
            if not SpecifierSet(python).contains(environment["python_full_version"]):
                found.append(f"{name} {chosen[name]} needs Python {python}")
            queue += [(name, need, extra) for need in needs]
    return found


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_pins_are_complete_and_agree(name: str) -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    assert faults(text, ENVIRONMENTS[name]) == []


def test_most_of_what_is_pinned_can_be_looked_at_here() -> None:
    listed = pins((ROOT / "requirements.txt").read_text(encoding="utf-8"))
    known = [p.name for p in listed if metadata(p.name, str(p.specifier).removeprefix("=="))]
    assert len(known) > 0.8 * len(listed)


def test_faults_in_pins_would_be_found() -> None:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    here, there = ENVIRONMENTS["linux-3.11"], ENVIRONMENTS["macos-3.14"]
    without = re.sub(r"^appnope==.*\n", "", text, flags=re.MULTILINE)
    assert faults(without, here) == []
    assert any("appnope, which" in fault for fault in faults(without, there))
    old = re.sub(r"^(docutils)==.*$", r"\1==0.1", text, flags=re.MULTILINE)
    assert any("docutils" in fault and "0.1 is pinned" in fault for fault in faults(old, here))
    assert "regex is pinned twice" in faults(f"{text}\nregex==1.0\n", here)
    assert any("needs Python" in f for f in faults(text, here | {"python_full_version": "3.7.1"}))
