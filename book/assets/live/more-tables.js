// The rows that the n-grams of a text pick in small tables (chapter more-tables).
// Needs algorithms/data/files, algorithms/unicode, algorithms/bpe, algorithms/vocabularies.
(() => {
  "use strict";
  const { bpe, dom, live, vocabularies } = globalThis.TextToVectors;
  const MAX_TOKENS = 7;
  const EXAMPLE = "the cat sat on the mat"; // two of its bigrams share both rows
  const NAMES = ["", "ids", "bigrams", "trigrams"];

  // The id at a place and those before it, the newest first; the end takes the places of what does not count.
  function ngramAt(ids, place, size, end) {
    const found = [ids[place]];
    for (let i = place - 1; i > place - size; i -= 1) found.push(i < 0 || found.slice(1).includes(end) ? end : ids[i]);
    return found;
  }

  // `^` of JavaScript's own numbers has only 32 bits.
  function rowOf(ngram, factors, nRows) {
    const mixed = ngram.reduce((all, id, i) => all ^ (BigInt(id) * BigInt(factors[i])), 0n);
    return Number(mixed % BigInt(nRows));
  }

  function moreTables({ stage, states, say }) {
    const { element, makeChoosable, option } = dom;
    const { factors, heads, end } = states;
    const list = element("div", { class: "ttv-ngrams", role: "listbox", "aria-label": "Tokens, each with the rows of its n-grams" });
    const summary = element("p", { class: "ttv-live-head" });
    let [tokens, picked] = [[], []];

    const name = (ngram) => `“${ngram.map((id) => (id === end ? "end" : dom.shownText(tokens.find((token) => token.id === id).shown))).reverse().join(" ")}”`;
    // The other n-grams that pick the same row of a head.
    const others = (place, head) => {
      const { row, ngram } = picked[place][head];
      const all = picked.map((each) => each[head]).filter((each) => each.row === row && String(each.ngram) !== String(ngram));
      return [...new Map(all.map((each) => [String(each.ngram), each.ngram])).values()];
    };

    // The heads of each size of n-grams.
    const groups = [...new Set(heads.map(([size]) => size))].map((size) => heads.flatMap(([ids], head) => (ids === size ? [head] : [])));

    // Another n-gram that picks the same rows in all heads of a group, if there is one.
    function twin(place, group) {
      const [first, ...rest] = group.map((head) => others(place, head));
      return first.find((ngram) => rest.every((more) => more.some((each) => String(each) === String(ngram))));
    }

    // The answer of the figure's question.
    function answer() {
      for (const group of groups) {
        const place = picked.findIndex((_, i) => twin(i, group));
        if (place >= 0) return `Yes: ${name(picked[place][group[0]].ngram)} and ${name(twin(place, group))} share the rows of both heads.`;
      }
      return "No two different n-grams share the rows of both heads.";
    }

    // What the n-grams of a token pick, and with whom they share it.
    function tell(place) {
      for (const [i, each] of [...list.children].entries()) each.setAttribute("aria-selected", String(i === place));
      const row = (head) => {
        const [first, ...more] = others(place, head);
        return `${picked[place][head].row}${first ? ` (as ${name(first)}${more.length ? ` and ${more.length} more` : ""})` : ""}`;
      };
      const rows = groups.map((group) => `${name(picked[place][group[0]].ngram)} picks rows ${group.map(row).join(" and ")}`);
      say(`${rows.join("; ")}. ${answer()}`);
    }

    function draw(next, chosen) {
      tokens = next;
      const ids = tokens.map(({ id }) => id);
      picked = tokens.slice(0, MAX_TOKENS).map((_, place) => heads.map(([size, nRows]) => {
        const ngram = ngramAt(ids, place, size, end);
        return { ngram, row: rowOf(ngram, factors, nRows) };
      }));
      let nShared = 0;
      const cells = (rows, place) => rows.map(({ row }, head) => {
        const isShared = others(place, head).length > 0;
        const isTwin = Boolean(twin(place, groups.find((group) => group.includes(head))));
        nShared += Number(isShared);
        return element("span", { class: `ttv-cell ${isTwin ? "is-taken is-twin" : isShared ? "is-taken" : "is-free"}` }, `${row}${isTwin ? " !!" : isShared ? " !" : ""}`);
      });
      list.replaceChildren(...picked.map((rows, place) => option(place, place === chosen, place === 0, "ttv-ngram",
        dom.tokenChip(tokens[place].shown), element("small", {}, String(ids[place])), ...cells(rows, place))));
      const left = tokens.length - picked.length;
      summary.textContent = picked.length ? `${nShared} of ${picked.length * heads.length} picks share their row with another n-gram: ! one row, !! both. “end” (<|endoftext|>) fills the places before the text.${left > 0 ? ` And ${dom.plural(left, "token")} more.` : ""}` : "";
      if (picked.length) tell(Math.min(chosen, picked.length - 1));
      else say("There is no token yet: type a text, such as New York.");
    }

    const type = () => live.typed(field.input, vocabularies.load("gpt2"), "GPT-2’s merges are loading (0.2 MB)", say, (tokenizer, typed) =>
      draw(tokenizer.encode(typed).ids.map((id) => ({ id, shown: bpe.showStandIns(tokenizer.tokens[id]) })), MAX_TOKENS));

    const field = live.field("Your text", states.text, type);
    makeChoosable(list, tell);
    const example = live.button(EXAMPLE, () => type((field.input.value = EXAMPLE)));
    const head = (name, ...texts) => element("div", { class: `ttv-ngram ttv-live-head ${name}`, "aria-hidden": "true" }, ...texts.map((text) => element("span", {}, text)));
    const over = groups.map((group) => `${NAMES[heads[group[0]][0]]}: ${dom.plural(group.length, "head")}`);
    const under = ["token", "id", ...heads.map(([, nRows]) => `${nRows} rows`)];
    stage.append(field, live.row("Or", example), head("is-over", "", ...over), head("", ...under), list, summary);
    draw(states.tokens.map(([token, id]) => ({ id, shown: { text: token } })), states.chosen);
  }

  live.figures["more-tables"] = moreTables;
})();
