// Live figures. A page says where one stands (book/_ext/ttv/live.py): <div class="ttv-live"> around
// the still figure. When it comes near, its scripts are loaded and it takes the still figure's place.
//
// Where a script says at its head "// Needs algorithms/bpe, live/dial.", these are loaded before it, and
// drawing/dom always. A figure is a function, live.figures.NAME = ({stage, states, say}) => {...}. It draws itself into
// `stage`, from `states`, which the book's build has computed. "Start again" calls it anew. say("One
// sentence.") shows it under the figure, and tells a screen reader when the reader has paused. Parts:
//   button(text, act), press(text, act)      press can be told pressed: aria-pressed
//   slider(name, {min, max, value}, told, change)   told(7) is "position 7"; .set(7)
//   choice(name, ["one", "two"], change)     change(0) for the first
//   field(name, value, change)               .input is the element
//   pair(joined, under, act, point)          a pair of neighbours; point(true) while one points at it
//   ended(node, [[{text: "un"}, 403]])       tokens in the place of pairs
//   ladder(node, rows, at)                  a ladder in its fixed room, moved to a row; its boxes
//   measured(what, share, number)            over a bar
//   typed(input, loading, told, say, drawn)  loads, tells, and draws unless the text has changed
//   row(...children)
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});
  const root = new URL("..", document.currentScript.src);
  const PAUSE = 700; // milliseconds without a change, after which it is told

  const loaded = new Map();
  let nNames = 0;

  // file: below _static
  function load(file) {
    const { href } = new URL(file, root);
    // The playground's page has some of them as its own.
    const isThere = [...document.scripts].some(({ src }) => src.split("?")[0] === href.split("?")[0]);
    const promise = loaded.get(file) ?? (isThere ? Promise.resolve() : new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = href;
      script.async = false; // all at once, in this order
      script.onload = () => resolve();
      script.onerror = reject;
      document.head.append(script);
    }));
    loaded.set(file, promise);
    return promise;
  }

  function button(text, act) {
    const made = ttv.dom.element("button", { type: "button", class: "ttv-do" }, text);
    made.addEventListener("click", () => made.getAttribute("aria-disabled") !== "true" && act());
    return made;
  }

  function press(text, act) {
    const made = button(text, () => {
      const isPressed = made.getAttribute("aria-pressed") !== "true";
      made.setAttribute("aria-pressed", String(isPressed));
      act(isPressed);
    });
    made.setAttribute("aria-pressed", "false");
    return made;
  }

  function slider(name, range, told, change) {
    const input = ttv.dom.element("input", { type: "range", "aria-label": name, ...range });
    const shown = ttv.dom.element("output", { "aria-live": "off" });
    const follow = () => {
      shown.textContent = told(Number(input.value));
      input.setAttribute("aria-valuetext", told(Number(input.value)));
    };
    const set = (value) => {
      input.value = String(value);
      follow();
      change(value);
    };
    input.addEventListener("input", () => set(Number(input.value)));
    let before = range.value;
    input.addEventListener("pointerdown", () => (before = Number(input.value)));
    input.addEventListener("pointercancel", () => set(before)); // the finger scrolls the page
    follow();
    return Object.assign(ttv.dom.element("label", { class: "ttv-slider" }, ttv.dom.element("span", {}, name), input, shown), { set });
  }

  function choice(name, options, change) {
    const group = `ttv-choice-${(nNames += 1)}`;
    const labels = options.map((option, i) => {
      const input = ttv.dom.element("input", { type: "radio", name: group, checked: i === 0 });
      input.addEventListener("change", () => change(i));
      return ttv.dom.element("label", {}, input, option);
    });
    return ttv.dom.element("div", { class: "ttv-choice-row", role: "radiogroup", "aria-label": name }, ttv.dom.element("span", { "aria-hidden": "true" }, name), ...labels);
  }

  // The field for the reader's own text, with its name; its input is `input`.
  function field(name, value, change) {
    const input = ttv.dom.element("input", { type: "text", value, maxlength: 200, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    input.addEventListener("input", change);
    return Object.assign(ttv.dom.element("label", { class: "ttv-own" }, name, input), { input });
  }

  // A pair of neighbours: point(true) while one points at it.
  function pair(joined, under, act, point) {
    const made = button("", act);
    made.classList.add("ttv-pair");
    made.append(ttv.dom.element("bdi", {}, joined), ttv.dom.element("small", {}, under));
    for (const event of ["pointerenter", "focus"]) made.addEventListener(event, () => point(true));
    for (const event of ["pointerleave", "blur"]) made.addEventListener(event, () => point(false));
    return made;
  }

  // Where pairs were, when none is left: the tokens, each over its id.
  function ended(node, tokens) {
    node.replaceChildren(...tokens.map(([shown, id]) => ttv.dom.tokenChip(shown, `id ${id}`)));
  }

  // Draw a ladder, or none; where its room has not all rows, the row at hand is seen, and one more.
  function ladder(node, rows, at) {
    node.replaceChildren(...(rows.length ? [ttv.dom.ladder(rows)] : []));
    const line = node.querySelector(`li:nth-child(${at + 1})`);
    if (line) node.scrollTop = (at + 2) * line.offsetHeight - node.clientHeight;
    return line?.querySelectorAll(".ttv-token") ?? [];
  }

  // Something over a bar of a length from 0 to 1, with its number.
  function measured(what, share, number) {
    const { element } = ttv.dom;
    return element("li", { style: `--share: ${Math.max(0, share)}` }, element("i", {}), what, element("span", {}, number));
  }

  // Load what was typed needs, and draw with it: `drawn(loaded, typed)`. Loading is told only if it takes a
  // while, so that no sentence flickers; after a later key, or "Start again", nothing is drawn.
  async function typed(input, loading, told, say, drawn) {
    const { value } = input;
    const timer = setTimeout(() => say(`${told}.`), 200);
    try {
      const loaded = await loading;
      if (input.value === value && input.isConnected) drawn(loaded, value);
    } catch (error) {
      say(`They did not load: ${error.message}.`);
    } finally {
      clearTimeout(timer);
    }
  }

  const row = (...children) => ttv.dom.element("div", { class: "ttv-live-row" }, ...children);

  async function mount(box) {
    await Promise.all((box.dataset.scripts ?? "").split(" ").map(load));
    const { element } = ttv.dom;
    const stage = element("div", { class: "ttv-live-stage" });
    const shown = element("p", { class: "ttv-live-said" });
    const told = element("p", { class: "ttv-live-told", role: "status" });
    let timer = 0;
    const say = (sentence) => {
      shown.textContent = sentence;
      clearTimeout(timer);
      timer = window.setTimeout(() => (told.textContent = sentence), PAUSE);
    };
    const begin = () => {
      end.classList.remove("is-changed");
      stage.replaceChildren();
      ttv.live.figures[box.dataset.live ?? ""]({ stage, states: JSON.parse(box.dataset.states ?? "{}"), say });
    };
    const what = element("p", { class: "ttv-live-do" }, box.dataset.do ?? "");
    const end = element("div", { class: "ttv-live-end" }, shown, button("Start again", begin));
    for (const event of ["click", "input", "drop", "keydown"]) {
      stage.addEventListener(event, ({ key }) => key !== "Tab" && key !== "Shift" && end.classList.add("is-changed"));
    }
    begin();
    clearTimeout(timer); // how it begins is not told: nothing has changed
    box.append(element("div", { class: "ttv-live-body", role: "group", "aria-label": "Live figure" }, what, stage, end, told));
    box.classList.add("is-live");
  }

  ttv.live = { button, choice, ended, field, figures: {}, ladder, measured, pair, press, row, slider, typed };
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      mount(target).catch((error) => console.error(error)); // the still figure stays
    }
  }, { rootMargin: "600px 0px" });
  // When the page's own scripts have run.
  addEventListener("DOMContentLoaded", () => document.querySelectorAll(".ttv-live").forEach((box) => near.observe(box)));
})();
