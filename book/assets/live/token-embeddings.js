// Look up: ids, in any order, pick rows of the chapter's table (chapter token-embeddings).
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const MAX_IDS = 6;

  live.figures["token-embeddings"] = ({ stage, states, say }) => {
    const { element, svg, written } = dom;
    const most = Math.max(...states.table.flat().map(Math.abs));
    let ids = [...states.ids];
    let isProduct = false;

    function light(id) {
      for (const each of stage.querySelectorAll("[data-id]")) each.classList.toggle("is-lit", Number(each.dataset.id) === id);
      if (id >= 0) say(`Row ${id}: ${states.table[id].map((value) => written(value, 4)).join(", ")}.`);
      else tell();
    }
    const line = (id, head) => {
      const made = element("div", { class: "ttv-lookup", "data-id": id }, head, dom.bars(states.table[id], "token", most));
      made.addEventListener("pointerenter", () => light(id));
      made.addEventListener("pointerleave", () => light(-1));
      return made;
    };
    const oneHot = (id) => element("span", { class: "ttv-one-hot" },
      ...states.table.map((_, i) => element("span", { class: `ttv-cell ${i === id ? "is-taken" : "is-open"}` }, i === id ? "1" : "0")));

    const table = states.table.map((_, id) => {
      const pick = live.button(String(id), () => change([...ids, id]));
      pick.setAttribute("aria-label", `Look up id ${id}`);
      pick.addEventListener("focus", () => light(id));
      pick.addEventListener("blur", () => light(-1));
      return line(id, pick);
    });
    const result = element("div", { class: "ttv-result" });
    const lines = svg("svg", { class: "ttv-links", "aria-hidden": "true" });
    // Join each row of the result with its row of the table.
    function join() {
      lines.replaceChildren(...[...result.children].map((to) => {
        const from = table[to.dataset.id];
        const [x, z] = [from.offsetLeft + from.offsetWidth, to.offsetLeft];
        const [y, w] = [from, to].map((each) => each.offsetTop + each.offsetHeight / 2);
        return svg("path", { d: `M${x},${y} C${(x + z) / 2},${y} ${(x + z) / 2},${w} ${z},${w}`, "data-id": to.dataset.id });
      }));
    }
    const shape = element("p", { class: "ttv-live-head" });
    const remove = live.button("Remove the last", () => change(ids.slice(0, -1)));
    const product = live.press("As one-hot × table", (isPressed) => {
      isProduct = isPressed;
      change(ids);
    });

    function tell() {
      const order = ids.some((id, i) => id < ids[i - 1]) ? ": the order of the ids, not of the table" : ", one for each id";
      say(`The result has ${ids.length ? `rows ${ids.join(", ")}${order}` : "no row"}.${ids.length === MAX_IDS ? " It is full." : ""}`);
    }

    function change(next) {
      ids = next;
      table.forEach((each, id) => each.classList.toggle("is-taken", ids.includes(id)));
      result.replaceChildren(...ids.map((id) => line(id, isProduct ? oneHot(id) : element("b", {}, String(id)))));
      for (const each of result.children) each.classList.add("is-taken");
      const n = ids.length;
      shape.textContent = isProduct ? `One-hot (${n}, 10) × table = (${n}, 4)` : `Ids (${n}) to vectors (${n}, 4)`;
      remove.setAttribute("aria-disabled", String(n === 0));
      for (const each of table) each.firstChild.setAttribute("aria-disabled", String(n === MAX_IDS));
      join();
      tell();
    }

    stage.append(
      element("div", { class: "ttv-sides" },
        element("div", {}, element("p", { class: "ttv-live-head" }, "Table (10, 4)"), ...table),
        element("div", {}, shape, result), lines),
      live.row(remove, product),
    );
    change(ids);
    new ResizeObserver(join).observe(result);
  };
})();
