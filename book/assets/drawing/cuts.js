// Where tokenizers cut a text: a column is a byte, and each token is below its letters.
(() => {
  "use strict";
  const ttv = globalThis.TextToVectors;
  const { count, element, shownText, tokenChip, visible, visibleText } = ttv.dom;
  const sizeOf = (text) => ttv.unicode.utf8(text).length;

  // Where each character of a text starts, in bytes, and where the text ends.
  const startsOf = (text) => Array.from(text).reduce((starts, character) => [...starts, starts.at(-1) + sizeOf(character)], [0]);

  // The tokens of a text, as {shown, from, to, isLost}: from and to in bytes. As workbook/cuts.py has it.
  const cutters = {
    bytes: (_, text) => Array.from(ttv.unicode.utf8(text), (byte, i) =>
      ({ shown: { text: byte.toString(16).toUpperCase().padStart(2, "0"), isBytes: true }, from: i, to: i + 1 })),

    words(tokenizer, text) {
      let end = 0;
      return tokenizer.encode(text).words.map(({ text: word, ids: [id] }) => {
        const start = text.indexOf(word, end);
        end = start + word.length;
        const [from, to] = [start, end].map((at) => sizeOf(text.slice(0, at)));
        return { shown: tokenizer.show(id), from, to, isLost: id === tokenizer.unknown && word !== "<unk>" };
      });
    },

    split(tokenizer, text) {
      let to = 0;
      return tokenizer.cut(text).map((word) => ({ shown: { text: word }, from: to, to: (to += sizeOf(word)) }));
    },

    bpe(tokenizer, text) {
      let to = 0;
      return tokenizer.encode(text).ids.map((id) => ({ shown: tokenizer.show(id), from: to, to: (to += tokenizer.tokens[id].length) }));
    },

    // Each letter as BERT reads it has its share of the bytes of its character.
    bert(tokenizer, text) {
      const starts = startsOf(text);
      const read = Array.from(text).flatMap((character, i) => {
        const letters = Array.from(tokenizer.cut(character).join(""));
        const mark = (k) => starts[i] + Math.floor(((starts[i + 1] - starts[i]) * k) / letters.length);
        return letters.map((_, k) => [mark(k), mark(k + 1)]);
      });
      let at = 0;
      return tokenizer.encode(text).words.flatMap(({ text: word, ids }) => ids.map((id) => {
        const [shown, isLost] = [tokenizer.show(id), tokenizer.tokens[id] === "[UNK]"];
        const [from] = read[at];
        at += ttv.unicode.length(isLost ? word : shown.text.replace(/^##(?=.)/u, ""));
        return { shown, from, to: read[at - 1][1], isLost };
      }));
    },

    unigram(tokenizer, text) {
      const starts = [0, ...startsOf(text)]; // the first letter is in front of the text
      const letters = Array.from(`▁${text.replaceAll(" ", "▁")}`);
      let end = 0;
      return tokenizer.encode(text).ids.map((id) => {
        const [start, isLost] = [end, id === tokenizer.unknown];
        if (!isLost) end += ttv.unicode.length(tokenizer.tokens[id]);
        while (isLost && end < letters.length && !tokenizer.vocab.has(letters[end])) end += 1;
        return { shown: tokenizer.show(id), from: starts[start], to: starts[end], isLost };
      });
    },
  };

  const cut = (kind, tokenizer, text) => cutters[kind === "gpt2" || kind === "o200k" ? "bpe" : kind](tokenizer, text);

  // Lines of at most `most` columns: as few as possible, broken before spaces where possible, and of nearly one length.
  function linesOf(text, most) {
    const starts = startsOf(text);
    const broken = (n) => {
      const lines = [0];
      let [space, cost] = [0, 0];
      Array.from(text).forEach((character, i) => {
        if (character === " ") space = starts[i];
        if (starts[i + 1] - lines.at(-1) <= n) return;
        const isWhole = space > lines.at(-1);
        cost += isWhole ? 1 : 3;
        lines.push(isWhole ? space : starts[i]);
      });
      return { lines, cost };
    };
    let best = broken(most);
    for (let n = most - 1; n >= 8; n -= 1) if (broken(n).cost <= best.cost) best = broken(n);
    return best.lines.map((start, i) => [start, best.lines[i + 1] ?? starts.at(-1)]);
  }

  // Draw the rows of a text into a node that has a line with the names of all rows, which stays.
  // rows: tokens as `cut` gives them, and counts: their numbers; null where they are not there yet
  function draw(node, text, rows, counts = rows.map((tokens) => tokens.length)) {
    const [first] = node.children;
    const names = [...first.children].slice(0, rows.length);
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const isNarrow = node.clientWidth < 500;
    const room = node.clientWidth / rem - parseFloat(getComputedStyle(node).getPropertyValue("--names")) - (isNarrow ? 2.5 : 4);
    const lines = linesOf(text, Math.max(8, Math.floor(room / (isNarrow ? 0.68 : 0.75))));
    const widest = Math.max(1, ...lines.map(([start, end]) => end - start));
    const column = Math.min(1.95, room / widest);
    node.style.setProperty("--n", widest);
    node.style.setProperty("--column", `${column}rem`);
    node.classList.toggle("is-tight", column < 1.1);
    // The marks of a row, ## and spaces, are left out of all its boxes where one has no room.
    const parts = ({ text: token, isBytes }) => /^(##|[ ▁]|)(.*)$/su.exec(isBytes ? "" : token);
    const hasMarks = rows.map((tokens) => (tokens ?? []).every(({ shown, from, to }) =>
      !parts(shown)[1] || !parts(shown)[2] || column * (to - from) >= 0.6 * ttv.unicode.length(shown.text)));
    const starts = startsOf(text);
    const at = (row, column, span) => `grid-area: ${row} / ${column} / auto / span ${Math.max(1, span)}`;
    const drawn = lines.map(([start, end], l) => [
      ...(l ? names.map((name, r) => element("span", { class: "ttv-cut-name", style: at(r + 2, 1, 1) }, name.textContent)) : []),
      ...Array.from(text).flatMap((character, i) => starts[i] < start || starts[i] >= end ? []
        : [element("b", { style: at(1, starts[i] - start + 2, starts[i + 1] - starts[i]) }, visible(character))]),
      ...rows.flatMap((tokens, r) => (tokens ?? []).flatMap(({ shown, from, to, isLost }) => {
        const isEmpty = from === to; // what was put in front of the text
        if (isEmpty ? from !== start : to <= start || from >= end) return [];
        const chip = tokenChip(shown);
        const [, mark, rest] = parts(shown);
        if (shown.isBytes) chip.firstChild.textContent = shown.text.replaceAll(" ", "");
        const span = Math.min(to, end) - Math.max(from, start);
        if (mark && rest && !hasMarks[r]) chip.firstChild.textContent = visibleText(rest);
        else if (mark && rest) chip.firstChild.replaceChildren(element("i", {}, visibleText(mark)), visibleText(rest));
        chip.title = shownText(shown);
        chip.classList.remove("is-special");
        for (const [kind, is] of [["is-lost", isLost], ["is-before", from < start], ["is-after", to > end], ["is-empty", isEmpty]]) chip.classList.toggle(kind, Boolean(is));
        chip.style = at(r + 2, Math.max(from, start) - start + 2, span);
        return [chip];
      })),
      ...(l ? [] : rows.map((tokens, r) => {
        const nLost = (tokens ?? []).filter(({ isLost }) => isLost).length;
        return element("span", { class: "ttv-cut-count", style: `grid-area: ${r + 2} / -2` },
          ...(counts[r] === null ? [] : [element("b", {}, count(counts[r]))]), ...(nLost ? [element("small", {}, " lost")] : []));
      })),
    ]);
    [...first.children].slice(rows.length).forEach((each) => each.remove());
    first.append(...drawn[0]);
    node.replaceChildren(first, ...drawn.slice(1).map((cells) => element("div", { class: "ttv-cut-line" }, ...cells)));
  }

  ttv.cuts = { cut, draw };
})();
