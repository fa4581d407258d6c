// Two or three rows for each token, and their sum, for GPT-2 or BERT (pages index, start, bert-input).
// Needs algorithms/data/files, algorithms/unicode, algorithms/bpe, algorithms/wordpiece, algorithms/vectors, algorithms/vocabularies, drawing/sums.
(() => {
  "use strict";
  const ttv = globalThis.TextToVectors;
  const { dom, live, vocabularies } = ttv;

  live.figures.sum = ({ stage, states, say }) => {
    const { front, known, models, texts } = states;
    const names = Object.keys(models);
    let model = models[names[0]];
    const isPair = texts.length > 1;

    const fields = texts.map((text, i) => {
      const made = live.field(isPair ? String(i) : "Your text", text, () => type());
      if (isPair) made.input.setAttribute("aria-label", `Text of segment ${i}`);
      made.classList.toggle("is-segment", isPair);
      return made;
    });
    const values = () => fields.map(({ input }) => input.value);
    function set(next) {
      fields.forEach(({ input }, i) => (input.value = next[i]));
      type();
    }
    const word = live.press("A word in front", (isPressed) => {
      const [first, ...rest] = values();
      set([isPressed ? front + first : first.slice(front.length), ...rest]);
    });
    const swap = live.button("Swap the two texts", () => set(values().reverse()));
    const which = live.choice(isPair ? "Rows" : "Model", names, (i) => {
      model = models[names[i]];
      type(model.chosen && model.chosen + Number(values()[0].startsWith(front)));
    });
    stage.append(...(isPair ? [dom.element("div", { class: "ttv-two" }, ...fields), live.row(swap, word, which)] : [live.row(...fields, word, which)]));
    const draw = ttv.sums(stage, { n: states.n, nFree: states.n, say });

    // Draw what stands in the fields: at once what the page knows, else when what it takes is there.
    function type(at) {
      word.setAttribute("aria-pressed", String(values()[0].startsWith(front)));
      const [asked, { kind, isTrained }] = [model, model];
      const tokens = known[kind][values().join("\n")];
      if (tokens) return draw(tokens.map(([text, id, segment]) => ({ shown: { text, isSpecial: /^\[[A-Z]+\]$/.test(text) }, id, segment })), model, { at });
      const needed = [kind, ...(isTrained ? ["rows"] : [])];
      const size = needed.reduce((sum, name) => sum + ttv.files[name].size, 0);
      live.typed(fields[0].input, Promise.all(needed.map((name) => vocabularies.load(name))), `Loading ${Math.ceil(size / 1000)} kB`, say, ([tokenizer, rows]) => {
        if (model !== asked) return;
        Object.assign(model, rows && { rows });
        const { ids, segmentIds = [] } = kind === "bert" ? tokenizer.encodePair(...values(), "") : tokenizer.encode(values()[0]);
        draw(ids.map((id, i) => ({ shown: tokenizer.show(id), id, segment: segmentIds[i] })), model, { at });
      });
    }
    type(model.chosen);
  };
})();
