// Panel 3: windows over the ids, and batches of them.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const MAX_PLACES = 32; // ids in the map
  const MAX_BARS = 12; // windows in the map
  const MAX_WINDOWS = 6; // windows with their ids
  const MAX_COLUMNS = 24; // ids in a window

  function drawWindows(panel, tokenizer, ids, sizes) {
    const { count, element, note, plural } = ttv.dom;
    const { context, stride } = sizes;
    const n = ids.length;
    const nWindows = ttv.windows.windowCount(n, context, stride);
    const { nBatches, nDropped } = ttv.windows.batchCount(nWindows, sizes.batch, sizes.drop);
    const formula = `⌈(${count(n)} − ${context}) / ${stride}⌉ = ${plural(nWindows, "window")}`;
    const batches = nBatches === 1 ? "1 batch" : `${count(nBatches)} batches`;
    const dropped = nDropped ? `, ${plural(nDropped, "window")} dropped` : "";
    const few = `${plural(n, "id")} ${n === 1 ? "is" : "are"} too few: a window of ${context} needs ${context + 1}, its inputs and the last target.`;
    panel.replaceChildren(
      element("p", { class: "ttv-summary" }, `${nWindows ? formula : "no window"}, ${batches}${dropped}`),
      ...(nWindows ? [drawMap(tokenizer, ids, sizes, nWindows, nDropped), ...drawBatches(tokenizer, ids, sizes, nWindows, nDropped)] : [note(few)]),
    );
  }

  // The ids in a row, and under them a bar for each window.
  function drawMap(tokenizer, ids, { context, stride }, nWindows, nDropped) {
    const { element, note, plural, tokenChip } = ttv.dom;
    const places = ids.slice(0, MAX_PLACES);
    const at = (name, row, from, to, ...children) => element("div", { class: name, style: `grid-area: ${row} / ${from} / auto / ${to}` }, ...children);
    const nBars = Math.min(nWindows, MAX_BARS, Math.ceil((places.length - 1) / stride));
    const bars = Array.from({ length: nBars }, (_, i) => {
      const isDropped = i >= nWindows - nDropped;
      const [start, end] = [i * stride, Math.min(i * stride + context, places.length)];
      const bar = at(isDropped ? "ttv-bar is-dropped" : "ttv-bar", i + 2, start + 1, end + 1, element("span", {}, `window ${i}${isDropped ? ", dropped" : ""}`));
      return end < places.length ? [bar, at("ttv-last-target", i + 2, end + 1, "auto", "→")] : [bar];
    });
    const cells = places.map((id, i) => at("ttv-place", 1, i + 1, "auto", tokenChip(tokenizer.show(id), id)));
    const grid = element("div", { class: "ttv-map" }, ...cells, ...bars.flat());
    const isCut = places.length < ids.length || nBars < nWindows;
    const cut = ` The first ${plural(places.length, "id")} and ${plural(nBars, "window")} are shown; all are counted.`;
    return element("div", {},
      element("div", { class: "ttv-scroll", role: "group", "aria-label": "The ids and the windows over them" }, grid),
      note(`A bar covers the inputs of a window; the arrow after it marks the last target.${isCut ? cut : ""}`));
  }

  function drawBatches(tokenizer, ids, { context, stride, batch }, nWindows, nDropped) {
    const { count, element, note, plural } = ttv.dom;
    const nDrawn = Math.min(nWindows, MAX_WINDOWS);
    const drawn = [];
    for (let first = 0; first < nDrawn; first += batch) {
      const inBatch = Math.min(batch, nWindows - first);
      const isDropped = nDropped > 0 && first >= nWindows - nDropped;
      const title = isDropped
        ? `Dropped, because a full batch has ${plural(batch, "window")} and this one has ${count(inBatch)}`
        : `Batch ${first / batch}: inputs and targets of shape (${count(inBatch)}, ${context})`;
      const windows = Array.from({ length: Math.min(inBatch, nDrawn - first) }, (_, i) => drawWindow(tokenizer, ids, context, first + i, stride));
      drawn.push(element("div", { class: isDropped ? "ttv-batch is-dropped" : "ttv-batch" },
        element("p", { class: "ttv-batch-title" }, title),
        element("div", { class: "ttv-scroll", role: "group", "aria-label": title }, ...windows)));
    }
    if (nDrawn < nWindows) drawn.push(note(`The ids of the first ${nDrawn} of ${count(nWindows)} windows are shown.`));
    if (context > MAX_COLUMNS) drawn.push(note(`For each window, the first ${MAX_COLUMNS} of ${context} ids are shown.`));
    return drawn;
  }

  // One window: under each input its target.
  function drawWindow(tokenizer, ids, context, number, stride) {
    const { element, tokenChip } = ttv.dom;
    const from = number * stride;
    const row = (name, start) => element("tr", { class: `ttv-${name}` }, element("th", { scope: "row" }, name),
      ...ids.slice(start, start + Math.min(context, MAX_COLUMNS)).map((id) => element("td", {}, tokenChip(tokenizer.show(id), id))));
    return element("table", { class: "ttv-window" },
      element("caption", {}, `window ${number}, from id ${from}`),
      element("tbody", {}, row("inputs", from), row("targets", from + 1)));
  }

  ttv.drawWindows = drawWindows;
})();
