// One text under several tokenizers, its letters in columns (chapter choosing).
// Needs algorithms/data/files, algorithms/unicode, algorithms/words, algorithms/bpe, algorithms/wordpiece, algorithms/unigram, algorithms/vocabularies, drawing/cuts.
(() => {
  "use strict";
  const { cuts, dom, live, unicode, vocabularies } = globalThis.TextToVectors;
  const KINDS = { "GPT-2": "gpt2", "o200k": "o200k", "BERT": "bert", "Unigram": "unigram" };
  const MAX_BYTES = 80;

  // What can be read off the figure, in a sentence or two.
  function told(names, rows) {
    const found = rows.map((tokens, r) => ({ name: names[r], n: tokens.length, tokens, isLost: tokens.some(({ isLost }) => isLost) }));
    const [whole, lost] = [found.filter(({ name, isLost }) => name !== "bytes" && !isLost), found.filter(({ isLost }) => isLost)];
    const least = Math.min(...whole.map(({ n }) => n));
    const listed = (all) => all.map(({ name }) => name).join(", ");
    const fewest = whole.length ? `Fewest tokens: ${listed(whole.filter(({ n }) => n === least))} (${least}). ` : "";
    return `${fewest}${lost.length ? `Text is lost by ${listed(lost)}.` : "No token is unknown."}`;
  }

  live.figures.cuts = ({ stage, states, say }) => {
    const { element } = dom;
    const names = Object.keys(states.rows);
    const kinds = names.map((name) => KINDS[name] ?? name);
    const node = element("div", { class: "ttv-cuts", role: "img" }, element("div", { class: "ttv-cut-line" },
      ...names.map((name, r) => element("span", { class: "ttv-cut-name", style: `grid-area: ${r + 2} / 1` }, name))));
    let now = [states.text, Object.values(states.rows)];
    function show() {
      cuts.draw(node, ...now);
      const spoken = (tokens) => `${dom.plural(tokens.length, "token")}, ${tokens.map(({ shown }) => dom.visibleText(shown.text)).join(", ")}`;
      node.setAttribute("aria-label", now[1].map((tokens, r) => `${names[r]}: ${spoken(tokens)}`).join(". "));
    }
    function look() {
      const loading = Promise.all(kinds.map((kind) => kind !== "bytes" && vocabularies.load(kind)));
      live.typed(field.input, loading, "The vocabularies are loading (1 MB)", say, (loaded, typed) => {
        const text = new TextDecoder().decode(unicode.utf8(typed).subarray(0, MAX_BYTES), { stream: true }); // no part of a character
        now = [text, kinds.map((kind, i) => cuts.cut(kind, loaded[i], text))];
        show();
        say(text ? `${text === typed ? "" : `Only the first ${MAX_BYTES} bytes are used. `}${told(names, now[1])}` : "There is no text: type a word.");
      });
    }
    const field = live.field("Your text", states.text, look);
    stage.append(field, node);
    say(told(names, now[1]));
    new ResizeObserver(show).observe(field);
  };
})();
