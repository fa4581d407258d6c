// Three words in any order: what `mix` returns for each, with and without position vectors (chapter
// positions).
// Needs algorithms/unicode.
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;

  live.figures.positions = ({ stage, states, say }) => {
    const { element, svg, written } = dom;
    const { tokens, orders, added, without } = states;
    let order = [...orders.at(-1)]; // the other order of the figure
    let isAdded = true;
    let held = -1; // the token that a pointer holds
    let isMoved = false;

    const indexOf = (some) => orders.findIndex((each) => each.join() === some.join());
    const name = (token) => dom.visibleText(tokens[token]);

    // An output as bars; it tells its numbers to whoever points, taps or tabs there.
    function output(token, vector, most) {
      const made = dom.bars(vector, "ink", most);
      const numbers = `Output of ${tokens[token].trim()}: ${vector.map((value) => written(value)).join(", ")}.`;
      for (const [key, value] of Object.entries({ role: "img", tabindex: 0, "aria-label": numbers })) made.setAttribute(key, value);
      for (const event of ["pointerenter", "click"]) made.addEventListener(event, () => say(numbers));
      made.addEventListener("focus", () => made.matches(":focus-visible") && say(numbers));
      return made;
    }

    const above = element("div", { class: "ttv-order" });
    const between = element("div", { class: "ttv-joins", "aria-hidden": "true" });
    const below = element("div", { class: "ttv-order", role: "group", "aria-label": "Your order" });

    const tiles = tokens.map((token, i) => {
      const tile = live.button(name(i), () => onwards(i));
      tile.classList.add("ttv-tile", "ttv-token");
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
      const outputs = isAdded ? added : without;
      const [first, now] = [outputs[0], outputs[indexOf(order)]];
      const most = Math.max(...outputs.flat(2).map(Math.abs));
      const differences = order.map((token, place) => Math.max(...now[place].map((value, i) => Math.abs(value - first[token][i]))));
      above.replaceChildren(...orders[0].map((token) => element("div", {}, element("span", { class: "ttv-token" }, name(token)), output(token, first[token], most))));
      // A line from each output to that of the same token below: solid where the two are equal.
      const middle = (place) => (100 * (place + 0.5)) / order.length;
      const isEqual = (place) => differences[place] < 0.005;
      between.replaceChildren(
        svg("svg", { viewBox: "0 0 100 1", preserveAspectRatio: "none" }, ...order.map((token, place) =>
          svg("line", { class: isEqual(place) ? "is-equal" : "is-other", x1: middle(token), y1: 0, x2: middle(place), y2: 1 }))),
        ...order.map((token, place) => element("b", { class: isEqual(place) ? "is-equal" : "is-other", style: `left: ${0.1 * middle(token) + 0.9 * middle(place)}%` },
          isEqual(place) ? "equal" : written(differences[place]))));
      const focused = document.activeElement; // a tile that changes its place keeps the focus
      order.forEach((token, place) => {
        const slot = below.children[place] ?? below.appendChild(element("div", {}));
        slot.replaceChildren(output(token, now[place], most), tiles[token]);
        tiles[token].setAttribute("aria-label", `${tokens[token].trim()}, place ${place + 1} of ${order.length}; arrow keys move it`);
        tiles[token].classList.toggle("is-lit", held === token);
      });
      if (tiles.includes(focused)) focused.focus({ preventScroll: true });
      const text = order.map((token) => tokens[token].trim()).join(" ");
      const nOther = differences.filter((_, place) => !isEqual(place)).length;
      const counts = isAdded ? "With position vectors the order counts." : "Without position vectors the order is not seen.";
      say(order.join() === orders[0].join() ? `${text}: this is the order of the text. Try another one.` : `${text}: ${nOther} of ${order.length} outputs changed. ${counts}`);
    }

    stage.append(
      element("p", { class: "ttv-live-head" }, "The order of the text, and the outputs"), above, between, below,
      element("p", { class: "ttv-live-head" }, "Your order: drag a word, tap it, or use the arrow keys. A line joins the two outputs of a word; a number is their largest difference."),
      live.choice("Position vectors", ["added", "left out"], (i) => draw((isAdded = i === 0))),
    );
    draw();
  };
})();
