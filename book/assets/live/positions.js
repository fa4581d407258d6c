// Three words in any order: what a block returns for each, with and without position vectors (chapter
// positions).
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;

  live.figures.positions = ({ stage, states, say }) => {
    const { element } = dom;
    const { tokens, orders, added, without } = states;
    let order = [...orders.at(-1)]; // the other order of the figure
    let isAdded = true;
    let held = -1; // the token that a pointer holds
    let isMoved = false;

    const outputsOf = (some) => (isAdded ? added : without)[orders.findIndex((each) => each.join() === some.join())];
    const written = (value) => value.toFixed(2).replace("-", "−");

    // The cells of an output; they tell their numbers to whoever points, taps or tabs there.
    function cells(token, vector) {
      const made = vector.map((value) => live.cell(value, "input"));
      const name = `Output of ${tokens[token].trim()}`;
      const box = element("div", { class: "ttv-output", role: "img", tabindex: 0, "aria-label": `${name}: ${vector.map(written).join(", ")}` }, ...made);
      made.forEach((cell, i) => {
        for (const event of ["pointermove", "click"]) cell.addEventListener(event, () => say(`${name}, number ${i + 1} of ${vector.length}: ${written(vector[i])}.`));
      });
      box.addEventListener("focus", () => box.matches(":focus-visible") && say(`${name}: ${vector.map(written).join(", ")}.`));
      return box;
    }

    const above = element("div", { class: "ttv-order" });
    const below = element("div", { class: "ttv-order", role: "group", "aria-label": "Your order" });

    const tiles = tokens.map((token, i) => {
      const tile = live.button(token.replace(" ", "␣"), () => onwards(i));
      tile.classList.add("ttv-tile");
      tile.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.preventDefault();
        put(i, order.indexOf(i) + step);
      });
      tile.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        [held, isMoved] = [i, false];
        below.setPointerCapture(event.pointerId); // it stays in the page while tiles change places
      });
      return tile;
    });

    below.addEventListener("pointermove", (event) => {
      const slots = [...below.children].map((slot) => slot.getBoundingClientRect());
      const over = slots.findIndex(({ left, right }) => event.clientX >= left && event.clientX < right);
      if (held >= 0 && over >= 0) put(held, over);
    });
    let tapped = -Infinity;
    below.addEventListener("pointerup", (event) => {
      if (held < 0 || isMoved) return;
      tapped = event.timeStamp;
      onwards(held);
    });
    // A finger's click follows, on the tile that is there now.
    below.addEventListener("click", (event) => {
      if (event.timeStamp - tapped < 500 && event.target.closest(".ttv-tile")) event.stopPropagation();
      tapped = -Infinity;
    }, true);
    below.addEventListener("lostpointercapture", () => draw((held = -1)));
    const onwards = (token) => put(token, (order.indexOf(token) + 1) % order.length);

    // Put a token in a place; the one that stood there takes its place.
    function put(token, place) {
      const from = order.indexOf(token);
      if (place < 0 || place >= order.length || place === from) return;
      [order[from], order[place]] = [order[place], order[from]];
      isMoved = true;
      draw();
    }

    function draw() {
      const first = outputsOf(orders[0]);
      const now = outputsOf(order);
      const differences = order.map((token, place) => Math.max(...now[place].map((value, i) => Math.abs(value - first[token][i]))));
      above.replaceChildren(...orders[0].map((token) => element("div", {}, element("b", {}, tokens[token].replace(" ", "␣")), cells(token, first[token]))));
      const focused = document.activeElement; // a tile that changes its place keeps the focus
      order.forEach((token, place) => {
        const difference = differences[place] < 0.005 ? "equal" : `differs by ${written(differences[place])}`;
        const slot = below.children[place] ?? below.appendChild(element("div", {}));
        slot.replaceChildren(tiles[token], cells(token, now[place]), element("small", {}, difference));
        tiles[token].setAttribute("aria-label", `${tokens[token].trim()}, place ${place + 1} of ${order.length}; arrow keys move it`);
        tiles[token].classList.toggle("is-held", held === token);
      });
      if (tiles.includes(focused)) focused.focus({ preventScroll: true });
      const text = order.map((token) => tokens[token].trim()).join(" ");
      const nOther = differences.filter((value) => value >= 0.005).length;
      const counts = isAdded ? "With position vectors the order counts." : "Without position vectors the order is not seen.";
      say(order.join() === orders[0].join() ? `${text}: this is the order of the text. Try another one.` : `${text}: ${nOther} of ${order.length} outputs changed. ${counts}`);
    }

    stage.append(
      element("p", { class: "ttv-live-head" }, "The words in the order of the text, and their outputs"), above,
      element("p", { class: "ttv-live-head" }, "Your order: drag a word, tap it to move it on, or use the arrow keys"), below,
      live.choice("Position vectors", ["added", "left out"], (i) => draw((isAdded = i === 0))),
      live.legend("input", 2),
    );
    draw();
  };
})();
