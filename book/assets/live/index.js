// The path of a sentence: token, id, token vector + position vector = input vector (page index).
// Needs playground/vectors, playground/data/files, playground/unicode, playground/bpe, playground/vocabularies.
(() => {
  "use strict";
  const { bpe, dom, live, vectors, vocabularies } = globalThis.TextToVectors;
  const [D, MAX_ROWS, NAMES] = [8, 10, ["token", "position", "input"]];

  // The rows of a text that the reader has typed: an id or a position that the page has keeps its vector.
  function rowsOf(tokenizer, text, known, positions) {
    return tokenizer.encode(text).ids.map((id, place) => {
      const parts = [known.find((row) => row.id === id)?.vectors[0] ?? vectors.randomRow("gpt2 token", id, D),
        positions[place] ?? vectors.randomRow("gpt2 position", place, D)];
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

  const shownText = ({ token: text, isBytes }) => dom.shownText({ text, isBytes });

  const words = (rows) => rows.filter((_, i) => // the tokens that are no part of a longer word
    [i, i + 1].every((at) => !/\p{L}\n\p{L}/u.test(`${rows[at - 1]?.token ?? ""}\n${rows[at]?.token ?? ""}`)));

  // What the marks mean, in a sentence or two.
  function told(rows, marks, before) {
    const name = (row) => `${shownText(row)} (${row.id})`;
    const moved = marks.filter((mark) => mark && mark !== "new").length;
    const made = rows.filter((_, row) => marks[row] === "new");
    const bare = ({ token }) => token.trim().toLowerCase();
    const gone = words(before).filter(({ id }) => rows.every((row) => row.id !== id));
    const other = words(rows).filter((row) => made.includes(row)).map((row) => [gone.find((was) => bare(was) === bare(row)), row]).find(([was]) => was);
    if (!rows.length) return "Without text there are no tokens, and nothing enters the model. Type a sentence.";
    const moves = moved && `${dom.plural(moved, "token")} moved: blue bars went along, green bars stayed.`;
    const news = made.length && `${dom.plural(made.length, "token")} ${made.length === 1 ? "is" : "are"} new here.`;
    return [moves, other ? `${name(other[0])} became ${name(other[1])}.` : news].filter(Boolean).join(" ") || `${dom.plural(rows.length, "token")}, and none is new or moved.`;
  }

  function path({ stage, states, say }) {
    const { bars, element, makeChoosable, option, written } = dom;
    const letters = element("p", { class: "ttv-letters", "aria-hidden": "true" });
    const list = element("div", { class: "ttv-path", role: "listbox", "aria-label": "Tokens, each with its vectors" });
    const more = element("p", { class: "ttv-live-head" });
    const column = live.slider("Number in the vector", { min: 1, max: D, value: 1 }, (value) => `${value} of ${D}`, () => light(now));
    const number = column.querySelector("input");
    let [rows, now] = [states.rows, states.chosen]; // the page computes with this row
    const most = Math.max(...rows.flatMap(({ vectors: three }) => three.flat().map(Math.abs))); // as in the still figure
    const sign = (text) => element("span", { class: "ttv-sign" }, text);

    // Outline the three bars, and say what they add up to.
    function light(row) {
      now = Math.max(0, Math.min(row, rows.length - 1, MAX_ROWS - 1));
      const col = Number(number.value) - 1;
      list.style.setProperty("--at", col);
      for (const [i, each] of list.querySelectorAll("[role=option]").entries()) each.setAttribute("aria-selected", String(i === now));
      for (const each of letters.children) each.classList.toggle("is-lit", each.dataset.rows.split(" ").includes(String(now)));
      if (!rows[now]) return;
      const [token, position, sum] = rows[now].vectors.map((vector) => vector[col]);
      const is = Math.abs(token + position - sum) < 0.005 ? "=" : "≈";
      say(`${shownText(rows[now])}, id ${rows[now].id}: ${written(token)} + ${written(position)} ${is} ${written(sum)}`);
    }

    // The reader's own letters; tokens that are parts of a character share the letter.
    function underlined() {
      const spans = [];
      let [from, at] = [0, 0];
      for (const [row, { token, isBytes }] of rows.entries()) {
        if (isBytes) continue; // the letter ends with a later token, or before the next whole one
        const start = field.input.value.indexOf(token, at);
        if (from < row) spans.push([field.input.value.slice(at, start), from, row]);
        spans.push([token, row, row + 1]);
        [from, at] = [row + 1, start + token.length];
      }
      if (from < rows.length) spans.push([field.input.value.slice(at), from, rows.length]);
      return spans.filter(([, first]) => first < MAX_ROWS).map(([shown, first, end]) =>
        element("span", { "data-rows": Array.from({ length: end - first }, (_, i) => first + i).join(" ") }, shown));
    }

    function draw(next) {
      const along = marksOf(next, rows).findIndex((mark, row) => row - mark === now); // "new" is no number
      [rows, now] = [next, along < 0 || along >= MAX_ROWS ? now : along];
      const marks = marksOf(rows, states.rows);
      list.replaceChildren(...rows.slice(0, MAX_ROWS).map((each, row) => {
        const { isBytes, id, vectors: three } = each;
        const mark = marks[row] === "new" ? "new" : marks[row] ? `${marks[row] > 0 ? "↓" : "↑"}${Math.abs(marks[row])}` : "";
        const [blue, green, purple] = three.map((vector, i) => bars(vector, NAMES[i], most));
        return option(row, false, row === 0, "ttv-path-row",
          element("b", { class: isBytes ? "is-bytes" : false }, shownText(each)), element("small", {}, mark), element("span", {}, String(id)),
          blue, sign(`+ ${row}`), green, sign("="), purple);
      }));
      // The positions that no token has are pale.
      list.append(...states.positions.slice(rows.length).map((vector, i) =>
        element("div", { class: "ttv-path-row is-free", "aria-hidden": "true" }, sign(`+ ${rows.length + i}`), bars(vector, "position", most))));
      letters.replaceChildren(...underlined());
      const source = rows === states.rows ? "Random numbers, as in the code below." : "Against the first sentence: new (random), ↓, ↑.";
      more.textContent = `Blue + green = purple, up is positive, pale is free. ${rows.length > MAX_ROWS ? `And ${dom.plural(rows.length - MAX_ROWS, "token")} more.` : source}`;
      light(now);
      if (rows !== states.rows) say(told(rows, marks, states.rows));
    }

    const type = () => live.typed(field.input, field.input.value !== states.text && vocabularies.load("gpt2"), "GPT-2’s merges are loading (0.2 MB)", say,
      (gpt2, typed) => draw(gpt2 ? rowsOf(gpt2, typed, states.rows, states.positions) : states.rows));

    for (const kind of ["pointermove", "click"]) list.addEventListener(kind, ({ target, clientX }) => {
      const [drawn, row] = [".ttv-bars", "[data-index]"].map((part) => target.closest(part));
      if (!row) return;
      const { left, width } = drawn?.getBoundingClientRect() ?? {};
      if (drawn) column.set(1 + Math.min(D - 1, Math.floor((D * (clientX - left)) / width)));
      light(Number(row.dataset.index));
    });
    letters.addEventListener("pointermove", ({ target }) => target.dataset.rows && light(Number(target.dataset.rows.split(" ")[0])));
    makeChoosable(list, light);
    const field = live.field("Sentence", states.text, type);
    const head = element("div", { class: "ttv-path-row ttv-live-head", "aria-hidden": "true" },
      ...["token", "", "id", "token vector", "", "position vector", "", "input vector"].map((name) =>
        element("span", { class: name.endsWith("vector") && `is-${name.split(" ")[0]}` }, name)));
    stage.append(field, letters, head, list, more, column);
    draw(rows);
  }

  live.figures.index = path;
})();
