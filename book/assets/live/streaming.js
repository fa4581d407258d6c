// A text with a knife: the ids of its parts, and those of the whole (chapter streaming).
// Needs algorithms/unicode.
(() => {
  "use strict";
  const { dom, live } = globalThis.TextToVectors;
  const NAMES = { gpt2: "GPT-2", o200k: "o200k" };
  const START = "elds"; // the knife is before it at first: the last cut of the still figure

  // How many entries two lists begin with that are the same.
  const nShared = (one, other) => {
    const at = one.findIndex((each, i) => each !== other[i]);
    return at < 0 ? one.length : at;
  };

  live.figures.streaming = ({ stage, states, say }) => {
    const { element, visibleText } = dom;
    const characters = [...states.text]; // Python counts characters, not halves of an emoji
    const shown = element("p", { class: "ttv-cut-text" });
    const verdict = element("b", {});
    const rows = ["parts", "whole"].map((name) => [name, element("div", { class: "ttv-live-row ttv-cut", role: "group" })]);
    let name = "gpt2";

    // The word of the pattern that goes on across a cut, and whether one does.
    function wordAt(cut) {
      let end = 0;
      for (const word of states[name].words) {
        end += [...word].length;
        if (end > cut) return { word, isInside: end - [...word].length < cut };
      }
      return { word: "", isInside: false };
    }

    function draw(cut) {
      const { cuts, whole } = states[name];
      const [left, right] = cuts[cut - 1];
      const joined = [...left, ...right];
      const isSafe = String(joined) === String(whole);
      const first = nShared(joined, whole);
      const last = isSafe ? 0 : Math.min(nShared([...joined].reverse(), [...whole].reverse()), joined.length - first, whole.length - first);
      const boxes = (ids) => ids.map((id, i) => { // dashed where the two rows differ, as in the still figure
        const chip = dom.tokenChip({ text: states[name].tokens[id] }, id);
        chip.classList.toggle("is-other", !isSafe && i >= first && i < ids.length - last);
        return chip;
      });
      const parts = boxes(joined);
      parts.splice(left.length, 0, element("i", { class: "ttv-knife" }));
      const text = (from, to) => visibleText(characters.slice(from, to).join(""));
      shown.replaceChildren(element("bdi", {}, text(0, cut)), element("i", { class: "ttv-knife" }), element("bdi", {}, text(cut)));
      for (const [each, row] of rows) {
        row.replaceChildren(element("span", {}, each), ...(each === "parts" ? parts : boxes(whole)));
        row.setAttribute("aria-label", each === "parts" ? "Tokens and ids of the two parts" : "Tokens and ids of the whole text");
      }
      verdict.textContent = isSafe ? "safe" : "not safe";
      const { word, isInside } = wordAt(cut);
      const why = !isInside && isSafe ? "no word of the pattern goes on across this cut"
        : isSafe ? `the cut is inside the word “${visibleText(word)}”, but between two of its tokens`
          : isInside ? `the pattern makes one word of “${visibleText(word)}”, and its parts merge alone`
            : "alone, the parts have other words";
      say(`${isSafe ? "Safe" : "Not safe"}: ${why}.`);
    }

    const slider = live.slider("Knife", { min: 1, max: characters.length - 1, value: states.text.indexOf(START) },
      (cut) => `before “${visibleText(characters[cut])}”`, draw);
    const now = () => Number(slider.querySelector("input").value);
    const choice = live.choice("Tokenizer", Object.values(NAMES), (i) => {
      name = Object.keys(NAMES)[i];
      draw(now());
    });
    stage.append(shown, slider, choice, verdict, ...rows.map(([, row]) => row));
    draw(now());
  };
})();
