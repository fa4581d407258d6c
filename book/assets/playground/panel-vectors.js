// Panel 4: the vectors of each token, and their sum.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const MAX_DRAWN = 32; // tokens
  const SCALE = 4; // bars of larger numbers are no longer
  // Rows of the position tables of the published models.
  const MAX_POSITIONS = { words: Infinity, gpt2: 1024, o200k: Infinity, bert: 512, unigram: Infinity };

  // ids: with special tokens, where the model has them
  // segmentIds: null for a model without segments
  function drawVectors(panel, tokenizer, kind, ids, segmentIds, settings, choose) {
    const { bars, count, element, makeChoosable, note, option, plural, tokenChip } = ttv.dom;
    const { randomRow, sinusoid } = ttv.vectors;
    const { d } = settings;
    const parts = [{ name: "token", row: (place) => randomRow(`${kind} token`, ids[place], d) }];
    if (segmentIds) parts.push({ name: "segment", row: (place) => randomRow(`${kind} segment`, segmentIds[place], d) });
    const learned = settings.positions === "learned";
    parts.push({ name: "position", row: (place) => (learned ? randomRow(`${kind} position`, place, d) : sinusoid(place, d)) });

    panel.replaceChildren(
      element("p", { class: "ttv-summary" }, `${plural(ids.length, "token")}, each a vector of ${d} numbers: shape (${count(ids.length)}, ${d})`),
    );
    if (ids.length === 0) return;
    const chosen = Math.min(settings.token, ids.length - 1);
    const nDrawn = Math.min(ids.length, MAX_DRAWN);
    const stop = chosen < nDrawn ? chosen : 0;
    const rowsOf = (place) => parts.map((part) => part.row(place));
    const options = ids.slice(0, nDrawn).map((id, place) => {
      const rows = rowsOf(place);
      const strips = rows.flatMap((row, i) => [...(i ? [sign("+")] : []), bars(row, parts[i].name, SCALE)]);
      const shown = element("span", { class: "ttv-strips", "aria-hidden": "true" }, ...strips, sign("="), bars(ttv.vectors.sum(rows), "input", SCALE));
      const segment = segmentIds ? `, segment ${segmentIds[place]}` : "";
      const where = element("span", { class: "ttv-where" }, `position ${place}${segment}`);
      const name = element("span", { class: "ttv-who" }, tokenChip(tokenizer.show(id), id), " ", where);
      return option(place, place === chosen, place === stop, segmentIds ? "ttv-sum has-segment" : "ttv-sum", name, shown);
    });
    const names = parts.flatMap((part, i) => [...(i ? [sign("+")] : []), element("span", { class: `ttv-name is-${part.name}` }, part.name)]);
    const head = element(
      "div",
      { class: "ttv-sum ttv-head", "aria-hidden": "true" },
      element("span", { class: "ttv-who" }),
      element("span", { class: "ttv-strips" }, ...names, sign("="), element("span", { class: "ttv-name is-input" }, segmentIds ? "sum" : "input")),
    );
    const list = element("div", { class: "ttv-sums", role: "listbox", "aria-label": "Tokens, with their vectors" }, ...options);
    const detail = element("div", { class: "ttv-detail" });
    const showDetail = (place) => drawNumbers(detail, parts, rowsOf(place), tokenizer.show(ids[place]), ids[place], place, segmentIds);
    makeChoosable(list, (place) => {
      showDetail(place);
      choose(place);
    });
    showDetail(chosen);
    panel.append(head, list);
    if (nDrawn < ids.length) panel.append(note(`The first ${nDrawn} of ${count(ids.length)} tokens are shown.`));
    if (learned && ids.length > MAX_POSITIONS[kind]) {
      const model = kind === "gpt2" ? "GPT-2" : "BERT";
      panel.append(note(`${model} has vectors for ${count(MAX_POSITIONS[kind])} positions, so it can read only that many of these tokens at once.`));
    }
    panel.append(detail);
    panel.append(note(`Each bar is a number, up if it is positive and down if it is negative.${segmentIds ? " BERT’s input is this sum after a layer normalization, which is not shown." : ""}`));
  }

  const sign = (text) => ttv.dom.element("span", { class: "ttv-sign" }, text);

  // The numbers of one token: the rows that are added, and their sum.
  function drawNumbers(place, parts, rows, shown, id, position, segmentIds) {
    const { element, tokenChip } = ttv.dom;
    const which = { token: id, segment: segmentIds?.[position] ?? 0, position };
    const cells = (row) => row.map((value) => element("td", {}, ttv.dom.written(value)));
    const lines = parts.map((part, i) =>
      element(
        "tr",
        { class: `is-${part.name}` },
        element("th", { scope: "row" }, `${i ? "+ " : ""}${part.name} ${which[part.name]}`),
        ...cells(rows[i]),
      ),
    );
    lines.push(element("tr", { class: "is-input" }, element("th", { scope: "row" }, segmentIds ? "= sum" : "= input"), ...cells(ttv.vectors.sum(rows))));
    const title = element("p", { class: "ttv-detail-title" }, "The numbers of ", tokenChip(shown));
    const table = element("table", { class: "ttv-numbers" }, element("tbody", {}, ...lines));
    place.replaceChildren(title, element("div", { class: "ttv-scroll", "data-label": "The numbers that are added" }, table));
  }

  ttv.drawVectors = drawVectors;
})();
