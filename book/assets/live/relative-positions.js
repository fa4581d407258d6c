// A query and a key, rotated by their positions: their product follows the distance alone (chapter
// relative-positions).
// Needs live/dial.
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const MOST = 24; // distance

  live.figures["relative-positions"] = ({ stage, states, say }) => {
    const { element, svg } = dom;
    const { pairs } = states;
    const last = pairs[0].points.length - 1 - MOST; // position of the key
    let [key, distance] = [1, 2];
    const written = (value) => dom.written(value, 4);
    const productOf = ([a, b], [x, y]) => a * x + b * y;

    const drawn = pairs.map(({ degrees, points }) => {
      const dial = live.dial("is-key", "is-query");
      const arc = svg("polyline", { class: "ttv-arc" });
      dial.node.append(arc);
      const angles = element("p", {});
      const turn = (degrees * Math.PI) / 180;
      const products = Array.from({ length: 8 * MOST + 1 }, (_, i) => [i / 8, productOf(points[0], points[0]) * Math.cos((turn * i) / 8)]);
      const wave = live.wave(0, MOST, products, "is-now");
      const product = element("b", {});
      const node = element("div", { role: "group", "aria-label": `${degrees} degrees per position` },
        element("p", { class: "ttv-live-head" }, `${degrees}° per position`), dial.node, angles,
        wave.node, element("p", { class: "ttv-live-head" }, `distance 0 to ${MOST}`), product);
      const draw = () => {
        const [q, k] = [points[key + distance], points[key]];
        dial.point(0, k);
        dial.point(1, q);
        const value = productOf(q, k);
        const [from, sin] = [Math.atan2(k[1], k[0]), k[0] * q[1] - k[1] * q[0]];
        const turned = Math.atan2(sin, value); // the short way round, from the key to the query
        const along = Array.from({ length: 33 }, (_, i) => from + (turned * i) / 32);
        arc.setAttribute("points", along.map((angle) => `${0.4 * Math.cos(angle)},${-0.4 * Math.sin(angle)}`).join(" "));
        const at = [key + distance, key].map((p) => (degrees * p) % 360);
        angles.replaceChildren(element("span", { class: "is-query" }, `query ${at[0]}°`), " ", element("span", { class: "is-key" }, `key ${at[1]}°`));
        wave.move(0, distance, value);
        product.textContent = `dot product ${written(value)}`;
        return value;
      };
      return { node, draw };
    });

    function draw(lead) {
      const [fast, slow] = drawn.map((pair) => pair.draw());
      say(`${lead} ${distance}, dot products ${written(fast)} and ${written(slow)}.`);
    }

    const both = live.slider("Both", { min: 0, max: last, value: key }, (p) => `query ${p + distance}, key ${p}`, (p) => {
      key = p;
      draw("Both moved: still distance");
    });
    const one = live.slider("Query alone", { min: 0, max: MOST, value: distance }, (d) => `distance ${d}`, (d) => {
      distance = d;
      both.set(key);
      draw("Only the query moved: now distance");
    });
    stage.append(element("div", { class: "ttv-two ttv-hands" }, ...drawn.map(({ node }) => node)), both, one);
    draw(`Query ${key + distance}, key ${key}: distance`);
  };
})();
