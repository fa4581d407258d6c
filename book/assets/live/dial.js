// A circle with hands, for the figures of sinusoids and relative-positions.
(() => {
  "use strict";
  const { live } = globalThis.TextToVectors;
  const SVG = "http://www.w3.org/2000/svg";

  // Make an element of SVG, as dom.element makes one of HTML.
  function svg(tag, attributes = {}, ...children) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  // Draw a dial with a hand for each name of a class; point(0, [x, y]) turns the first, and a point on
  // the circle is where it ends. Up is up: y grows upwards.
  function dial(...names) {
    const hands = names.map((name) => svg("g", { class: name }, svg("line", { x1: 0, y1: 0 }), svg("circle", { r: 0.11 })));
    const node = svg("svg", { class: "ttv-dial", viewBox: "-1.15 -1.15 2.3 2.3", "aria-hidden": "true" },
      svg("circle", { class: "ttv-rim", r: 1 }), ...hands);
    const point = (i, [x, y]) => {
      const [line, tip] = hands[i].children;
      for (const [part, a, b] of [[line, "x2", "y2"], [tip, "cx", "cy"]]) {
        part.setAttribute(a, String(x));
        part.setAttribute(b, String(-y));
      }
    };
    return { node, point };
  }

  Object.assign(live, { dial, svg });
})();
