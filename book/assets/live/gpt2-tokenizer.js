// A word merges as the reader clicks: which pair has the lowest rank? (chapter gpt2-tokenizer)
// Needs playground/data/files, playground/unicode, playground/bpe, playground/vocabularies, playground/panel-tokens.
(() => {
  "use strict";
  const { bpe, dom, live, mergeLadder, unicode, vocabularies } = globalThis.TextToVectors;
  const MAX_BYTES = 16;

  live.figures["gpt2-tokenizer"] = ({ stage, states, say }) => {
    const { element } = dom;
    const field = element("input", { type: "text", value: states.word, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const pairs = element("div", { class: "ttv-pairs", role: "group", "aria-label": "Pairs that are a merge" });
    const ladder = element("div", { class: "ttv-panel" });
    let [word, steps, at, isAfterSpace] = [states.word, states.steps, 0, false];
    const shown = (token) => dom.visibleText(bpe.showStandIns(token).text);

    // Draw the steps that were made, and the pairs that can be joined next.
    function show(step, before = "") {
      at = step;
      const { tokens, ranks } = steps[at];
      const joined = (i) => `“${shown(tokens[i])}” + “${shown(tokens[i + 1])}”`;
      ladder.replaceChildren(...mergeLadder({ mergeSteps: () => steps.slice(0, at + 1) }, { text: word, ids: tokens }).slice(0, 1));
      const known = [...ranks.keys()].filter((i) => Number.isFinite(ranks[i]));
      const lowest = Math.min(...known.map((i) => ranks[i]));
      pairs.replaceChildren(...known.map((i) => {
        const made = live.button("", () => (ranks[i] === lowest ? show(at + 1, `${joined(i)} had the lowest rank. `)
          : say(`${joined(i)} is a merge, but ${joined(ranks.indexOf(lowest))} was learned before it.`)));
        made.className = "ttv-pair";
        made.append(element("bdi", {}, `${shown(tokens[i])} + ${shown(tokens[i + 1])}`), element("small", {}, `rank ${dom.count(ranks[i])}`));
        return made;
      }));
      for (const [button, isOff] of [[back, at === 0], [all, !known.length]]) button.setAttribute("aria-disabled", String(isOff));
      say(before + (known.length ? "Which pair is joined next?" : `No pair is a merge: ${dom.plural(tokens.length, "token")}.`));
    }

    async function look() {
      const [typed, spaced] = [field.value, isAfterSpace];
      if (!typed) return say("Type a word.");
      const bytes = unicode.utf8(spaced ? ` ${typed}` : typed);
      const text = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true }); // no part of a character
      try {
        const gpt2 = await live.waiting(vocabularies.load("gpt2"), () => say("The merges are loading (0.2 MB)."));
        if (field.value !== typed || isAfterSpace !== spaced || !field.isConnected) return; // a later key, or "Start again"
        [word] = gpt2.cut(text);
        steps = gpt2.mergeSteps(word);
        const isCut = bytes.length > MAX_BYTES ? `Only the first ${MAX_BYTES} bytes are used. ` : "";
        show(0, word === text ? isCut : `Only the first word, “${dom.visibleText(word)}”, is used. `);
      } catch (error) {
        say(`The merges did not load: ${error.message}.`);
      }
    }

    field.addEventListener("input", look);
    const space = live.press("with a space before it", (isPressed) => ((isAfterSpace = isPressed), look()));
    const [back, all] = [live.button("Back", () => show(at - 1)), live.button("All steps", () => show(steps.length - 1))];
    stage.append(live.row(element("label", { class: "ttv-own" }, "Word", field), space), pairs, live.row(back, all), ladder);
    show(0);
  };
})();
