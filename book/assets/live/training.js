// Rows of a table while a model learns: the map, the loss, and what it expects (chapter training).
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const SHAPES = ["is-first", "is-second"];
  const GAP = 0.05; // beside a point; the map is two wide

  live.figures.training = ({ stage, states, say }) => {
    const { element, svg } = dom;
    const { expected, groups, held_out: heldOut, losses, near, steps, words } = states;
    const far = states.points.map((each) => Math.max(...each.flat().map(Math.abs)));
    const points = states.points.map((each, i) => each.map((point) => point.map((x) => x / far[i])));
    const nSteps = losses.length;
    let named = [Object.values(groups)[0][1], Object.values(groups)[1][0]]; // the words on the map
    let now = 0; // all rows are random

    const map = svg("svg", { class: "ttv-rows", viewBox: "-1.06 -1.06 2.12 2.12", "aria-hidden": "true" });
    const scale = element("p", { class: "ttv-live-head" });
    const groupOf = (word) => Object.values(groups).findIndex((group) => group.includes(word));
    const marks = words.map((word) => {
      const group = groupOf(word);
      const size = group < 0 ? 0.015 : 0.028;
      const shape = group === 1 ? svg("rect", { x: -size, y: -size, width: 2 * size, height: 2 * size }) : svg("circle", { r: size });
      const mark = svg("g", { class: SHAPES[group] ?? "is-other" }, shape);
      mark.addEventListener("pointerenter", () => name([...new Set([...named, word])]));
      mark.addEventListener("pointerleave", () => name(named));
      return mark;
    });
    const labels = words.map((word) => svg("g", { class: SHAPES[groupOf(word)] ?? "is-other" }, svg("text", {}, word)));
    // Lines join the words of a group with their middle.
    const members = Object.values(groups).map((group) => group.map((word) => words.indexOf(word)));
    const spokes = members.map((group, i) => group.map(() => svg("line", { class: SHAPES[i] })));
    const trails = members.map((group, i) => group.map(() => svg("polyline", { class: `ttv-trail ${SHAPES[i]}` }))); // where they have been
    map.append(...trails.flat(), ...spokes.flat(), ...labels, ...[...marks].reverse()); // a label lies below all points

    // Write words beside their points: to the right, or where fewer words and points of the groups are in the way.
    function name(shown) {
      const taken = points[now].slice(0, Object.values(groups).flat().length).map(([x, y]) => [x - GAP / 2, -y - GAP / 2, GAP, GAP]);
      const inTheWay = ([x, y, width, height]) => 9 * Number(Math.min(x, y) < -1.05 || Math.max(x + width, y + height) > 1.05) +
        taken.filter(([left, top, w, h]) => left < x + width && x < left + w && top < y + height && y < top + h).length;
      for (const [i, label] of labels.entries()) {
        label.classList.toggle("is-named", shown.includes(words[i]));
        if (!shown.includes(words[i])) continue;
        const [text, [x, y]] = [label.firstChild, points[now][i]];
        const { width, height } = text.getBBox();
        const places = [[GAP, -height / 2], [-GAP - width, -height / 2], [-width / 2, -GAP - height], [-width / 2, GAP]];
        const boxes = places.map(([right, down]) => [x + right, -y + down, width, height]).sort((a, b) => inTheWay(a) - inTheWay(b));
        taken.push(boxes[0]);
        text.setAttribute("x", boxes[0][0] - x);
        text.setAttribute("y", boxes[0][1] + y + 0.75 * height);
      }
    }

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
    const curves = ["is-further", "is-now"].map((kind) => svg("polyline", { class: kind }));
    const curve = svg("svg", { viewBox: `0 0 ${nSteps} ${top}`, preserveAspectRatio: "none", "aria-hidden": "true" }, ...curves);
    const dots = ["is-further", "is-now"].map((kind) => element("i", { class: kind }));
    const loss = element("p", {});
    const guesses = element("ol", { class: "ttv-measured", "aria-label": "What the model expects after four" });

    const written = (p) => (p < 0.01 ? "< 0.01" : p.toFixed(2));
    function draw(i) {
      now = i;
      name(named);
      scale.textContent = `The last step’s plane, enlarged × ${(far.at(-1) / far[i]).toFixed(1)}.`;
      members.forEach((group, g) => {
        const [x, y] = [0, 1].map((axis) => group.reduce((sum, word) => sum + points[i][word][axis] / group.length, 0));
        group.forEach((word, j) => Object.entries({ x1: x, y1: -y, x2: points[i][word][0], y2: -points[i][word][1] }).forEach(([key, at]) => spokes[g][j].setAttribute(key, at)));
      });
      const step = Math.min(steps[i], nSteps - 1); // a loss is measured before its step
      for (const each of [labels, marks]) each.forEach((one, j) => (one.style.transform = `translate(${points[i][j][0]}px, ${-points[i][j][1]}px)`));
      trails.flat().forEach((trail, j) => trail.setAttribute("points", points.slice(0, i + 1).map((each) => each[members.flat()[j]]).map(([x, y]) => `${x},${-y}`).join(" ")));
      [heldOut, losses].forEach((values, j) => {
        curves[j].setAttribute("points", values.slice(0, step + 1).map((each, at) => `${at},${top - each}`).join(" "));
        dots[j].style.left = `${(100 * step) / nSteps}%`;
        dots[j].style.top = `${100 - (100 * values[step]) / top}%`;
      });
      loss.textContent = `Loss: ${losses[step].toFixed(1)} on this batch (solid), ${heldOut[step].toFixed(1)} on held-out text (dashed)`;
      guesses.replaceChildren(...expected[i].map(([word, p]) => live.measured(element("bdi", {}, word), p, written(p))));
      const [[word, p]] = expected[i];
      const n = Object.values(groups).flat().length;
      say(`Step ${steps[i]}: ${near[i]} of ${n} words are nearest to one of their own group; expected is “${word}” (${written(p)}).`);
    }

    // A step each time, to the end; then it begins anew.
    let timer = 0;
    function stop() {
      clearInterval(timer);
      timer = 0;
      play.textContent = now < steps.length - 1 ? "Train" : "Train again";
    }
    const play = live.button("Train", () => {
      if (timer) return stop();
      if (now === steps.length - 1) slider.set(0);
      play.textContent = "Pause";
      timer = setInterval(() => {
        if (play.isConnected) slider.set(now + 1);
        if (now === steps.length - 1 || !play.isConnected) stop();
      }, 350);
    });
    play.classList.add("is-main");
    const slider = live.slider("Training", { min: 0, max: steps.length - 1, value: now }, (i) => dom.plural(steps[i], "step"), draw);
    slider.addEventListener("pointerdown", stop);
    stage.append(
      element("div", { class: "ttv-play" }, play, slider),
      element("div", { class: "ttv-two ttv-learning" },
        element("div", {}, map, scale),
        element("div", {}, loss, element("div", { class: "ttv-wave ttv-loss" }, curve, ...dots)),
        element("div", {}, element("p", { class: "ttv-live-head" }, "“Once upon a time there were four …”"), guesses)),
      ...legend,
    );
    draw(now);
    new ResizeObserver(() => name(named)).observe(map); // only what is seen has a width
  };
})();
