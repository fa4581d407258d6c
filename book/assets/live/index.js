// The path of a sentence: token, bytes, id, token vector + position vector = input vector (page index).
(() => {
  "use strict";
  const { bpe, dom, live, unicode, vectors, vocabularies } = globalThis.TextToVectors;
  const [D, MAX_ROWS] = [8, 10];
  const NAMES = ["token", "position", "input"];

  /** The rows of a text that the reader has typed: an id or a position that the page has keeps its vector. */
  function rowsOf(tokenizer, text, known) {
    return tokenizer.encode(text).ids.map((id, place) => {
      if (known[place]?.id === id) return known[place];
      const token = known.find((row) => row.id === id)?.vectors[0] ?? vectors.randomRow("gpt2 token", id, D);
      const position = known[place]?.vectors[1] ?? vectors.randomRow("gpt2 position", place, D);
      const shown = bpe.showStandIns(tokenizer.tokens[id]);
      const hex = shown.isBytes ? shown.text.toLowerCase()
        : Array.from(unicode.utf8(shown.text), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
      return { token: shown.isBytes ? "�" : shown.text, bytes: hex, id, vectors: [token, position, vectors.sum([token, position])] };
    });
  }

  function path({ stage, states, say }) {
    const { element, makeChoosable, option, plural, visibleText } = dom;
    const field = element("input", { type: "text", value: states.text, maxlength: 200, autocomplete: "off" });
    const letters = element("p", { class: "ttv-letters", "aria-hidden": "true" });
    const list = element("div", { class: "ttv-path", role: "listbox", "aria-label": "Tokens, each with its vectors" });
    const more = element("p", { class: "ttv-live-head" });
    const column = live.slider("Number in the vector", { min: 1, max: D, value: 1 }, (value) => `${value} of ${D}`, () => light(now));
    const number = column.querySelector("input");
    let rows = states.rows;
    let now = 1;

    const text = (value) => value.toFixed(2).replace("-", "−");
    /** Outline the three cells, and say what they add up to. */
    function light(row) {
      now = row;
      const col = Number(number.value) - 1;
      for (const [i, each] of [...list.children].entries()) each.setAttribute("aria-selected", String(i === row));
      for (const [i, each] of [...letters.children].entries()) each.classList.toggle("is-lit", i === row);
      for (const each of list.querySelectorAll(".ttv-value")) {
        each.classList.toggle("is-lit", each.dataset.at === `${row} ${col}`);
      }
      if (!rows[row]) return;
      const [token, position, sum] = rows[row].vectors.map((vector) => text(vector[col]));
      const is = Math.abs(rows[row].vectors.reduce((left, vector, i) => left + (i < 2 ? 1 : -1) * vector[col], 0)) < 0.005 ? "=" : "≈";
      say(`${visibleText(rows[row].token)}, id ${rows[row].id}: ${token} + ${position} ${is} ${sum}`);
    }

    function draw() {
      const shown = rows.slice(0, MAX_ROWS);
      list.replaceChildren(...shown.map(({ token, bytes, id, vectors: three }, row) => {
        const strips = three.flatMap((vector, i) => [
          element("span", { class: "ttv-sign" }, ["", "+", "="][i]),
          element("span", { class: "ttv-cells" }, ...vector.map((value, col) => {
            const made = live.cell(value, NAMES[i]);
            made.dataset.at = `${row} ${col}`;
            return made;
          })),
        ]);
        return option(row, false, row === 0, "ttv-path-row", element("b", {}, visibleText(token)),
          element("code", {}, bytes), element("span", {}, String(id)), ...strips);
      }));
      letters.replaceChildren(...shown.map(({ token }) => element("span", {}, token)));
      const rest = rows.length - shown.length;
      const whose = rows === states.rows ? "Random vectors, the same as in the code below." : "Tokens that are new here get random vectors of the playground.";
      more.textContent = `${rest > 0 ? `And ${rest} more. ` : ""}${whose}`;
      light(rows === states.rows ? 1 : 0); // the page computes with row 1
    }

    async function type() {
      const typed = field.value;
      rows = typed === states.text ? states.rows : null;
      if (!rows) {
        say("GPT-2’s merges are loading (0.2 MB).");
        try {
          const tokenizer = await vocabularies.load("gpt2");
          if (field.value !== typed || !field.isConnected) return; // a later key, or "Start again"
          rows = rowsOf(tokenizer, typed, states.rows);
        } catch (error) {
          rows = states.rows;
          say(`GPT-2’s merges did not load: ${error.message}.`);
          return;
        }
      }
      draw();
      say(`${plural(rows.length, "token")}${rows.length ? `, ids ${rows.slice(0, MAX_ROWS).map(({ id }) => id).join(", ")}` : ""}`);
    }

    const point = (event) => {
      const cell = event.target.closest("[data-at]");
      if (cell) number.value = Number(cell.dataset.at.split(" ")[1]) + 1;
      const row = event.target.closest("[data-index]");
      if (cell) column.set(Number(number.value));
      if (row) light(Number(row.dataset.index));
    };
    list.addEventListener("pointermove", point);
    list.addEventListener("click", point);
    letters.addEventListener("pointermove", (event) => {
      const row = [...letters.children].indexOf(event.target);
      if (row >= 0) light(row);
    });
    makeChoosable(list, light);
    field.addEventListener("input", type);
    const head = element("div", { class: "ttv-path-row ttv-live-head", "aria-hidden": "true" },
      ...["token", "bytes", "id", "", "token vector", "", "position vector", "", "input vector"].map((name) => element("span", {}, name)));
    stage.append(element("label", { class: "ttv-own" }, "Sentence ", field), letters, head, list, more, column);
    draw();
  }

  path.rowsOf = rowsOf;
  live.figures.index = path;
})();
