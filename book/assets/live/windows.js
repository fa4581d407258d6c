// Context and stride: windows over a row of ids, and how often each id is a target (chapter windows).
(() => {
  "use strict";
  const { dom, live, windows } = globalThis.TextToVectors;
  const MAX_CONTEXT = 9;

  /** Where the windows begin, and how often each of n ids is a target. */
  function cover(n, context, stride) {
    const starts = Array.from({ length: windows.windowCount(n, context, stride) }, (_, i) => i * stride);
    const counts = Array(n).fill(0);
    for (const start of starts) for (let i = 1; i <= context; i += 1) counts[start + i] += 1;
    return { starts, counts };
  }

  function draw({ stage, states, say }) {
    const { element, plural } = dom;
    const { n } = states;
    const now = { context: states.context, stride: states.stride };
    const wall = element("div", { class: "ttv-wall", role: "img" });
    const formula = element("p", { class: "ttv-formula" });
    wall.style.setProperty("--n", n);
    /** Set something into the wall. */
    const place = (name, row, start, length = 1, text = "") => {
      const made = element("span", { class: name }, text);
      made.style.gridArea = `${row} / ${start + 1} / span 1 / span ${length}`;
      return made;
    };

    function change() {
      const { context, stride } = now;
      const { starts, counts } = cover(n, context, stride);
      const nLanes = Math.ceil((context + 1) / stride); // windows of one lane do not touch
      const last = starts.length ? starts.at(-1) + context : 0;
      const tail = n - 1 - last;
      const nSkipped = counts.slice(1, last).filter((count) => count === 0).length;
      wall.replaceChildren(
        ...counts.map((_, i) => place(`ttv-position${i % 5 ? "" : " is-fifth"}`, 1, i, 1, String(i))),
        ...starts.flatMap((start, i) => [
          place("ttv-inputs", 2 + (i % nLanes), start, context),
          place("ttv-last-target", 2 + (i % nLanes), start + context),
        ]),
        ...counts.map((count, i) => place(`ttv-count${count ? "" : " is-never"}`, 2 + MAX_CONTEXT + 1, i, 1, String(count))),
      );
      if (tail > 0) wall.append(place("ttv-tail", 2, last + 1, tail));
      formula.textContent = `⌈(${n} − ${context}) / ${stride}⌉ = ${plural(starts.length, "window")}, ${plural(starts.length * context, "prediction")}`;
      const parts = nSkipped ? [`${plural(nSkipped, "id")} between windows`] : [];
      if (tail) parts.push(`${nSkipped ? tail : plural(tail, "id")} at the end`);
      const never = `${parts.join(" and ")} ${nSkipped + tail === 1 ? "is" : "are"} never a target`;
      const sentence = `${plural(starts.length, "window")}; ${parts.length ? never : "every id but the first is a target"}.`;
      wall.setAttribute("aria-label", `${sentence} How often each id is a target: ${counts.join(", ")}.`);
      say(sentence);
    }

    const told = (value) => plural(value, "id");
    const context = live.slider("Context", { min: 1, max: MAX_CONTEXT, value: now.context }, told, (value) => {
      now.context = value;
      change();
    });
    const stride = live.slider("Stride", { min: 1, max: MAX_CONTEXT + 1, value: now.stride }, told, (value) => {
      now.stride = value;
      change();
    });
    stage.append(
      context,
      stride,
      live.row("Set to", live.button("1", () => stride.set(1)), live.button("= context", () => stride.set(now.context)),
        live.button("= context + 1", () => stride.set(now.context + 1))),
      wall,
      element("p", { class: "ttv-live-head" }, "Filled: inputs. Open: the last target. Below: how often each id is a target. Hatched: dropped."),
      formula,
    );
    change();
  }

  draw.cover = cover;
  live.figures.windows = draw;
})();
