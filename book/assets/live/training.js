// Rows of a table while a model learns: the map, the loss, and what it expects (chapter training).
// Needs live/dial.
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const SHAPES = ["is-first", "is-second"];

  live.figures.training = ({ stage, states, say }) => {
    const { element } = dom;
    const { svg } = live;
    const { expected, groups, held_out: heldOut, losses, points, steps, words } = states;
    const nSteps = losses.length;
    let named = [Object.values(groups)[0][1], Object.values(groups)[1][0]]; // the words on the map

    const far = Math.max(...points.flat(2).map(Math.abs)) * 1.06;
    const map = svg("svg", { class: "ttv-rows", viewBox: `${-far} ${-far} ${2 * far} ${2 * far}`, "aria-hidden": "true" });
    const groupOf = (word) => Object.values(groups).findIndex((group) => group.includes(word));
    const marks = words.map((word) => {
      const group = groupOf(word);
      const size = (group < 0 ? 0.014 : 0.026) * far;
      const shape = group === 1 ? svg("rect", { x: -size, y: -size, width: 2 * size, height: 2 * size }) : svg("circle", { r: size });
      const mark = svg("g", { class: SHAPES[group] ?? "is-other" }, shape, svg("text", { "font-size": 0.095 * far, x: 0.05 * far, y: 0.03 * far }, word));
      mark.addEventListener("pointerenter", () => name([...new Set([...named, word])]));
      mark.addEventListener("pointerleave", () => name(named));
      return mark;
    });
    map.append(...[...marks].reverse());
    const name = (shown) => marks.forEach((mark, i) => mark.classList.toggle("is-named", shown.includes(words[i])));

    const legend = Object.entries(groups).map(([title, group], i) =>
      live.row(element("span", { class: `ttv-shape ${SHAPES[i]}` }, `${title}:`), ...group.map((word) => {
        const made = live.press(word, (isPressed) => {
          named = isPressed ? [...named, word] : named.filter((each) => each !== word);
          name(named);
        });
        made.setAttribute("aria-pressed", String(named.includes(word)));
        return made;
      })));

    const top = 1.1 * Math.max(...losses, ...heldOut);
    const line = (values, kind) => svg("polyline", { class: kind, points: values.map((loss, i) => `${i},${top - loss}`).join(" ") });
    const curve = svg("svg", { viewBox: `0 0 ${nSteps} ${top}`, preserveAspectRatio: "none", "aria-hidden": "true" }, line(heldOut, "is-further"), line(losses, "is-now"));
    const dots = ["is-further", "is-now"].map((kind) => element("i", { class: kind }));
    const loss = element("p", {});
    const guesses = element("ol", { class: "ttv-guesses", "aria-label": "What the model expects after four" });

    const written = (p) => (p < 0.01 ? "< 0.01" : p.toFixed(2));
    function draw(i) {
      const step = Math.min(steps[i], nSteps - 1); // a loss is measured before its step
      marks.forEach((mark, j) => (mark.style.transform = `translate(${points[i][j][0]}px, ${-points[i][j][1]}px)`));
      [heldOut, losses].forEach((values, j) => {
        dots[j].style.left = `${(100 * step) / nSteps}%`;
        dots[j].style.top = `${100 - (100 * values[step]) / top}%`;
      });
      loss.replaceChildren("Loss: ", element("span", { class: "is-now" }, `${losses[step].toFixed(1)} on this batch`), ", ",
        element("span", { class: "is-further" }, `${heldOut[step].toFixed(1)} on held-out text`));
      guesses.replaceChildren(...expected[i].map(([word, p]) => {
        const bar = element("i", {});
        bar.style.width = `${100 * p}%`;
        return element("li", {}, element("bdi", {}, word), element("span", { class: "ttv-cosine" }, bar), element("b", {}, written(p)));
      }));
      const [[word, p]] = expected[i];
      say(`After ${dom.plural(steps[i], "step")}: after “four” the model expects “${word}”, with probability ${written(p)}.`);
    }

    stage.append(
      live.slider("Training", { min: 0, max: steps.length - 1, value: steps.length - 1 }, (i) => dom.plural(steps[i], "step"), draw),
      element("div", { class: "ttv-two" },
        map,
        element("div", {}, loss, element("div", { class: "ttv-wave" }, curve, ...dots),
          element("p", { class: "ttv-live-head" }, "“Once upon a time there were four …”"), guesses)),
      ...legend,
    );
    name(named);
    draw(steps.length - 1); // what the page has just computed
  };
})();
