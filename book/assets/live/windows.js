// Context and stride: windows over a row of ids, and how often each id is a target (chapter windows).
// Needs playground/windows, playground/unicode.
(() => {
  "use strict";
  const { dom, live, windows } = globalThis.TextToVectors;
  const MAX_CONTEXT = 9;

  // Where the windows begin, and how often each of n ids is a target.
  function cover(n, context, stride) {
    const starts = Array.from({ length: windows.windowCount(n, context, stride) }, (_, i) => i * stride);
    const counts = Array(n).fill(0);
    for (const start of starts) for (let i = 1; i <= context; i += 1) counts[start + i] += 1;
    return { starts, counts };
  }

  function draw({ stage, states, say }) {
    const { element, option, plural } = dom;
    const { words } = states;
    const n = words.length;
    const middle = (n - 1) / 2;
    const now = { context: states.context, stride: states.strides[0] };
    const wall = element("div", { class: "ttv-wall", role: "img" });
    const columns = element("div", { class: "ttv-columns", role: "listbox", "aria-label": "Ids, and how often each is a target" });
    const formula = element("p", { class: "ttv-formula" });
    for (const each of [wall, columns]) each.style.setProperty("--n", n);
    // Set something into the wall.
    const place = (name, row, start, length = 1) => {
      const made = element("span", { class: name });
      made.style.gridArea = `${row} / ${start + 1} / span 1 / span ${length}`;
      return made;
    };

    // Light a column and the windows that it is in.
    function light(column) {
      const { starts } = cover(n, now.context, now.stride);
      const inside = starts.map((start) => column >= start && column <= start + now.context);
      [...columns.children].forEach((each, i) => each.classList.toggle("is-lit", i === column));
      [...wall.querySelectorAll("[data-window]")].forEach((each) => each.classList.toggle("is-lit", inside[each.dataset.window]));
      const named = (first) => { // of the places in a window
        const found = starts.flatMap((start, i) => (column >= start + first && column < start + first + now.context ? [i] : []));
        return found.length ? `window${found.length > 1 ? "s" : ""} ${found.join(", ")}` : "no window";
      };
      say(`Position ${column}, “${dom.visibleText(words[column])}”: an input in ${named(0)}, a target in ${named(1)}.`);
    }

    function change() {
      const { context, stride } = now;
      const { starts, counts } = cover(n, context, stride);
      const nLanes = Math.min(starts.length, Math.ceil((context + 1) / stride)); // windows of one lane do not touch
      const last = starts.length ? starts.at(-1) + context : 0;
      const tail = n - 1 - last;
      const nSkipped = counts.slice(1, last).filter((count) => count === 0).length;
      wall.replaceChildren(...starts.flatMap((start, i) => [place("ttv-inputs", 1 + (i % nLanes), start, context), place("ttv-last-target", 1 + (i % nLanes), start + context)]
        .map((part) => ((part.dataset.window = i), part))));
      if (tail > 0) wall.append(place("ttv-tail", 1, last + 1, tail));
      columns.replaceChildren(...counts.map((count, i) => option(i, false, i === 0, `ttv-column${count ? "" : " is-never"}`,
        element("span", { class: "ttv-above" }, dom.visibleText(words[i])), element("small", { class: i % 5 ? "" : "is-fifth" }, String(i)), element("b", {}, String(count)))));
      formula.textContent = `⌈(${n} − ${context}) / ${stride}⌉ = ${plural(starts.length, "window")}, ${plural(starts.length * context, "prediction")}`;
      const parts = nSkipped ? [`${plural(nSkipped, "id")} between windows`] : [];
      if (tail) parts.push(`${nSkipped ? tail : plural(tail, "id")} at the end`);
      const often = ["is never a target", "is a target once", "is a target twice"][counts[middle]] ?? `is a target ${counts[middle]} times`;
      const others = parts.length ? `${parts.join(" and ")} never` : "every id but the first at least once";
      const isEven = counts.slice(1).every((count) => count === counts[middle]);
      const sentence = isEven ? `Every id but the first ${often}.` : `Position ${middle}, in the middle, ${often}; ${others}.`;
      wall.setAttribute("aria-label", sentence);
      say(sentence);
    }

    dom.makeChoosable(columns, light);
    columns.addEventListener("pointermove", (event) => {
      const column = event.target.closest("[data-index]");
      if (column && !column.classList.contains("is-lit")) light(Number(column.dataset.index));
    });
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
      live.row("Set the stride to", ...states.strides.map((value) => live.button(String(value), () => stride.set(value)))),
      element("div", { class: "ttv-over" }, columns, wall),
      element("p", { class: "ttv-live-head" }, "Filled: inputs. Open: the last target. Hatched: dropped. Below each id: how often it is a target. Point at one to see its windows."),
      formula,
    );
    change();
  }

  draw.cover = cover;
  live.figures.windows = draw;
})();
