// Look up: tokens pick rows of a table by their ids, and the vectors come in the order of the text (chapter
// token-embeddings).
// Needs algorithms/unicode.
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const MAX_TOKENS = 7;

  live.figures["token-embeddings"] = ({ stage, states, say }) => {
    const { count, element, svg, tokenChip, written } = dom;
    const { rows, shape: [nRows, d] } = states; // rows: the id of each token, and its first numbers
    const most = Math.max(...Object.values(rows).flatMap(([, row]) => row.map(Math.abs)));
    let text = [...states.text];
    let isProduct = false;

    const head = (name, ...sizes) => element("p", { class: "ttv-lookup-head" }, element("b", {}, name), ` (${sizes.map(count).join(", ")}${sizes[1] ? "" : ","})`);
    const lines = svg("svg", { class: "ttv-links", "aria-hidden": "true" });
    const columns = ["is-ids", "is-table", "is-vectors"].map((kind) => element("div", { class: `ttv-lookups ${kind}` }));
    const sides = element("div", { class: "ttv-sides", role: "img" }, ...columns, lines);

    function light(token) {
      for (const each of sides.querySelectorAll("[data-token]")) each.classList.toggle("is-lit", each.dataset.token === token);
      if (!token) return tell();
      const [id, row] = rows[token];
      say(`Row ${count(id)} of ${count(nRows)}, “${token}”: ${row.slice(0, 3).map((value) => written(value, 3)).join(", ")}, …`);
    }
    function line(token, ...children) {
      const made = element("div", { class: "ttv-lookup", "data-token": token }, ...children);
      made.addEventListener("pointerenter", () => light(token));
      made.addEventListener("pointerleave", () => light(""));
      return made;
    }
    const bars = (token) => dom.bars(rows[token][1], "token", most);

    // Join each token with its row of the table, and the row with the vector.
    function join() {
      const sideOf = (node, right) => [node.offsetLeft + (right ? node.offsetWidth + 3 : -3), node.offsetTop + node.offsetHeight / 2];
      const [left, table, right] = columns.map((column) => [...column.querySelectorAll("[data-token]")]);
      lines.replaceChildren(...text.flatMap((token, i) => {
        const row = table.find(({ dataset }) => dataset.token === token);
        return [[left[i], row], [row, right[i]]].map(([from, to]) => {
          const [[x, y], [z, w]] = [sideOf(from, true), sideOf(to, false)];
          return svg("path", { d: `M${x},${y} C${(x + z) / 2},${y} ${(x + z) / 2},${w} ${z},${w}`, "data-token": token });
        });
      }));
    }

    function tell() {
      const nPicked = new Set(text).size;
      const [again] = text.filter((token, i) => text.indexOf(token) < i);
      const full = text.length === MAX_TOKENS ? " The text is full." : "";
      say(again ? `${text.length} ids select ${nPicked} rows: “${again}” selects one row again.${full}` : `${dom.plural(text.length, "id")} ${nPicked === 1 ? "selects 1 row" : `select ${nPicked} rows`}. The vectors come in the order of the text.${full}`);
    }

    function change(next) {
      text = next;
      const picked = Object.keys(rows).filter((token) => text.includes(token)).sort((a, b) => rows[a][0] - rows[b][0]);
      const index = (token) => element("small", {}, String(rows[token][0]));
      const oneHot = (token) => element("span", { class: "ttv-one-hot", style: `--n: ${picked.length}` },
        ...picked.map((each) => element("span", { class: `ttv-cell ${each === token ? "is-taken" : "is-open"}` }, each === token ? "1" : "0")));
      const dots = () => element("i", {}, "⋮");
      columns[0].replaceChildren(isProduct ? head("one-hot", text.length, nRows) : head("ids", text.length), ...text.map((token) => line(token, tokenChip({ text: token }), isProduct ? oneHot(token) : index(token))));
      columns[1].replaceChildren(head("table", nRows, d), dots(), ...picked.flatMap((token) => [line(token, index(token), bars(token)), dots()]));
      columns[2].replaceChildren(head("vectors", text.length, d), ...text.map((token) => line(token, bars(token))));
      sides.setAttribute("aria-label", `Table rows ${picked.map((token) => rows[token][0]).join(", ")}; vectors in the order ${text.join(" ")}`);
      remove.setAttribute("aria-disabled", String(!text.length));
      for (const each of adds) each.setAttribute("aria-disabled", String(text.length === MAX_TOKENS));
      join();
      tell();
    }

    const adds = Object.keys(rows).map((token) => live.button(token, () => change([...text, token])));
    const remove = live.button("Remove the last", () => change(text.slice(0, -1)));
    const product = live.press("As one-hot × table", (isPressed) => {
      isProduct = isPressed;
      change(text);
    });
    stage.append(live.row(element("span", {}, "Add"), ...adds), sides, live.row(remove, product));
    change(text);
    new ResizeObserver(join).observe(sides);
  };
})();
