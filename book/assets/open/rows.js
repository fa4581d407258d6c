// Draws what opener.py says: the rows of the stages, and what was found.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  // Pieces of two texts: what was lost is struck out, what is new is marked, both made visible.
  function markedText({ pieces, left_out }) {
    const { count, element, visible } = ttv.dom;
    const seen = (text) => [...text].map(visible).join("");
    const parts = pieces.flatMap(([was, is]) => {
      if (was === is) return [is];
      return [was && element("del", {}, seen(was)), is && element("ins", {}, seen(is))].filter(Boolean);
    });
    const text = element("bdi", { class: "ttv-text", dir: "auto" }, ...parts);
    return left_out ? [text, ttv.dom.note(`${count(left_out)} more characters are not shown.`)] : [text];
  }

  function chips({ n, shown }, noun, draw) {
    const { count, element, note, plural } = ttv.dom;
    const line = element("div", { class: "ttv-tokens" }, ...shown.map(draw));
    const more = n > shown.length ? `, of which the first ${count(shown.length)} are shown` : "";
    return [line, note(`${plural(n, noun)}${more}`)];
  }

  // A number of a row; what the post-processor put there has its token's name.
  function idChip({ id, added }, isFirstDifference) {
    const { element, visibleText } = ttv.dom;
    const chip = element("span", { class: `ttv-token${added === null ? "" : " is-special"}` }, String(id));
    if (added !== null) chip.append(" ", element("bdi", { class: "ttv-id" }, visibleText(added)));
    if (isFirstDifference) {
      chip.classList.add("is-new");
      chip.append(" ", element("span", { class: "ttv-id" }, "first difference"));
    }
    return chip;
  }

  const ROWS = {
    normalized: ({ normalized }) => [
      ...markedText(normalized),
      ...(normalized.same ? [ttv.dom.note("Nothing was changed.")] : []),
    ],
    "pre-tokens": ({ pre_tokens }) =>
      chips(pre_tokens, "pre-token", (text) => ttv.dom.element("bdi", { class: "ttv-quoted" }, ttv.dom.visibleText(text))),
    tokens: ({ tokens }) =>
      chips(tokens, "token", ({ text, special }) => ttv.dom.tokenChip({ text, isSpecial: special })),
    ids: ({ ids }, at) => chips(ids, "id", (id) => idChip(id, ids.shown.indexOf(id) === at)),
    decoded: ({ decoded, back }) => {
      const text = ttv.dom.element("bdi", { class: "ttv-text", dir: "auto" }, decoded);
      if (back.same) return [text, ttv.dom.note("Without special tokens it is your text again.")];
      return [text, ttv.dom.note("Without special tokens, compared with your text:"), ...markedText(back)];
    },
  };

  /**
   * Draw the five rows for one tokenizer, or for two, one below the other.
   * @param {HTMLElement} panel
   * @param {{name: string, stages: any}[]} shown
   * @param {{at: number | null, n: number[]} | null} difference  of the ids of two
   */
  function drawRows(panel, shown, difference) {
    const { element } = ttv.dom;
    const list = element("dl", { class: "ttv-stages" });
    for (const [title, draw] of Object.entries(ROWS)) {
      const row = element("div", {}, element("dt", {}, title));
      for (const { name, stages } of shown) {
        const of = shown.length > 1 ? [element("bdi", { class: "ttv-where" }, name)] : [];
        row.append(element("dd", {}, ...of, ...(stages.error ? [stages.error] : draw(stages, difference?.at))));
      }
      list.append(row);
    }
    panel.replaceChildren(...(difference ? [element("p", { class: "ttv-summary" }, compared(shown, difference))] : []), list);
  }

  function compared([first, second], { at, n }) {
    if (at === null) return `${first.name} and ${second.name} give the same ids.`;
    const said = [first, second].map(({ name, stages }, i) => {
      const id = stages.ids.shown[at]?.id;
      return `${name} has ${at >= n[i] ? "no id there" : id === undefined ? "another" : `the id ${id}`}`;
    });
    return `The ids differ first at index ${ttv.dom.count(at)}: ${said.join(", ")}.`;
  }

  /**
   * Draw what was found in the files of a tokenizer; the page of corrections has a row for each code.
   * @param {string} name
   * @param {any} found  what opener.py's `inspect` says
   */
  function findingsOf(name, found) {
    const { element, plural } = ttv.dom;
    const items = (found.findings ?? []).map(({ code, level, what, why, way_out }) => {
      const link = element("a", { href: `corrections.html#${code}` }, element("code", {}, code));
      const title = element("p", {}, element("strong", {}, level), " ", link, ": ", element("bdi", {}, what));
      const rest = element("p", {}, `${why} `, element("strong", {}, "Way out: "), way_out);
      return element("li", { class: `ttv-finding is-${level}` }, title, rest);
    });
    const said = found.error ?? (items.length ? plural(items.length, "finding") : "nothing was found");
    const title = element("p", { class: "ttv-summary" }, element("bdi", {}, name), `: ${said}`);
    return [title, element("ul", { class: "ttv-findings" }, ...items)];
  }

  ttv.rows = { drawRows, findingsOf };
})();
