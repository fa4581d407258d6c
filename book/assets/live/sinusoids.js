// Clocks: a position turns the hands, and each hand is two numbers of its row (chapter sinusoids).
// Needs live/dial.
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const LAST = 63;
  const MOST = 8; // further positions
  const TURN = 2 * Math.PI;

  live.figures.sinusoids = ({ stage, states, say }) => {
    const { element } = dom;
    const { frequencies, rows } = states;
    let [position, further] = [5, 0];
    const angle = (steps, frequency) => Number((steps * frequency).toFixed(3));
    // Which hands have turned by less than a twentieth of a turn.
    const hardly = (p) => {
      const slow = frequencies.flatMap((frequency, i) => (p * frequency < TURN / 20 ? [i] : []));
      return `${slow.length > 1 ? "hands" : "hand"} ${slow.join(", ").replace(/, (?=\d+$)/, " and ")} hardly turned (under 1/20)`;
    };
    const head = (...texts) => element("div", { class: "ttv-clock ttv-live-head" }, ...texts.map((text) => element("span", {}, text)));

    const clocks = frequencies.map((frequency, i) => {
      const dial = live.dial("is-further", "is-now");
      dial.node.append(dom.svg("text", { x: -1.12, y: -0.76, "font-size": 0.5, fill: "currentColor" }, String(i)));
      const wave = live.wave(0, LAST + MOST, Array.from({ length: 4 * (LAST + MOST) + 1 }, (_, j) => [j / 4, Math.sin((frequency * j) / 4)]), "is-further", "is-now");
      const numbers = element("div", { class: "ttv-numbers" });
      const turned = element("small", {});
      const node = element("div", { class: "ttv-clock", role: "group", "aria-label": `Hand ${i}` }, dial.node, wave.node, numbers, turned);
      const draw = () => {
        [position + further, position].forEach((p, j) => {
          const [sin, cos] = rows[p].slice(2 * i, 2 * i + 2);
          dial.point(j, [cos, sin]);
          wave.move(j, p, sin);
          if (j === 1) numbers.replaceChildren(dom.bars([sin, cos], "position", 1), ...[sin, cos].map((value) => element("small", {}, dom.written(value))));
        });
        const steps = further || position;
        turned.textContent = `${steps} × ${frequency} = ${angle(steps, frequency)}${further ? " further" : ""}`;
      };
      return { node, draw };
    });

    const draw = () => {
      for (const clock of clocks) clock.draw();
      say(further ? `${dom.plural(further, "step")} further the hands turn by ${frequencies.map((f) => angle(further, f)).join(", ")}: the same from every position.`
        : position ? `Position ${position}: hand 0 made ${(position * frequencies[0] / TURN).toFixed(1)} turns; ${hardly(position)}.` : "Position 0: no hand has turned.");
    };
    stage.append(
      live.slider("Position", { min: 0, max: LAST, value: position }, (p) => `position ${p}`, (p) => draw((position = p))),
      live.slider("Steps further", { min: 0, max: MOST, value: further }, (k) => dom.plural(k, "step"), (k) => draw((further = k))),
      element("p", { class: "ttv-live-head" }, "● at the position, ○ that many steps further"),
      element("div", { class: "ttv-clocks" },
        head("hand", `sine, 0 to ${LAST + MOST}`, "sin, cos", "turned (radians)"), ...clocks.map(({ node }) => node)),
    );
    draw();
  };
})();
