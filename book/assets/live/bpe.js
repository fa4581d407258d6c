// Merge by merge: the boxes of a text, its pairs, and the merges made (chapter bpe).
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const MAX_BYTES = 40;
  const MAX_PAIRS = 8; // drawn
  const PAPER = "ZYXWVUTSRQPONMLKJIHGFEDCBA"; // the names of new tokens on paper

  const isVisible = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  const BYTES = [true, false].flatMap((kind) => [...Array(256).keys()].filter((byte) => isVisible(byte) === kind));

  const smaller = (a, b) => a.left - b.left || a.right - b.right;
  const earlier = (a, b) => a.places[0] - b.places[0];
  const idsAt = (places, isDouble) => // of overlapping places the left one merges
    isDouble ? places.filter(((last) => (place) => place > last + 1 && ((last = place), true))(-2)) : places;

  // All steps of learning, until one token is left, with the bytes numbered as in GPT-2.
  // byPlace: on a tie the pair that comes first in the text, not the smallest ids
  function learn(bytes, byPlace) {
    let ids = [...bytes].map((byte) => BYTES.indexOf(byte));
    const tokens = BYTES.map((byte) => [byte]);
    const steps = [];
    for (;;) {
      const found = new Map();
      for (let i = 0; i + 1 < ids.length; i += 1) {
        const [left, right] = ids.slice(i, i + 2);
        const key = `${left} ${right}`;
        if (!found.has(key)) found.set(key, { left, right, places: [] });
        found.get(key).places.push(i);
      }
      const pairs = [...found.values()].sort((a, b) => b.places.length - a.places.length || (byPlace ? earlier : smaller)(a, b));
      const ties = pairs.filter(({ places }) => places.length === pairs[0].places.length);
      steps.push({ ids, pairs, ties });
      if (!ties.length) return { steps, tokens };
      const { left, right, places } = pairs[0];
      const starts = new Set(idsAt(places, left === right));
      ids = ids.flatMap((id, i) => (starts.has(i) ? [tokens.length] : starts.has(i - 1) ? [] : [id]));
      tokens.push([...tokens[left], ...tokens[right]]);
    }
  }

  // Show bytes as text, or in hexadecimal where they are a part of a character.
  function spell(bytes) {
    try {
      return [...new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes))].map(dom.visible).join("");
    } catch {
      return bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
    }
  }

  function bpe({ stage, states, say }) {
    const { element } = dom;
    const box = (tokens, id, isNew) =>
      element("span", { class: `ttv-box${id > 255 ? " is-merged" : ""}${isNew ? " is-new" : ""}` },
        element("bdi", {}, spell(tokens[id])), element("small", {}, id > 255 ? `${PAPER[id - 256] ?? ""} ${id}` : String(id)));
    const boxes = element("div", { class: "ttv-boxes", role: "img", tabindex: 0 });
    const pairs = element("div", { class: "ttv-pairs", role: "group", "aria-label": "Pairs, most frequent first" });
    const merges = element("ol", { class: "ttv-merges", "aria-label": "Merges made" });
    const text = element("input", { type: "text", value: states.text ?? "aaabdaaabac", spellcheck: "false", autocomplete: "off" });
    let [byPlace, at, learned, learnedOtherwise] = [false, 0];
    const joined = ({ left, right }) => `${spell(learned.tokens[left])} + ${spell(learned.tokens[right])}`;

    function point(pair) {
      const marked = new Set(pair ? pair.places.flatMap((i) => [i, i + 1]) : []);
      [...boxes.children].forEach((each, i) => each.classList.toggle("is-marked", marked.has(i)));
    }

    function tell(pair) {
      const [n, nMerge] = [pair.places.length, idsAt(pair.places, pair.left === pair.right).length];
      say(`${joined(pair)} occurs in ${dom.plural(n, "place")}${nMerge < n ? `; they overlap, so only ${nMerge} can merge` : ""}.`);
    }

    function show(step) {
      at = step;
      const { steps, tokens } = learned;
      const { ids, pairs: all, ties } = steps[at];
      boxes.replaceChildren(...ids.map((id) => box(tokens, id, at > 0 && id === 255 + at)));
      boxes.setAttribute("aria-label", `Tokens: ${ids.map((id) => spell(tokens[id])).join(", ")}`);
      pairs.replaceChildren(...all.slice(0, MAX_PAIRS).map((pair, i) => {
        const made = live.button("", () => tell(pair));
        made.className = `ttv-pair${i === 0 && ties.length ? " is-winner" : ""}`;
        made.append(element("bdi", {}, joined(pair)), " ",
          element("b", {}, `×${pair.places.length}`), element("small", {}, `${pair.left} ${pair.right}${ties.length > 1 && i < ties.length ? " · tie" : ""}`));
        for (const event of ["pointerenter", "focus"]) made.addEventListener(event, () => point(pair));
        for (const event of ["pointerleave", "blur"]) made.addEventListener(event, () => point(null));
        return made;
      }));
      if (all.length > MAX_PAIRS) pairs.append(` and ${all.length - MAX_PAIRS} more`);
      for (const [i, item] of [...merges.children].entries()) {
        item.hidden = i >= at;
        item.firstChild.setAttribute("aria-current", String(i === at - 1));
      }
      merge.setAttribute("aria-disabled", String(!ties.length));
      merge.textContent = ties.length ? `Merge ${joined(ties[0])}` : "Merge";
      back.setAttribute("aria-disabled", String(at === 0));
      say(`${dom.plural(ids.length, "token")}. ${ties.length ? next(ties) : ended()}`);
    }

    // What merges next, and what would by the other rule.
    function next(ties) {
      if (ties.length === 1) return `Next is ${joined(ties[0])}, the most frequent pair.`;
      const [byIds, inText] = [smaller, earlier].map((rule) => joined([...ties].sort(rule)[0]));
      return `${ties.length} pairs tie: smallest ids merge ${byIds} next, first in the text ${inText}.`;
    }

    function ended() {
      const [n, other] = [learned, learnedOtherwise].map(({ steps }) => dom.plural(steps.length - 1, "merge"));
      return `No pair is left after ${n}. The other rule makes ${other}.`;
    }

    function restart(keep = 0) {
      const bytes = new TextEncoder().encode(text.value);
      [learned, learnedOtherwise] = [byPlace, !byPlace].map((rule) => learn(bytes.slice(0, MAX_BYTES), rule));
      merges.replaceChildren(...learned.steps.slice(0, -1).map(({ pairs: [pair] }, i) =>
        element("li", {}, live.button(`${PAPER[i] ?? ""} ${256 + i} = ${joined(pair)}`, () => show(i + 1)))));
      show(Math.min(keep, learned.steps.length - 1));
      if (bytes.length > MAX_BYTES) say(`Only the first ${MAX_BYTES} bytes are used.`);
    }

    const [merge, back] = [live.button("Merge", () => show(at + 1)), live.button("Back", () => show(at - 1))];
    merge.classList.add("is-main");
    text.addEventListener("input", () => restart());
    text.addEventListener("keydown", (event) => event.key === "Enter" && merge.click());
    stage.append(element("label", { class: "ttv-own" }, "Your own text ", text), live.row(merge, back), boxes, pairs,
      live.choice("On a tie", ["smallest ids (this book)", "first in the text"], (i) => restart(((byPlace = i === 1), at))), merges);
    restart();
  }

  live.figures.bpe = Object.assign(bpe, { learn });
})();
