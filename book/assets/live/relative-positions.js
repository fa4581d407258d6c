// A query and a key, rotated by their positions: their product follows the distance alone (chapter
// relative-positions).
// Needs live/dial.
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;

  live.figures["relative-positions"] = ({ stage, states, say }) => {
    const { element } = dom;
    const { pairs } = states;
    const last = pairs[0].points.length - 1;
    let [query, key] = [3, 1];
    const written = (value) => value.toFixed(4).replace("-", "−");

    const drawn = pairs.map(({ degrees, points }) => {
      const dial = live.dial("is-key", "is-query");
      const arc = live.svg("polyline", { class: "ttv-arc" });
      dial.node.append(arc);
      const angles = element("p", {});
      const productOf = ([a, b], [x, y]) => a * x + b * y;
      const products = Array.from({ length: 2 * last + 1 }, (_, i) => productOf(points[Math.max(0, i - last)], points[Math.max(0, last - i)]));
      const curve = live.svg("svg", { viewBox: `${-last} -1.15 ${2 * last} 2.3`, preserveAspectRatio: "none", "aria-hidden": "true" },
        live.svg("line", { x1: -last, x2: last, y1: 0, y2: 0 }), live.svg("line", { x1: 0, x2: 0, y1: -1.15, y2: 1.15 }),
        live.svg("polyline", { points: products.map((value, i) => `${i - last},${-value}`).join(" ") }));
      const dot = element("i", { class: "is-product" });
      const product = element("b", {});
      const node = element("div", { class: "ttv-pair-of-hands", role: "group", "aria-label": `${degrees} degrees per position` },
        element("p", { class: "ttv-live-head" }, `${degrees}° per position`), dial.node, angles,
        element("div", { class: "ttv-wave" }, curve, dot), element("p", { class: "ttv-live-head" }, `distance −${last} to ${last}`), product);
      const draw = () => {
        const [q, k] = [points[query], points[key]];
        dial.point(0, k);
        dial.point(1, q);
        const value = productOf(q, k);
        const [from, sin] = [Math.atan2(k[1], k[0]), k[0] * q[1] - k[1] * q[0]];
        const turned = Math.atan2(sin, value); // the short way round, from the key to the query
        const along = Array.from({ length: 33 }, (_, i) => from + (turned * i) / 32);
        arc.setAttribute("points", along.map((angle) => `${0.4 * Math.cos(angle)},${-0.4 * Math.sin(angle)}`).join(" "));
        const at = [query, key].map((p) => (degrees * p) % 360);
        angles.replaceChildren(element("span", { class: "is-query" }, `query ${at[0]}°`), " ", element("span", { class: "is-key" }, `key ${at[1]}°`));
        dot.style.left = `${50 + (50 * (query - key)) / last}%`;
        dot.style.top = `${50 - (50 * value) / 1.15}%`;
        product.textContent = `dot product ${written(value)}`;
        return value;
      };
      return { node, draw };
    });

    function draw(lead = `Query ${query}, key ${key}: distance`) {
      const [fast, slow] = drawn.map((pair) => pair.draw());
      const distance = query - key;
      back.setAttribute("aria-disabled", String(Math.min(query, key) === 0));
      on.setAttribute("aria-disabled", String(Math.max(query, key) === last));
      say(`${lead} ${String(distance).replace("-", "−")}, dot products ${written(fast)} and ${written(slow)}.`);
    }

    function move(step) {
      const [q, k] = [query + step, key + step];
      querySlider.set(q);
      keySlider.set(k);
      draw("Both moved: still distance");
    }

    const place = (name, value, change) =>
      live.slider(name, { min: 0, max: last, value }, (p) => `position ${p}`, (p) => {
        change(p);
        draw("Only one moved: now distance");
      });
    const querySlider = place("Query", query, (p) => (query = p));
    const keySlider = place("Key", key, (p) => (key = p));
    const back = live.button("Move both back", () => move(-1));
    const on = live.button("Move both forward", () => move(1));
    on.classList.add("is-main");
    stage.append(element("div", { class: "ttv-hands" }, ...drawn.map(({ node }) => node)), live.row(on, back), querySlider, keySlider);
    draw();
  };
})();
