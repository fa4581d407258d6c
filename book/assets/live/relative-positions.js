// A query and a key, rotated by their positions: their product follows the distance alone (chapter
// relative-positions).
// Needs live/dial.
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;

  live.figures["relative-positions"] = ({ stage, states, say }) => {
    const { element, svg } = dom;
    const { pairs } = states;
    const last = pairs[0].points.length - 1;
    let [query, key] = [3, 1];
    const written = (value) => dom.written(value, 4);
    const productOf = ([a, b], [x, y]) => a * x + b * y;

    const drawn = pairs.map(({ degrees, points }) => {
      const dial = live.dial("is-key", "is-query");
      const arc = svg("polyline", { class: "ttv-arc" });
      dial.node.append(arc);
      const angles = element("p", {});
      const turn = (degrees * Math.PI) / 180;
      const products = Array.from({ length: 16 * last + 1 }, (_, i) => [i / 8 - last, productOf(points[0], points[0]) * Math.cos(turn * (i / 8 - last))]);
      const wave = live.wave(-last, last, products, "is-now");
      const product = element("b", {});
      const node = element("div", { role: "group", "aria-label": `${degrees} degrees per position` },
        element("p", { class: "ttv-live-head" }, `${degrees}° per position`), dial.node, angles,
        wave.node, element("p", { class: "ttv-live-head" }, `distance −${last} to ${last}`), product);
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
        wave.move(0, query - key, value);
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
      say(`${lead} ${dom.written(distance, 0)}, dot products ${written(fast)} and ${written(slow)}.`);
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
    stage.append(element("div", { class: "ttv-two is-narrow ttv-hands" }, ...drawn.map(({ node }) => node)), live.row(on, back), querySlider, keySlider);
    draw();
  };
})();
