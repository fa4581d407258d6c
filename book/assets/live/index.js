// The path of a sentence: token, id, token vector + position vector = input vector (page index).
// Needs playground/vectors, playground/data/files, playground/unicode, playground/bpe, playground/vocabularies.
(() => {
  "use strict";
  const { bpe, dom, live, vectors, vocabularies } = globalThis.TextToVectors;
  const [D, MAX_ROWS, TALLEST, NAMES] = [8, 10, 3.5, ["token", "position", "input"]];

  // The rows of a text that the reader has typed: an id or a position that the page has keeps its vector.
  function rowsOf(tokenizer, text, known) {
    return tokenizer.encode(text).ids.map((id, place) => {
      const parts = [known.find((row) => row.id === id)?.vectors[0] ?? vectors.randomRow("gpt2 token", id, D),
        known[place]?.vectors[1] ?? vectors.randomRow("gpt2 position", place, D)];
      const { text: token, isBytes = false } = bpe.showStandIns(tokenizer.tokens[id]);
      return { token, isBytes, id, vectors: [...parts, vectors.sum(parts)] };
    });
  }

  // For each row: 0 if its token was in this row before, how far down it was moved, or "new".
  function marksOf(rows, before) {
    const left = before.map(({ id }) => id);
    return rows.map(({ id }, row) => {
      const was = left[row] === id ? row : left.indexOf(id);
      delete left[was];
      return was < 0 ? "new" : row - was;
    });
  }

  // What the marks mean, in a sentence or two.
  function told(rows, marks, before) {
    const name = ({ token, id }) => `${dom.visibleText(token)} (${id})`;
    const moved = marks.filter((mark) => mark && mark !== "new").length;
    const made = rows.filter((_, row) => marks[row] === "new");
    const bare = ({ token }) => token.trim().toLowerCase();
    const other = made.map((row) => [before.find((was) => was.id !== row.id && bare(was) === bare(row)), row]).find(([was]) => was);
    if (!rows.length) return "Without text there are no tokens, and nothing enters the model. Type a sentence.";
    const moves = moved && `${dom.plural(moved, "token")} moved: blue bars went along, green bars stayed.`;
    const news = made.length && `${dom.plural(made.length, "token")} ${made.length === 1 ? "is" : "are"} new here.`;
    return [moves, other ? `${name(other[0])} became ${name(other[1])}.` : news].filter(Boolean).join(" ") || `${dom.plural(rows.length, "token")}, and none is new or moved.`;
  }

  function path({ stage, states, say }) {
    const { element, makeChoosable, option, visibleText } = dom;
    const field = element("input", { type: "text", value: states.text, maxlength: 200, autocomplete: "off", spellcheck: "false" });
    const letters = element("p", { class: "ttv-letters", "aria-hidden": "true" });
    const list = element("div", { class: "ttv-path", role: "listbox", "aria-label": "Tokens, each with its vectors" });
    const more = element("p", { class: "ttv-live-head" });
    const column = live.slider("Number in the vector", { min: 1, max: D, value: 1 }, (value) => `${value} of ${D}`, () => light(now));
    const number = column.querySelector("input");
    let [rows, now] = [states.rows, states.chosen]; // the page computes with this row

    const text = (value) => value.toFixed(2).replace("-", "−");
    // Outline the three bars, and say what they add up to.
    function light(row) {
      now = Math.max(0, Math.min(row, rows.length - 1, MAX_ROWS - 1));
      const col = Number(number.value) - 1;
      for (const [i, each] of [...list.children].entries()) each.setAttribute("aria-selected", String(i === now));
      for (const each of letters.children) each.classList.toggle("is-lit", each.dataset.rows.split(" ").includes(String(now)));
      for (const each of list.querySelectorAll(".ttv-bar")) each.classList.toggle("is-lit", each.dataset.at === `${now} ${col}`);
      if (!rows[now]) return;
      const [token, position, sum] = rows[now].vectors.map((vector) => vector[col]);
      const is = Math.abs(token + position - sum) < 0.005 ? "=" : "≈";
      say(`${visibleText(rows[now].token)}, id ${rows[now].id}: ${text(token)} + ${text(position)} ${is} ${text(sum)}`);
    }

    function bars(vector, kind, row) {
      return element("span", { class: `ttv-cells ttv-bars is-${kind}` }, ...vector.map((value, col) => {
        const height = 50 * Math.min(1, Math.abs(value) / TALLEST);
        const bar = element("i", { style: `top: ${value > 0 ? 50 - height : 50}%; height: ${height}%` });
        return element("span", { class: "ttv-bar", "data-at": `${row} ${col}` }, bar);
      }));
    }

    // The reader's own letters; tokens that are parts of a character share the letter.
    function underlined() {
      const spans = [];
      let [from, at] = [0, 0];
      for (const [row, { token, isBytes }] of rows.entries()) {
        if (isBytes) continue; // the letter ends with a later token, or before the next whole one
        const start = field.value.indexOf(token, at);
        if (from < row) spans.push([field.value.slice(at, start), from, row]);
        spans.push([token, row, row + 1]);
        [from, at] = [row + 1, start + token.length];
      }
      if (from < rows.length) spans.push([field.value.slice(at), from, rows.length]);
      return spans.filter(([, first]) => first < MAX_ROWS).map(([shown, first, end]) =>
        element("span", { "data-rows": Array.from({ length: end - first }, (_, i) => first + i).join(" ") }, shown));
    }

    function draw() {
      const marks = marksOf(rows, states.rows);
      list.replaceChildren(...rows.slice(0, MAX_ROWS).map(({ token, isBytes, id, vectors: three }, row) => {
        const mark = marks[row] === "new" ? "new" : marks[row] ? `${marks[row] > 0 ? "↓" : "↑"}${Math.abs(marks[row])}` : "";
        const signs = ["", `+ ${row}`, "="].map((sign) => (sign ? [element("span", { class: "ttv-sign" }, sign)] : []));
        return option(row, false, row === 0, `ttv-path-row${mark ? " is-changed" : ""}`,
          element("b", { class: isBytes ? "is-bytes" : false }, isBytes ? token : visibleText(token)), element("small", {}, mark), element("span", {}, String(id)),
          ...NAMES.flatMap((kind, i) => [...signs[i], bars(three[i], kind, row)]));
      }));
      letters.replaceChildren(...underlined());
      const source = rows === states.rows ? "The numbers are random, as in the code below." : "A new token gets random numbers.";
      more.textContent = `Blue + green = purple; up is positive. ${rows.length > MAX_ROWS ? `And ${rows.length - MAX_ROWS} more tokens.` : source}`;
      light(rows === states.rows ? states.chosen : now);
      if (rows !== states.rows) say(told(rows, marks, states.rows));
    }

    async function type() {
      const typed = field.value;
      try {
        const next = typed === states.text ? states.rows
          : rowsOf(await live.waiting(vocabularies.load("gpt2"), () => say("GPT-2’s merges are loading (0.2 MB).")), typed, states.rows);
        if (field.value !== typed || !field.isConnected) return; // a later key, or "Start again"
        draw((rows = next));
      } catch (error) {
        say(`GPT-2’s merges did not load: ${error.message}.`);
      }
    }

    for (const kind of ["pointermove", "click"]) list.addEventListener(kind, ({ target }) => {
      const [bar, row] = ["[data-at]", "[data-index]"].map((part) => target.closest(part));
      if (bar && (bar.dataset.at !== `${now} ${number.value - 1}`)) column.set(Number(bar.dataset.at.split(" ")[1]) + 1);
      if (row) light(Number(row.dataset.index));
    });
    letters.addEventListener("pointermove", ({ target }) => target.dataset.rows && light(Number(target.dataset.rows.split(" ")[0])));
    makeChoosable(list, light);
    field.addEventListener("input", type);
    const head = element("div", { class: "ttv-path-row ttv-live-head", "aria-hidden": "true" },
      ...["token", "", "id", "token vector", "", "position vector", "", "input vector"].map((name) => element("span", {}, name)));
    stage.append(element("label", { class: "ttv-own" }, "Sentence", field), letters, head, list, more, column);
    draw();
  }

  live.figures.index = path;
})();
