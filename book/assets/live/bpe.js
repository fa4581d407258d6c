// Merge by merge: the boxes of a text, its pairs, and the merges made (chapter bpe).
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const MAX_BYTES = 40;
  const MAX_PAIRS = 8; // drawn
  const PAPER = "ZYXWVUTSRQPONMLKJIHGFEDCBA"; // the names of new tokens on paper

  const idsAt = (places, isDouble) => // of overlapping places the left one merges
    isDouble ? places.filter(((last) => (place) => place > last + 1 && ((last = place), true))(-2)) : places;

  /**
   * All steps of learning, until no pair occurs twice.
   * @param {Uint8Array} bytes
   * @param {boolean} byPlace  on a tie the pair that comes first in the text, not the smallest ids
   */
  function learn(bytes, byPlace) {
    let ids = [...bytes];
    const tokens = Array.from({ length: 256 }, (_, byte) => [byte]);
    const steps = [];
    for (;;) {
      const found = new Map();
      for (let i = 0; i + 1 < ids.length; i += 1) {
        const [left, right] = ids.slice(i, i + 2);
        const key = `${left} ${right}`;
        if (!found.has(key)) found.set(key, { left, right, places: [] });
        found.get(key).places.push(i);
      }
      const tie = byPlace ? (a, b) => a.places[0] - b.places[0] : (a, b) => a.left - b.left || a.right - b.right;
      const pairs = [...found.values()].sort((a, b) => b.places.length - a.places.length || tie(a, b));
      const isDone = pairs.length === 0 || pairs[0].places.length < 2;
      steps.push({ ids, pairs, isDone });
      if (isDone) return { steps, tokens };
      const { left, right, places } = pairs[0];
      const starts = new Set(idsAt(places, left === right));
      ids = ids.flatMap((id, i) => (starts.has(i) ? [tokens.length] : starts.has(i - 1) ? [] : [id]));
      tokens.push([...tokens[left], ...tokens[right]]);
    }
  }

  /** Show bytes as text, or in hexadecimal where they are a part of a character. */
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
    let [byPlace, at, learned] = [false, 0, learn(new Uint8Array(), false)];

    /** Mark the places of a pair. */
    function point(pair) {
      const marked = new Set(pair ? pair.places.flatMap((i) => [i, i + 1]) : []);
      [...boxes.children].forEach((each, i) => each.classList.toggle("is-marked", marked.has(i)));
    }

    function tell(pair) {
      const [name, n] = [spell(learned.tokens[pair.left]) + " + " + spell(learned.tokens[pair.right]), pair.places.length];
      const nMerge = idsAt(pair.places, pair.left === pair.right).length;
      say(`${name} occurs in ${dom.plural(n, "place")}${nMerge < n ? `; they overlap, so only ${nMerge} can merge` : ""}.`);
    }

    function show(step) {
      at = step;
      const { steps, tokens } = learned;
      const { ids, pairs: all, isDone } = steps[at];
      boxes.replaceChildren(...ids.map((id) => box(tokens, id, at > 0 && id === 255 + at)));
      boxes.setAttribute("aria-label", `Tokens: ${ids.map((id) => spell(tokens[id])).join(", ")}`);
      const best = all[0]?.places.length;
      pairs.replaceChildren(...all.slice(0, MAX_PAIRS).map((pair, i) => {
        const isTie = !isDone && pair.places.length === best && all[1]?.places.length === best;
        const made = live.button("", () => tell(pair));
        made.className = `ttv-pair${i === 0 && !isDone ? " is-winner" : ""}`;
        made.append(element("bdi", {}, `${spell(tokens[pair.left])} + ${spell(tokens[pair.right])}`), " ",
          element("b", {}, `×${pair.places.length}`), element("small", {}, `${pair.left} ${pair.right}${isTie ? " · tie" : ""}`));
        for (const event of ["pointerenter", "focus"]) made.addEventListener(event, () => point(pair));
        for (const event of ["pointerleave", "blur"]) made.addEventListener(event, () => point(null));
        return made;
      }));
      if (all.length > MAX_PAIRS) pairs.append(` and ${all.length - MAX_PAIRS} more`);
      [...merges.children].forEach((item, i) => {
        item.hidden = i >= at;
        item.firstChild.setAttribute("aria-current", String(i === at - 1));
      });
      merge.setAttribute("aria-disabled", String(isDone));
      merge.textContent = isDone ? "Merge" : `Merge ${spell(tokens[all[0].left])} + ${spell(tokens[all[0].right])}`;
      back.setAttribute("aria-disabled", String(at === 0));
      const change = at ? `${steps[at - 1].ids.length} → ${ids.length} tokens.` : `${dom.plural(ids.length, "token")}.`;
      say(isDone ? `${change} No pair occurs twice.` : change);
    }

    function restart(keep = 0) {
      const bytes = new TextEncoder().encode(text.value);
      const isLong = bytes.length > MAX_BYTES;
      learned = learn(bytes.slice(0, MAX_BYTES), byPlace);
      merges.replaceChildren(...learned.steps.slice(0, -1).map(({ pairs: [{ left, right }] }, i) => {
        const name = `${PAPER[i] ?? ""} ${256 + i} = ${spell(learned.tokens[left])} + ${spell(learned.tokens[right])}`;
        return element("li", {}, live.button(name, () => show(i + 1)));
      }));
      show(Math.min(keep, learned.steps.length - 1));
      if (isLong) say(`Only the first ${MAX_BYTES} bytes are used.`);
    }

    const merge = live.button("Merge", () => show(at + 1));
    merge.classList.add("is-main");
    const back = live.button("Back", () => show(at - 1));
    text.addEventListener("input", () => restart());
    text.addEventListener("keydown", (event) => event.key === "Enter" && merge.click());
    const ties = live.choice("On a tie", ["smallest ids (this book)", "first in the text"], (i) => restart(((byPlace = i === 1), at)));
    stage.append(element("label", { class: "ttv-own" }, "Your own text ", text), live.row(merge, back), boxes, pairs, ties, merges);
    restart();
  }

  bpe.learn = learn;
  live.figures.bpe = bpe;
})();
