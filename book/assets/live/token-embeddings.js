// Look up: ids, in any order, pick rows of the chapter's table (chapter token-embeddings).
// Needs live/dial.
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const MAX_IDS = 6;

  live.figures["token-embeddings"] = ({ stage, states, say }) => {
    const { element } = dom;
    let ids = [...states.ids];
    let isProduct = false;
    const cells = (vector) => vector.map((value) => live.cell(value, "token", value.toFixed(4).replace("-", "−")));
    const line = (id, ...children) => {
      const made = element("div", { class: "ttv-lookup", "data-id": id }, ...children);
      made.addEventListener("pointerenter", () => light(id));
      made.addEventListener("pointerleave", () => light(-1));
      return made;
    };
    const oneHot = (id) => states.table.map((_, i) => element("i", { class: i === id ? "is-one" : "" }, i === id ? "1" : "0"));

    const table = states.table.map((vector, id) => {
      const pick = live.button(String(id), () => add(id));
      pick.setAttribute("aria-label", `Look up id ${id}`);
      pick.addEventListener("focus", () => light(id));
      pick.addEventListener("blur", () => light(-1));
      return line(id, pick, ...cells(vector));
    });
    const result = element("div", { class: "ttv-result" });
    const lines = live.svg("svg", { class: "ttv-links", "aria-hidden": "true" });
    // Join each row of the result with its row of the table, where they stand side by side.
    function join() {
      lines.replaceChildren(...[...result.children].flatMap((to) => {
        const id = Number(to.dataset.id);
        const from = table[id];
        // Offsets are those of the place where a row comes to rest; it may still be on its way.
        const [x, z] = [from.offsetLeft + from.offsetWidth, to.offsetLeft];
        if (x > z) return [];
        const [y, w] = [from, to].map((each) => each.offsetTop + each.offsetHeight / 2);
        return [live.svg("path", { d: `M${x},${y} C${(x + z) / 2},${y} ${(x + z) / 2},${w} ${z},${w}`, "data-id": id })];
      }));
    }
    const shape = element("p", { class: "ttv-live-head" });
    const remove = live.button("Remove the last", () => change(ids.slice(0, -1)));
    const product = live.press("As one-hot × table", (isPressed) => {
      isProduct = isPressed;
      change(ids);
    });

    function light(id) {
      for (const each of stage.querySelectorAll("[data-id]")) each.classList.toggle("is-lit", Number(each.dataset.id) === id);
    }

    function change(next, isAdded = false) {
      ids = next;
      table.forEach((each, id) => each.classList.toggle("is-used", ids.includes(id)));
      result.replaceChildren(...ids.map((id, i) => {
        const head = isProduct ? element("span", { class: "ttv-one-hot" }, ...oneHot(id)) : element("b", {}, String(id));
        const made = line(id, head, ...cells(states.table[id]));
        made.classList.toggle("is-new", isAdded && i === ids.length - 1);
        return made;
      }));
      const n = ids.length;
      shape.textContent = isProduct ? `One-hot (${n}, 10) times table (10, 4): (${n}, 4)` : `Ids (${n}) to vectors (${n}, 4)`;
      remove.setAttribute("aria-disabled", String(n === 0));
      for (const each of table) each.firstChild.setAttribute("aria-disabled", String(n === MAX_IDS));
      const order = ids.some((id, i) => id < ids[i - 1]) ? ": the order of the ids, not of the table" : ", one for each id";
      const rows = n ? `rows ${ids.join(", ")}${order}` : "no row";
      join();
      say(`The result has ${rows}.${n === MAX_IDS ? " It is full." : ""}`);
    }

    const add = (id) => change([...ids, id], true);
    stage.append(
      element("div", { class: "ttv-sides" },
        element("div", {}, element("p", { class: "ttv-live-head" }, "Table: choose ids"), ...table),
        element("div", {}, shape, result), lines),
      live.row(remove, product),
      live.legend("token", 2, " "),
    );
    change(ids);
    new ResizeObserver(join).observe(result);
  };
})();
