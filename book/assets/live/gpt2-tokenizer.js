// A word merges under two lists of merges, GPT-2's and GPT-4o's (chapter gpt2-tokenizer).
// Needs playground/data/files, playground/unicode, playground/bpe, playground/vocabularies, playground/panel-tokens.
(() => {
  "use strict";
  const { bpe, dom, live, mergeLadder, unicode, vocabularies } = globalThis.TextToVectors;
  const MAX_BYTES = 16;
  const NAMES = { gpt2: "GPT-2", o200k: "GPT-4o" };

  live.figures["gpt2-tokenizer"] = ({ stage, states, say }) => {
    const { element } = dom;
    const field = element("input", { type: "text", value: states.word, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
    const ladders = Object.keys(NAMES).map((name) => [name, element("div", {})]);
    let isAfterSpace = false;

    /** Draw the steps of a word, by the name of the tokenizer, and say where they first differ. */
    function draw(word, steps, isCut = false) {
      for (const [name, place] of ladders) {
        place.replaceChildren(...mergeLadder({ mergeSteps: () => steps[name] }, { text: word, ids: steps[name].at(-1).tokens }).slice(0, 1));
      }
      const [one, other] = ladders.map(([name]) => steps[name].map(({ tokens, at }) => tokens[at])); // what each step makes
      const [first, last] = ladders.map(([name]) => steps[name].at(-1).tokens);
      const at = [...Array(Math.max(one.length, other.length)).keys()].find((i) => one[i] !== other[i]);
      const named = (made) => (made ? `makes “${dom.visibleText(bpe.showStandIns(made).text)}”` : "stops");
      const differs = at ? `Merge ${at} differs: GPT-2 ${named(one[at])}, GPT-4o ${named(other[at])}.` : "No merge differs.";
      const end = first.join(" ") === last.join(" ") ? `Both end with the same ${first.length > 1 ? dom.plural(first.length, "token") : "token"}.`
        : `They end with ${dom.plural(first.length, "token")} and ${last.length}.`;
      say(`${differs} ${end}${isCut ? ` Only the first ${MAX_BYTES} bytes are used.` : ""}`);
    }

    async function look() {
      const [typed, before] = [field.value, isAfterSpace];
      if (!typed) {
        for (const [, place] of ladders) place.replaceChildren();
        return say("Type a word.");
      }
      const bytes = unicode.utf8(before ? ` ${typed}` : typed);
      const text = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES), { stream: true }); // no part of a character
      try {
        const both = await live.waiting(Promise.all(Object.keys(NAMES).map((name) => vocabularies.load(name))),
          () => say("The merges are loading (GPT-2: 0.2 MB, GPT-4o: 0.7 MB)."));
        if (field.value !== typed || isAfterSpace !== before || !field.isConnected) return; // a later key, or "Start again"
        const words = both.map((tokenizer) => tokenizer.encode(text).words[0].text);
        draw(words[0], Object.fromEntries(both.map((tokenizer, i) => [Object.keys(NAMES)[i], tokenizer.mergeSteps(words[i])])), bytes.length > MAX_BYTES);
        if (words.some((word) => word !== text)) {
          say(words[0] === words[1] ? `The ladders show the first pre-token alone, “${dom.visibleText(words[0])}”.`
            : `${words.map((word, i) => `${Object.values(NAMES)[i]} cuts off “${dom.visibleText(word)}”`).join(", and ")}: the ladders show this part.`);
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
