// Making elements, and showing text that has no look of its own. What a reader has typed, and what
// a link holds, only ever becomes text: no markup is read from a string here.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const MAX_SHOWN = 40; // characters of one token
  const NAMED = new Map([[" ", "␣"], ["\n", "⏎"], ["\t", "⇥"], ["\r", "␍"], ["\x7f", "␡"]]);
  const INVISIBLE = /^[\p{C}\p{Z}]$/u;
  const COMBINING = /^\p{M}$/u;

  // Make an element.
  // attributes: false leaves one out
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== false) made.setAttribute(name, value === true ? "" : String(value));
    }
    made.append(...children);
    return made;
  }

  // The same for SVG.
  function svg(tag, attributes = {}, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  // Write a number with a true minus sign; nothing is written as minus zero.
  function written(value, digits = 2) {
    const text = value.toFixed(digits);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
  }

  // Write a number as the book does: 50,257.
  const count = (number) => number.toLocaleString("en");

  // Write a number with its noun: "1 token", "1,402 tokens".
  const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

  // Name a character by its number: "U+00E9".
  function codePoint(character) {
    const number = character.codePointAt(0);
    return `U+${number.toString(16).toUpperCase().padStart(4, "0")}`;
  }

  // Show one character so that it can be seen: a space as ␣, a lone accent on a circle.
  function visible(character) {
    const named = NAMED.get(character);
    if (named) return named;
    if (character < "\x20") return String.fromCharCode(0x2400 + character.charCodeAt(0));
    if (COMBINING.test(character)) return `◌${character}`;
    return INVISIBLE.test(character) ? codePoint(character) : character;
  }

  // Show a token or a word: what cannot be seen is made visible, what is long is cut.
  function visibleText(text) {
    const characters = ttv.unicode.firstCharacters(text, MAX_SHOWN + 1);
    const isLong = characters.length > MAX_SHOWN;
    const shown = characters.slice(0, MAX_SHOWN).map((character, i) => {
      // An accent or a joiner inside a token does its work there; alone it needs help.
      const isJoined = i > 0 && /^[\p{M}\p{Cf}]$/u.test(character);
      return isJoined ? character : visible(character);
    });
    return shown.join("") + (isLong ? "…" : "");
  }

  // The text of a token so that it can be seen; bytes in hexadecimal stay as they are.
  const shownText = ({ text, isBytes }) => (isBytes ? text : visibleText(text));

  // Draw a token: its text over its id.
  function tokenChip(shown, id) {
    const kind = shown.isBytes ? " is-bytes" : shown.isSpecial ? " is-special" : "";
    const chip = element("span", { class: `ttv-token${kind}` }, element("bdi", {}, shownText(shown)));
    if (id !== undefined) chip.append(" ", element("span", { class: "ttv-id" }, String(id)));
    return chip;
  }

  // A vector as bars, up or down from a line of zeros; `most` reaches the edge.
  // role: token, segment, position, input or ink, as in the figures
  function bars(vector, role, most) {
    const path = vector.map((value, i) => `M${i + 0.1},0v${-Math.max(-1, Math.min(1, value / most))}h.8V0`).join("");
    const drawn = svg("svg", { viewBox: `0 -1 ${vector.length} 2`, preserveAspectRatio: "none", "aria-hidden": "true" }, svg("path", { d: path }));
    return element("span", { class: `ttv-bars is-${role}` }, drawn);
  }

  // How a word merges: a row for each step, a column for each byte. A row has a label, and for each token
  // what is shown, how many bytes it has, and whether the step made it; one without tokens is still to come.
  function ladder(rows) {
    const lines = rows.map(({ label, tokens }) => element("li", { class: tokens.length ? "" : "is-to-come" },
      element("span", { class: "ttv-step" }, label), ...tokens.map(({ shown, size, isNew }) => {
        const chip = tokenChip(shown);
        chip.classList.add(isNew ? "is-made" : size > 1 ? "is-merged" : "is-byte");
        chip.style.gridColumn = `span ${size}`;
        return chip;
      })));
    const nBytes = rows[0].tokens.reduce((sum, { size }) => sum + size, 0);
    return element("ol", { class: "ttv-ladder", style: `--n: ${nBytes}` }, ...lines);
  }

  // A remark under a panel, such as how much of it is drawn.
  const note = (text) => element("p", { class: "ttv-note" }, text);

  // Let the options of a list be chosen with pointer and keyboard; the list is one tab stop.
  // list: with role listbox
  function makeChoosable(list, choose) {
    const options = () => [...list.querySelectorAll("[role=option]")];
    const take = (option) => {
      for (const each of options()) {
        each.setAttribute("aria-selected", String(each === option));
        each.tabIndex = each === option ? 0 : -1;
      }
      choose(Number(option.dataset.index));
    };
    list.addEventListener("click", (event) => {
      const option = event.target.closest("[role=option]");
      if (option) take(option);
    });
    list.addEventListener("keydown", (event) => {
      const all = options();
      const now = all.indexOf(document.activeElement);
      if (now < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      const next = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now - 1, ArrowUp: now - 1, Home: 0, End: all.length - 1 };
      if (!(event.key in next)) return;
      event.preventDefault();
      const option = all[Math.min(all.length - 1, Math.max(0, next[event.key]))];
      option.focus();
      take(option);
    });
  }

  // Make an option of such a list.
  // isStop: the option that Tab leads to
  // name: a class
  const option = (index, isChosen, isStop, name, ...children) =>
    element(
      "div",
      { class: name, role: "option", "aria-selected": String(isChosen), tabindex: isStop ? 0 : -1, "data-index": index },
      ...children,
    );

  ttv.dom = { bars, codePoint, count, element, ladder, makeChoosable, note, option, plural, shownText, svg, tokenChip, visible, visibleText, written };
})();
