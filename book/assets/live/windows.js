// Context and stride: windows over a row of ids, and how often each id is a target (chapter windows).
// Needs algorithms/windows.
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
    const { n } = states;
    const middle = (n - 1) / 2;
    const most = Math.ceil(states.context / states.stride); // as often is a target in the still figure
    const now = { context: states.context, stride: states.stride };
    const wall = element("div", { class: "ttv-wall", role: "img" });
    const columns = element("div", { class: "ttv-columns", role: "listbox", "aria-label": "Positions, and how often the id there is a target" });
    const formula = element("p", { class: "ttv-formula" });
    for (const each of [wall, columns]) each.style.setProperty("--n", n);
    // A part of a window in its lane of the wall.
    const place = (name, window, lane, start, length) =>
      element("span", { class: `ttv-cell ${name}`, "data-window": window, style: `grid-area: ${lane} / ${start + 1} / span 1 / span ${length}` });

    // Light a column and the windows that it is in.
    function light(column) {
      const { starts } = cover(n, now.context, now.stride);
      const inside = starts.map((start) => column >= start && column <= start + now.context);
      [...columns.children].forEach((each, i) => each.classList.toggle("is-lit", i === column));
      [...wall.children].forEach((each) => each.classList.toggle("is-lit", inside[each.dataset.window]));
      const named = (first) => { // of the places in a window
        const found = starts.filter((start) => column >= start + first && column < start + first + now.context);
        return found.length ? plural(found.length, "window") : "no window";
      };
      say(`The id at position ${column} is an input in ${named(0)}, a target in ${named(1)}.`);
    }

    function change() {
      const { context, stride } = now;
      const { starts, counts } = cover(n, context, stride);
      const nLanes = Math.min(starts.length, Math.ceil((context + 1) / stride)); // windows of one lane do not touch
      const last = starts.length ? starts.at(-1) + context : 0;
      const tail = n - 1 - last;
      const nSkipped = counts.slice(1, last).filter((count) => count === 0).length;
      wall.replaceChildren(...starts.flatMap((start, i) =>
        [place("is-taken", i, 1 + (i % nLanes), start, context), place("is-target", i, 1 + (i % nLanes), start + context, 1)]));
      const run = (i) => counts.slice(i).findIndex((count) => count !== counts[i]); // equal numbers from here on
      const number = (count, i) => element("span", { style: count !== counts[i - 1] && `--run: ${run(i) < 0 ? n - i : run(i)}` }, String(count));
      columns.replaceChildren(...counts.map((count, i) => option(i, false, i === 0, `ttv-cell ${count ? "is-taken" : "is-open"}`,
        number(count, i), element("small", {}, i % 4 ? "" : String(i)))));
      for (const [i, cell] of [...columns.children].entries()) {
        cell.style.setProperty("--tint", `${8 + 50 * Math.min(1, counts[i] / most)}%`);
        cell.setAttribute("aria-label", `position ${i}: ${counts[i]}`);
      }
      formula.textContent = `⌈(${n} − ${context}) / ${stride}⌉ = ${plural(starts.length, "window")}, ${plural(starts.length * context, "prediction")}`;
      const parts = nSkipped ? [`${plural(nSkipped, "id")} between windows`] : [];
      if (tail) parts.push(`${nSkipped ? tail : plural(tail, "id")} at the end`);
      const often = ["is never a target", "is a target once", "is a target twice"][counts[middle]] ?? `is a target ${counts[middle]} times`;
      const others = parts.length ? `${parts.join(" and ")} never` : "every id but the first at least once";
      const isEven = counts.slice(1).every((count) => count === counts[middle]);
      const sentence = isEven ? `Every id but the first ${often}.` : `The id at position ${middle} ${often}; ${others}.`;
      wall.setAttribute("aria-label", sentence);
      say(sentence);
    }

    dom.makeChoosable(columns, light);
    columns.addEventListener("pointermove", (event) => {
      const column = event.target.closest("[data-index]");
      if (column && !column.classList.contains("is-lit")) light(Number(column.dataset.index));
    });
    const slider = (name, key, max) => live.slider(name, { min: 1, max, value: now[key] }, (value) => plural(value, "id"), (value) => change((now[key] = value)));
    stage.append(
      slider("Stride", "stride", MAX_CONTEXT + 1),
      slider("Context", "context", MAX_CONTEXT),
      columns,
      wall,
      element("p", { class: "ttv-live-head" }, "Above: how often each id is a target. Below: the windows, inputs filled, the last target open. Point at a position to see its windows."),
      formula,
    );
    change();
  }

  draw.cover = cover;
  live.figures.windows = draw;
})();
