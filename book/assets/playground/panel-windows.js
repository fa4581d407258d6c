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
    const formula = `⌈(${count(n)} − ${count(context)}) / ${count(stride)}⌉`;
    const dropped = nDropped > 0 ? `, ${plural(nDropped, "window")} dropped` : "";
    const sum = n > context ? `${formula} = ${plural(nWindows, "window")}` : "no window";
    panel.replaceChildren(
      element("p", { class: "ttv-summary" }, `${sum}, ${nBatches === 1 ? "1 batch" : `${count(nBatches)} batches`}${dropped}`),
    );
    if (nWindows === 0) {
      panel.append(
        note(`${plural(n, "id")} ${n === 1 ? "is" : "are"} too few: a window of ${count(context)} needs ${count(context + 1)}, its inputs and the last target.`),
      );
      return;
    }
    panel.append(drawMap(tokenizer, ids, sizes, nWindows, nDropped), ...drawBatches(tokenizer, ids, sizes, nWindows, nDropped));
  }

  // The ids in a row, and under them a bar for each window.
  function drawMap(tokenizer, ids, { context, stride }, nWindows, nDropped) {
    const { element, tokenChip } = ttv.dom;
    const places = ids.slice(0, MAX_PLACES);
    const grid = element("div", { class: "ttv-map" });
    places.forEach((id, i) => {
      const cell = element("div", { class: "ttv-place", "data-column": i + 1 }, tokenChip(tokenizer.show(id), id));
      cell.style.gridArea = `1 / ${i + 1}`;
      grid.append(cell);
    });
    let nBars = 0;
    for (; nBars < Math.min(nWindows, MAX_BARS); nBars += 1) {
      const start = nBars * stride;
      if (start >= places.length - 1) break;
      const isDropped = nBars >= nWindows - nDropped;
      const bar = element(
        "div",
        { class: isDropped ? "ttv-bar is-dropped" : "ttv-bar" },
        element("span", {}, `window ${nBars}${isDropped ? ", dropped" : ""}`),
      );
      const end = Math.min(start + context, places.length);
      bar.style.gridArea = `${nBars + 2} / ${start + 1} / auto / ${end + 1}`;
      grid.append(bar);
      if (end < places.length) {
        const target = element("div", { class: "ttv-last-target" }, "→");
        target.style.gridArea = `${nBars + 2} / ${end + 1}`;
        grid.append(target);
      }
    }
    const box = element("div", { class: "ttv-scroll", "data-label": "The ids and the windows over them" }, grid);
    const isCut = places.length < ids.length || nBars < nWindows;
    const legend = "A bar covers the inputs of a window; the arrow after it marks the last target.";
    const cut = ` The first ${ttv.dom.plural(places.length, "id")} and ${ttv.dom.plural(nBars, "window")} are shown; all are counted.`;
    return element("div", {}, box, ttv.dom.note(legend + (isCut ? cut : "")));
  }

  function drawBatches(tokenizer, ids, { context, stride, batch }, nWindows, nDropped) {
    const { count, element, note } = ttv.dom;
    const drawn = [];
    const nDrawn = Math.min(nWindows, MAX_WINDOWS);
    for (let first = 0; first < nDrawn; first += batch) {
      const inBatch = Math.min(batch, nWindows - first);
      const isDropped = nDropped > 0 && first >= nWindows - nDropped;
      const title = isDropped
        ? `Dropped, because a full batch has ${ttv.dom.plural(batch, "window")} and this one has ${count(inBatch)}`
        : `Batch ${first / batch}: inputs and targets of shape (${count(inBatch)}, ${count(context)})`;
      const box = element("div", { class: isDropped ? "ttv-batch is-dropped" : "ttv-batch" }, element("p", { class: "ttv-batch-title" }, title));
      const windows = element("div", { class: "ttv-scroll", "data-label": title });
      for (let i = first; i < Math.min(first + inBatch, nDrawn); i += 1) {
        windows.append(drawWindow(tokenizer, ttv.windows.windowAt(ids, context, i * stride), i));
      }
      box.append(windows);
      drawn.push(box);
    }
    if (nDrawn < nWindows) drawn.push(note(`The ids of the first ${nDrawn} of ${count(nWindows)} windows are shown.`));
    if (context > MAX_COLUMNS) drawn.push(note(`For each window, the first ${MAX_COLUMNS} of ${count(context)} ids are shown.`));
    return drawn;
  }

  // One window: under each input its target.
  function drawWindow(tokenizer, window, number) {
    const { element, tokenChip } = ttv.dom;
    const row = (name, ids) =>
      element(
        "tr",
        { class: `ttv-${name}` },
        element("th", { scope: "row" }, name),
        ...ids.slice(0, MAX_COLUMNS).map((id) => element("td", {}, tokenChip(tokenizer.show(id), id))),
      );
    return element(
      "table",
      { class: "ttv-window" },
      element("caption", {}, `window ${number}, from id ${window.start}`),
      element("tbody", {}, row("inputs", window.inputs), row("targets", window.targets)),
    );
  }

  ttv.drawWindows = drawWindows;
})();
