// A word merges under two lists of merges, GPT-2's and GPT-4o's (chapter gpt2-tokenizer).
// Needs playground/data/files, playground/unicode, playground/bpe, playground/vocabularies, playground/panel-tokens.
(() => {
  "use strict";
  const { dom, live, mergeLadder, vocabularies } = globalThis.TextToVectors;
  const NAMES = { gpt2: "GPT-2", o200k: "GPT-4o" };

  live.figures["gpt2-tokenizer"] = ({ stage, states, say }) => {
    const { element } = dom;
    const field = element("input", { type: "text", value: states.word, maxlength: 16, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const ladders = Object.keys(NAMES).map((name) => [name, element("div", {})]);
    let isAfterSpace = false;

    /** Draw the steps of a word, by the name of the tokenizer. */
    function draw(word, steps) {
      const told = ladders.map(([name, place]) => {
        const { tokens, rank } = steps[name].at(-1);
        place.replaceChildren(...mergeLadder({ mergeSteps: () => steps[name] }, { text: word, ids: tokens }).slice(0, 1));
        const last = rank < 0 ? "" : `, the last merge has rank ${dom.count(rank)}`;
        return `${NAMES[name]}: ${dom.plural(tokens.length, "token")}${last}.`;
      });
      say(told.join(" "));
    }

    async function look() {
      const [typed, before] = [field.value, isAfterSpace];
      const text = typed && before ? ` ${typed}` : typed;
      if (!text) return;
      say("The merges are loading (GPT-2: 0.2 MB, GPT-4o: 0.7 MB).");
      try {
        const both = await Promise.all(Object.keys(NAMES).map((name) => vocabularies.load(name)));
        if (field.value !== typed || isAfterSpace !== before || !field.isConnected) return; // a later key, or "Start again"
        const words = both.map((tokenizer) => tokenizer.encode(text).words[0].text);
        draw(words[0], Object.fromEntries(both.map((tokenizer, i) => [Object.keys(NAMES)[i], tokenizer.mergeSteps(words[i])])));
        if (words.some((word) => word !== text)) {
          say(`Before it merges, ${words.map((word, i) => `${Object.values(NAMES)[i]} cuts off “${dom.visibleText(word)}”`).join(", and ")}: the ladders show this part.`);
        }
      } catch (error) {
        say(`The merges did not load: ${error.message}.`);
      }
    }

    field.addEventListener("input", look);
    const space = live.press("with a space before it", (isPressed) => ((isAfterSpace = isPressed), look()));
    stage.append(
      live.row(element("label", { class: "ttv-own" }, "Word", field), space),
      element("div", { class: "ttv-panel ttv-two" }, ...ladders.map(([name, place]) =>
        element("div", {}, element("p", { class: "ttv-live-head" }, `${NAMES[name]}’s merges, and their ranks`), place))),
    );
    draw(states.word, states.steps);
  };
})();
