// Panel 2: the tokens with their ids, and how the chosen word was cut.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const MAX_DRAWN = 200; // tokens
  const MAX_LADDER = 48; // bytes of a word whose merges are drawn
  const MAX_MISSED = 3; // pieces named of those that were looked up in vain

  /** What the page calls the tokenizers. */
  const NAMES = { words: "the story", gpt2: "GPT-2", bert: "BERT" };

  /**
   * Choose the word to look at: the given one, or of those in view the one with the most to tell,
   * which is the one with the most tokens, or where all have one, the first that is unknown.
   * @param {any} tokenizer
   * @param {Word[]} words
   * @param {number} wanted
   * @returns {number}  -1 if there is no word
   */
  function chosenWord(tokenizer, words, wanted) {
    if (wanted >= 0) return Math.min(wanted, words.length - 1);
    let [best, most] = [-1, 0];
    for (let i = 0; i < words.length && words[i].first < MAX_DRAWN; i += 1) {
      const { ids } = words[i];
      const weight = ids.length === 1 && tokenizer.show(ids[0]).isSpecial ? 1.5 : ids.length;
      if (weight > most) [best, most] = [i, weight];
    }
    return best;
  }

  /**
   * @param {HTMLElement} panel
   * @param {any} tokenizer
   * @param {Encoding} encoding
   * @param {"words" | "gpt2" | "bert"} kind
   * @param {number} wanted  the word to look at
   * @param {(word: number) => void} choose
   */
  function drawTokens(panel, tokenizer, encoding, kind, wanted, choose) {
    const { count, element, makeChoosable, note, option, plural, tokenChip } = ttv.dom;
    const chosen = chosenWord(tokenizer, encoding.words, wanted);
    panel.replaceChildren(
      element("p", { class: "ttv-summary" }, `${plural(encoding.ids.length, "token")} from ${NAMES[kind]}’s vocabulary of ${count(tokenizer.nVocab)}`),
    );
    if (chosen < 0) {
      panel.append(note("There is no token yet: type a word or two."));
      return;
    }
    const drawn = encoding.words.filter((word) => word.first < MAX_DRAWN);
    const stop = chosen < drawn.length ? chosen : 0;
    let n = 0;
    const options = drawn.map((word, i) => {
      // One long word may have more tokens than all that is drawn.
      const chips = word.ids.slice(0, MAX_DRAWN - n).map((id) => tokenChip(tokenizer.show(id), id));
      n += chips.length;
      // A word that became <unk> or [UNK] is not in its token any more: show what was there.
      if (word.ids.length === 1 && chips[0].classList.contains("is-special")) {
        chips[0].prepend(element("bdi", { class: "ttv-lost" }, ttv.dom.visibleText(word.text)), " ");
      }
      return option(i, i === chosen, i === stop, "ttv-word", ...chips);
    });
    const list = element("div", { class: "ttv-tokens", role: "listbox", "aria-label": "Tokens, word by word" }, ...options);
    const detail = element("div", { class: "ttv-detail" });
    const showDetail = (/** @type {number} */ i) => drawWord(detail, tokenizer, kind, encoding.words[i]);
    makeChoosable(list, (/** @type {number} */ i) => {
      showDetail(i);
      choose(i);
    });
    showDetail(chosen);
    panel.append(list);
    if (n < encoding.ids.length) {
      panel.append(note(`The first ${count(n)} of ${count(encoding.ids.length)} tokens are shown; all are counted.`));
    }
    panel.append(detail);
  }

  /**
   * @param {HTMLElement} place
   * @param {any} tokenizer
   * @param {"words" | "gpt2" | "bert"} kind
   * @param {Word} word
   */
  function drawWord(place, tokenizer, kind, word) {
    const { element, visibleText } = ttv.dom;
    const name = element("bdi", { class: "ttv-quoted" }, visibleText(word.text));
    const words = kind === "words" ? ["Looking up ", name] : [`How ${NAMES[kind]} splits `, name];
    const title = element("p", { class: "ttv-detail-title" }, ...words);
    const draw = { words: lookUp, gpt2: mergeLadder, bert: scanLadder }[kind];
    place.replaceChildren(title, ...draw(tokenizer, word));
  }

  /**
   * @param {any} tokenizer
   * @param {Word} word
   */
  function lookUp(tokenizer, word) {
    const { element, tokenChip } = ttv.dom;
    const [id] = word.ids;
    // Whoever types "<unk>" gets its id by looking it up; the model cannot tell.
    const isUnknown = id === tokenizer.unknown && word.text !== "<unk>";
    const text = isUnknown ? "It is not in the vocabulary, so it becomes " : "It is in the vocabulary: ";
    return [element("p", { class: "ttv-line" }, text, tokenChip(tokenizer.show(id), id))];
  }

  /**
   * @param {any} tokenizer
   * @param {Word} word
   */
  function mergeLadder(tokenizer, word) {
    const { count, element, note, plural, tokenChip } = ttv.dom;
    const nBytes = ttv.unicode.utf8(word.text).length;
    if (nBytes > MAX_LADDER) {
      return [
        note(`This word of ${count(nBytes)} bytes becomes ${plural(word.ids.length, "token")}. The steps are shown for words of up to ${MAX_LADDER} bytes.`),
      ];
    }
    const steps = tokenizer.mergeSteps(word.text).map((/** @type {any} */ step) => {
      const chips = step.tokens.map((/** @type {string} */ token, /** @type {number} */ i) => {
        const chip = tokenChip(ttv.bpe.showStandIns(token));
        if (i === step.at) chip.classList.add("is-new");
        return chip;
      });
      const label = step.rank < 0 ? "bytes" : `rank ${count(step.rank)}`;
      return element("li", {}, element("span", { class: "ttv-step" }, label), element("span", { class: "ttv-pieces" }, ...chips));
    });
    const remark =
      steps.length > 1
        ? "In each step, the pair of neighbours whose merge has the lowest rank is joined, until no pair has a merge."
        : "A single byte, or bytes without a merge: nothing to do.";
    return [element("ol", { class: "ttv-ladder" }, ...steps), note(remark)];
  }

  /**
   * @param {any} tokenizer
   * @param {Word} word
   */
  function scanLadder(tokenizer, word) {
    const { element, note, tokenChip, visibleText } = ttv.dom;
    if (tokenizer.isTooLong(word.text)) {
      return [note("A word of more than 100 characters is not split: it becomes [UNK].")];
    }
    const steps = tokenizer.scan(word.text).map((/** @type {any} */ look) => {
      const missed = look.missed.slice(0, MAX_MISSED).map(visibleText);
      const more = look.missed.length - missed.length;
      const names = missed.map((/** @type {string} */ piece) => element("s", {}, piece));
      const misses = names.flatMap((/** @type {Node} */ name, /** @type {number} */ i) => (i ? [", ", name] : [name]));
      if (more > 0) misses.push(` and ${more} shorter`);
      const found =
        look.found === null
          ? [" no piece fits: the whole word becomes ", tokenChip({ text: "[UNK]", isSpecial: true }, word.ids[0])]
          : [element("span", { class: "ttv-step" }, "takes"), tokenChip({ text: look.found }, tokenizer.vocab.get(look.found))];
      const line = element("li", {});
      if (misses.length) line.append(element("span", { class: "ttv-missed" }, "not in the vocabulary: ", ...misses));
      line.append(element("span", { class: "ttv-found" }, ...found));
      return line;
    });
    return [
      element("ol", { class: "ttv-scan" }, ...steps),
      note("From the end of the last piece, the longest piece in the vocabulary is taken; ## marks a piece that continues a word."),
    ];
  }

  ttv.drawTokens = drawTokens;
})();
