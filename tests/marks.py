"""The marks of a live figure and of a still one, with the roles of their colours."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.patches import FancyBboxPatch, PathPatch

from workbook import plots

ROLES = ("token", "segment", "position", "input", "byte", "ink", "muted")
MARKS = """(box, names) => {
  const probe = box.appendChild(document.createElement("i"));
  const color = (name) => {
    probe.style.color = `var(--ttv-${name})`;
    return getComputedStyle(probe).color;
  };
  const roles = Object.fromEntries(names.map((name) => [color(name), name]));
  const grounds = [color("paper"), "rgba(0, 0, 0, 0)"];
  probe.remove();
  const kinds = {
    box: ".ttv-token", cell: ".ttv-cell", bar: ".ttv-bars path, .ttv-measured i", square: "rect",
    dot: "circle, .ttv-wave i", line: "polyline, .ttv-knife, :is(.ttv-joins, .ttv-rows) line",
  };
  return Object.entries(kinds).flatMap(([kind, selector]) =>
    [...box.querySelectorAll(`.ttv-live-stage :is(${selector})`)].flatMap((mark) => {
      const style = getComputedStyle(mark);
      const edge = parseFloat(style.borderTopWidth) && style.borderTopColor;
      const face = style.backgroundColor;
      const role = [style.stroke, edge, style.fill, face].map((x) => roles[x]).find(Boolean);
      const look = grounds.includes(face) ? " open" : face === edge ? " filled" : " tint";
      return role ? [`${kind} ${role}${["box", "cell"].includes(kind) ? look : ""}`] : [];
    }));
}"""


def role_of(color: Any) -> str:
    """The role of a colour that is the role's own, or lies between it and white."""
    *channels, alpha = to_rgba(color)
    for role in ROLES:
        shares = (1 - np.array(channels)) / (1 - np.array(to_rgb(getattr(plots, role.upper()))))
        if alpha and np.ptp(shares) < 1e-3 < shares[0]:
            return role
    return ""


def marks_of(ax: Axes) -> Iterator[str]:
    """The marks of a still figure but for its background, such as lines of zeros."""
    for patch in ax.patches:
        face, edge = role_of(patch.get_facecolor()), role_of(patch.get_edgecolor())
        is_full = np.allclose(patch.get_facecolor(), patch.get_edgecolor())
        if to_rgba(patch.get_edgecolor())[3] == 0:
            yield f"bar {face}"
        elif edge and not isinstance(patch, PathPatch):  # which joins two marks
            kind = "box" if isinstance(patch, FancyBboxPatch) else "cell"
            yield f"{kind} {edge} {'filled' if is_full else 'tint' if face else 'open'}"
    for line in ax.lines:
        marker, role = line.get_marker(), role_of(line.get_color())
        if marker not in ("None", ""):
            yield f"{'square' if marker == 's' else 'dot'} {role}"
        if role and line.get_linestyle() != "None" and line.get_linewidth() > 0.5:
            yield f"line {role}"
