// A circle with hands, for the figures of sinusoids and relative-positions.
(() => {
  "use strict";
  const { dom: { svg }, live } = globalThis.TextToVectors;

  // Draw a dial with a hand for each name of a class; point(0, [x, y]) turns the first, and a point on
  // the circle is where it ends. Up is up: y grows upwards.
  live.dial = (...names) => {
    const hands = names.map((name) => svg("g", { class: name }, svg("line"), svg("circle", { r: 0.11 })));
    const node = svg("svg", { class: "ttv-dial", viewBox: "-1.15 -1.15 2.3 2.3", "aria-hidden": "true" },
      svg("circle", { class: "ttv-rim", r: 1 }), ...hands);
    const point = (i, [x, y]) => {
      const [line, tip] = hands[i].children;
      for (const [part, a, b] of [[line, "x2", "y2"], [tip, "cx", "cy"]]) {
        part.setAttribute(a, x);
        part.setAttribute(b, -y);
      }
    };
    return { node, point };
  };

  // A curve over values from -1 to 1, with lines where they are zero, and a dot for each name of a class;
  // move(0, x, y) moves the first.
  live.wave = (from, to, points, ...names) => {
    const { element } = globalThis.TextToVectors.dom;
    const line = (x1, x2, y1, y2) => svg("line", { x1, x2, y1, y2 });
    const dots = names.map((name) => element("i", { class: name }));
    const node = element("div", { class: "ttv-wave" },
      svg("svg", { viewBox: `${from} -1.15 ${to - from} 2.3`, preserveAspectRatio: "none", "aria-hidden": "true" },
        line(from, to, 0, 0), line(0, 0, -1.15, 1.15), svg("polyline", { points: points.map(([x, y]) => `${x},${-y}`).join(" ") })), ...dots);
    const move = (i, x, y) => {
      dots[i].style.left = `${(100 * (x - from)) / (to - from)}%`;
      dots[i].style.top = `${50 - (50 * y) / 1.15}%`;
    };
    return { node, move };
  };
})();
