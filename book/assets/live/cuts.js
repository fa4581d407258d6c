// One text under several tokenizers, its letters in columns (chapters bpe, gpt2-tokenizer, wordpiece, unigram, choosing).
// Needs algorithms/data/files, algorithms/unicode, algorithms/words, algorithms/bpe, algorithms/wordpiece, algorithms/unigram, algorithms/vocabularies, drawing/cuts.
(() => {
  "use strict";
  const { bpe, cuts, dom, live, unicode, vocabularies } = globalThis.TextToVectors;
  const KINDS = { "GPT-2": "gpt2", "BERT": "bert", "Unigram": "unigram" };
  const NO_TOKENS = ["bytes", "split"];
  const MAX_BYTES = 80;

  // A function that cuts a text as a row does. What the chapter has trained has a list of its own, and the rules of GPT-2 or BERT.
  async function cutter(name, { merges, isWhole, tokens } = {}) {
    const kind = merges || name === "split" ? "gpt2" : tokens ? "bert" : KINDS[name] ?? name;
    let tokenizer = name === "bytes" ? null : await vocabularies.load(kind);
    if (merges) tokenizer = new bpe.BytePairTokenizer(merges, merges.length / 6, 0, isWhole ? /[^]+/gu : tokenizer.pattern);
    if (tokens) tokenizer = Object.assign(Object.create(tokenizer), { tokens, vocab: new Map(tokens.map((token, id) => [token, id])) });
    return (text) => cuts.cut(name === "split" ? name : kind, tokenizer, text);
  }

  // What can be read off the figure, in a sentence or two.
  function told(names, rows) {
    const found = rows.map((tokens, r) => ({ name: names[r], n: tokens.length, isLost: tokens.some(({ isLost }) => isLost) }));
    const [made, lost] = [found.filter(({ name }) => !NO_TOKENS.includes(name)), found.filter(({ isLost }) => isLost)];
    const least = Math.min(...made.map(({ n }) => n));
    const listed = (all) => all.map(({ name }) => name).join(", ");
    const words = names.includes("split") ? " (the parts of split are words)" : "";
    return `Fewest tokens: ${listed(made.filter(({ n }) => n === least))}, ${least}${words}. ${lost.length ? `Unknown tokens: ${listed(lost)}.` : "No token is unknown."}`;
  }

  live.figures.cuts = ({ stage, states, say }) => {
    const { element } = dom;
    const names = Object.keys(states.rows);
    const node = element("div", { class: "ttv-cuts", role: "img" }, element("div", { class: "ttv-cut-line" },
      ...names.map((name, r) => element("span", { class: "ttv-cut-name", style: `grid-area: ${r + 2} / 1` }, name))));
    let now = [states.text, Object.values(states.rows)];
    function show() {
      cuts.draw(node, ...now);
      const spoken = (tokens) => `${dom.plural(tokens.length, "token")}, ${tokens.map(({ shown }) => dom.shownText(shown)).join(", ")}`;
      node.setAttribute("aria-label", now[1].map((tokens, r) => `${names[r]}: ${spoken(tokens)}`).join(". "));
    }
    function look() {
      const loading = Promise.all(names.map((name) => cutter(name, states.lists[name])));
      live.typed(field.input, loading, "The vocabularies are loading (at most 1 MB)", say, (cutters, typed) => {
        const text = new TextDecoder().decode(unicode.utf8(typed).subarray(0, MAX_BYTES), { stream: true }); // no part of a character
        now = [text, cutters.map((cut) => cut(text))];
        show();
        say(text ? `${text === typed ? "" : `Only the first ${MAX_BYTES} bytes are used. `}${told(names, now[1])}` : "There is no text: type a word.");
      });
    }
    const field = live.field("Your text", states.text, look);
    stage.append(field, node);
    say(told(names, now[1]));
    if (stage.isConnected) show(); // else when there is room
    new ResizeObserver(show).observe(field);
  };
})();
