// The nearest rows of a word, in a new table and in a trained one (chapter token-embeddings, playground).
// Needs algorithms/data/files, algorithms/vocabularies.
(() => {
  "use strict";
  const { dom, files, live, vocabularies } = globalThis.TextToVectors;
  const COLUMNS = { new: "Before training: a new table", trained: "After training: all-MiniLM-L6-v2" };

  function neighbours({ stage, states, say }) {
    const { element } = dom;
    const written = (cosine) => (cosine / 100).toFixed(2);
    const lists = Object.keys(COLUMNS).map((name) => [name, element("ol", { class: "ttv-measured", "aria-label": COLUMNS[name] })]);

    function draw(word, found) {
      for (const [name, list] of lists) {
        list.replaceChildren(...found[name].map(([token, cosine]) => {
          const take = live.button("", () => ((field.input.value = token), look()));
          take.append(element("bdi", {}, token));
          return live.measured(take, cosine / 100, written(cosine));
        }));
      }
      const [best, other] = [found.trained[0], found.new[0]];
      say(`Nearest to ${word}: before training ${other[0]} (${written(other[1])}), by chance; after it ${best[0]} (${written(best[1])}).`);
    }

    function look() {
      live.typed(field.input, vocabularies.load("neighbours"), `The rows are loading (${Math.ceil(files.neighbours.size / 1000)} kB)`, say, ({ tokens, nearest }, typed) => {
        const word = typed.trim().toLowerCase();
        if (tokens.includes(word)) return draw(word, nearest(tokens.indexOf(word)));
        lists.forEach(([, list]) => list.replaceChildren()); // those of another word would mislead
        say(word ? `“${word}” is none of the ${dom.count(states.n)} tokens with a row here. Try a common English word.` : "Type a word.");
      });
    }

    const field = live.field("Your text", states.word, look);
    stage.append(
      field,
      element("div", { class: "ttv-two" }, ...lists.map(([name, list]) =>
        element("div", {}, element("p", { class: "ttv-live-head" }, COLUMNS[name]), list))),
      element("p", { class: "ttv-live-head" }, `Beside each token the cosine of the two rows. Compared are the ${dom.count(states.n)} tokens whose rows this book has; choose one to look it up.`),
    );
    draw(states.word, states);
  }

  live.figures.neighbours = neighbours;
})();
