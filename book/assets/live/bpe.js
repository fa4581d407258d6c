// Merge by merge: a row of tokens for each merge, and the pairs of the last one (chapter bpe).
// Needs algorithms/unicode, algorithms/bpe.
(() => {
  "use strict";
  const { bpe: { BYTE_TO_UNICODE, showStandIns }, dom, live } = globalThis.TextToVectors;
  const MAX_BYTES = 16; // a phone shows them all
  const PAPER = "ZYXWVUTSRQPONMLKJIHGFEDCBA"; // the names of new tokens on paper

  const BYTES = [...BYTE_TO_UNICODE].sort(); // in the order of GPT-2's ids, as visible signs

  const smaller = (a, b) => a.left - b.left || a.right - b.right;
  const earlier = (a, b) => a.places[0] - b.places[0];
  const idsAt = (places, isDouble) => // of overlapping places the left one merges
    isDouble ? places.filter(((last) => (place) => place > last + 1 && ((last = place), true))(-2)) : places;

  // All steps of learning, until one token is left, with the bytes numbered as in GPT-2.
  // byPlace: on a tie the pair that comes first in the text, not the smallest ids
  function learn(bytes, byPlace) {
    let ids = Array.from(bytes, (byte) => BYTES.indexOf(BYTE_TO_UNICODE[byte]));
    const tokens = [...BYTES];
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
      tokens.push(tokens[left] + tokens[right]);
    }
  }

  function bpe({ stage, states, say }) {
    const { element } = dom;
    const ladder = element("div", { class: "ttv-grows" });
    const pairs = element("div", { class: "ttv-pairs", role: "group", "aria-label": "Pairs, most frequent first" });
    let [byPlace, at, learned, learnedOtherwise] = [false, 0];
    const shown = (id) => dom.shownText(showStandIns(learned.tokens[id]));
    const joined = ({ left, right }) => `${shown(left)} + ${shown(right)}`;

    function tell(pair, [first]) {
      const [n, nMerge] = [pair.places.length, idsAt(pair.places, pair.left === pair.right).length];
      const why = n < first.places.length ? "is more frequent" : byPlace ? "comes first in the text" : "has the smaller ids";
      say(`${joined(pair)} occurs in ${dom.plural(n, "place")}${nMerge < n ? `; they overlap, so only ${nMerge} can merge` : ""}. ${joined(first)} ${why}: it merges first.`);
    }

    // A row of the ladder: its merge, which leads back to it, and the tokens after it.
    function row({ ids }, step) {
      const name = step ? `${PAPER[step - 1] ?? ""} ${255 + step}` : "bytes";
      if (step > at) return { label: name, tokens: [] };
      const label = live.button(name, () => show(step));
      label.setAttribute("aria-label", step ? `${name} = ${joined(learned.steps[step - 1].pairs[0])}` : "Back to the bytes");
      const tokens = ids.map((id) => ({ shown: showStandIns(learned.tokens[id]), size: learned.tokens[id].length, isNew: step > 0 && id === 255 + step }));
      return { label, tokens };
    }

    function show(step) {
      at = step;
      const { ids, pairs: all, ties } = learned.steps[at];
      const boxes = live.ladder(ladder, ids.length ? learned.steps.map(row) : [], at);
      pairs.replaceChildren(...all.map((pair, i) => {
        const isTie = ties.length > 1 && i < ties.length;
        const made = live.pair(`${joined(pair)}  ×${pair.places.length}`, `${pair.left} ${pair.right}${isTie ? " · tie" : ""}`, () => (i ? tell(pair, all) : (show(at + 1), pairs.querySelector("button")?.focus())),
          (isLit) => pair.places.flatMap((place) => [place, place + 1]).forEach((place) => boxes[place].classList.toggle("is-lit", isLit)));
        made.classList.toggle("is-winner", i === 0);
        return made;
      }));
      if (!ties.length) live.ended(pairs, ids.map((id) => [showStandIns(learned.tokens[id]), id]));
      pairs.scrollTop = 0;
      say(`${dom.plural(ids.length, "token")}. ${ties.length ? next(ties) : ended()}`);
    }

    // What merges next; what would by the other rule is the figure's question.
    function next(ties) {
      if (ties.length === 1) return `Next is ${joined(ties[0])}, the most frequent pair.`;
      return `${ties.length} pairs tie. ${joined(ties[0])} ${byPlace ? "comes first in the text" : "has the smallest ids"}: it merges next.`;
    }

    function ended() {
      const [n, other] = [learned, learnedOtherwise].map(({ steps }) => dom.plural(steps.length - 1, "merge"));
      if (at === 0) return "No pair is there: type two letters or more.";
      return `No pair is left after ${n}. The other rule makes ${other}.`;
    }

    function restart(keep = 0) {
      const bytes = new TextEncoder().encode(field.input.value);
      [learned, learnedOtherwise] = [byPlace, !byPlace].map((rule) => learn(bytes.slice(0, MAX_BYTES), rule));
      show(Math.min(keep, learned.steps.length - 1));
      if (bytes.length > MAX_BYTES) say(`Only the first ${MAX_BYTES} bytes are used.`);
    }

    const field = live.field("Your text", states.text ?? "aaabdaaabac", () => restart());
    field.input.addEventListener("keydown", (event) => event.key === "Enter" && pairs.querySelector("button")?.click());
    stage.append(field, pairs, ladder,
      live.choice("On a tie", ["smallest ids (this book)", "first in the text"], (i) => restart(((byPlace = i === 1), at))));
    restart();
  }

  live.figures.bpe = Object.assign(bpe, { learn });
})();
