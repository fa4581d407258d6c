"""The roles that colours have in a live figure and in a still one."""

from collections.abc import Iterator

from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from workbook import plots

ROLES = ("token", "segment", "position", "input", "byte")
MARKS = """(box, names) => {
  const probe = box.appendChild(document.createElement("i"));
  const roles = Object.fromEntries(names.map((name) => {
    probe.style.color = `var(--ttv-${name})`;
    return [getComputedStyle(probe).color, name];
  }));
  probe.remove();
  return [...box.querySelectorAll(".ttv-live-stage *")].flatMap((mark) => {
    const {backgroundColor, borderTopColor, fill, stroke} = getComputedStyle(mark);
    return [backgroundColor, borderTopColor, fill, stroke].map((x) => roles[x]).filter(Boolean);
  });
}"""


def marks_of(ax: Axes) -> Iterator[str]:
    roles = {getattr(plots, role.upper()): role for role in ROLES}
    for mark in (*ax.patches, *ax.lines):
        names = ("color",) if mark in ax.lines else ("facecolor", "edgecolor")
        colors = {to_hex(getattr(mark, f"get_{name}")()) for name in names}
        yield from (role for color, role in roles.items() if color in colors)
