// A word merges as the reader clicks: which pair has the lowest rank? (chapter gpt2-tokenizer)
// Needs algorithms/data/files, algorithms/unicode, algorithms/bpe, algorithms/vocabularies.
(() => {
  "use strict";
  const { bpe, dom, live, unicode, vocabularies } = globalThis.TextToVectors;
  const MAX_BYTES = 16;

  live.figures["gpt2-tokenizer"] = ({ stage, states, say }) => {
    const { element } = dom;
    const pairs = element("div", { class: "ttv-pairs", role: "group", "aria-label": "Pairs that are a merge" });
    const ladder = element("div", { class: "ttv-grows" });
    let [steps, ids, at, isAfterSpace] = [states.steps, states.ids, 0, false];
    const shown = (token) => dom.shownText(bpe.showStandIns(token));

    // Draw the steps that were made, and the pairs that can be joined next.
    function show(step, before = "") {
      at = step;
      const { tokens, ranks } = steps[at];
      const joined = (i) => `“${shown(tokens[i])}” + “${shown(tokens[i + 1])}”`;
      const rows = bpe.ladderRows(steps.slice(0, at + 1));
      const boxes = live.ladder(ladder, [...rows, ...steps.slice(at + 1).map(() => ({ label: "?", tokens: [] }))], at);
      const known = [...ranks.keys()].filter((i) => Number.isFinite(ranks[i]));
      const lowest = Math.min(...known.map((i) => ranks[i]));
      pairs.replaceChildren(...known.map((i) => live.pair(`${shown(tokens[i])} + ${shown(tokens[i + 1])}`, `rank ${dom.count(ranks[i])}`,
        () => (ranks[i] === lowest ? show(at + 1, `${joined(i)} had the lowest rank. `)
          : say(`${joined(i)} is a merge, but ${joined(ranks.indexOf(lowest))} was learned before it.`)),
        (isLit) => [i, i + 1].forEach((place) => boxes[place].classList.toggle("is-lit", isLit)))));
      for (const [button, isOff] of [[back, at === 0], [all, !known.length]]) button.setAttribute("aria-disabled", String(isOff));
      if (!known.length) live.ended(pairs, tokens.map((token, i) => [bpe.showStandIns(token), ids[i]]));
      say(before + (known.length ? "Which pair is joined next?" : `No pair is a merge: ${dom.plural(tokens.length, "token")}.`));
    }

    function look() {
      const wasAfterSpace = isAfterSpace;
      live.typed(field.input, vocabularies.load("gpt2"), "The merges are loading (0.2 MB)", say, (gpt2, typed) => {
        if (isAfterSpace !== wasAfterSpace) return;
        const bytes = unicode.utf8(isAfterSpace ? ` ${typed}` : typed);
        const text = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true }); // no part of a character
        const [word = ""] = typed && gpt2.cut(text);
        [steps, ids] = [gpt2.mergeSteps(word), gpt2.encode(word).ids];
        const isCut = bytes.length > MAX_BYTES ? `Only the first ${MAX_BYTES} bytes are used. ` : "";
        show(0, word === text ? isCut : word && `Only the first word, “${dom.visibleText(word)}”, is used. `);
      });
    }

    const field = live.field("Your text", states.word, look);
    const space = live.press("with a space before it", (isPressed) => ((isAfterSpace = isPressed), look()));
    const [back, all] = [live.button("Back", () => show(at - 1)), live.button("All steps", () => show(steps.length - 1))];
    stage.append(live.row(field, space), live.row(back, all), pairs, ladder);
    show(0);
  };
})();
