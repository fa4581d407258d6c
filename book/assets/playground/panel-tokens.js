// Panel 2: the tokens with their ids, and how the chosen word was cut.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const MAX_DRAWN = 200; // tokens
  const MAX_LADDER = 48; // bytes of a word whose merges are drawn
  const MAX_LATTICE = 24; // characters of a word whose pieces are drawn
  const MAX_MISSED = 3; // pieces named of those that were looked up in vain
  const FROM_THE_RIGHT = /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u; // Hebrew, Arabic and their neighbours

  // What the page calls the tokenizers.
  const NAMES = { words: "the story", gpt2: "GPT-2", o200k: "GPT-4o", bert: "BERT", unigram: "Unigram" };

  // Choose the word to look at: the given one, or of those in view the one with the most to tell,
  // which is the one with the most tokens, or where all have one, the first that is unknown.
  // returns -1 if there is no word
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

  // wanted: the word to look at
  function drawTokens(panel, tokenizer, encoding, kind, wanted, choose) {
    const { count, element, note, plural } = ttv.dom;
    const words = encoding.words.filter((word) => !word.isAdded);
    const nAdded = encoding.words.length - words.length;
    const chosen = chosenWord(tokenizer, words, wanted);
    const added = nAdded ? `; with [CLS] and [SEP] ${count(encoding.ids.length)}` : "";
    const summary = `${plural(encoding.ids.length - nAdded, "token")} from ${NAMES[kind]}’s vocabulary of ${count(tokenizer.nVocab)}${added}`;
    panel.replaceChildren(element("p", { class: "ttv-summary" }, summary));
    if (chosen < 0) return panel.append(note("There is no token yet: type a word or two."));
    const detail = element("div", { class: "ttv-detail" });
    const showDetail = (i) => drawWord(detail, tokenizer, kind, words[i]);
    const list = element("div", { class: "ttv-tokens", role: "listbox", "aria-label": "Tokens, word by word" }, ...optionsOf(tokenizer, encoding.words, chosen));
    ttv.dom.makeChoosable(list, (i) => {
      showDetail(i);
      choose(i);
    });
    showDetail(chosen);
    const isAll = encoding.ids.length <= MAX_DRAWN;
    const more = isAll ? [] : [note(`The first ${MAX_DRAWN} of ${count(encoding.ids.length)} tokens are shown; all are counted.`)];
    return panel.append(list, ...more, detail);
  }

  // Each word with its tokens; what BERT adds is no option.
  function optionsOf(tokenizer, words, chosen) {
    const { element, option, tokenChip, visibleText } = ttv.dom;
    const drawn = words.filter((word) => word.first < MAX_DRAWN);
    const choices = drawn.filter((word) => !word.isAdded);
    const stop = chosen < choices.length ? chosen : 0;
    return drawn.map((word) => {
      // One long word may have more tokens than all that is drawn.
      const chips = word.ids.slice(0, MAX_DRAWN - word.first).map((id) => tokenChip(tokenizer.show(id), id));
      if (word.isAdded) return chips[0];
      // A word that became <unk> or [UNK] is not in its token any more: show what was there.
      if (word.ids.length === 1 && chips[0].classList.contains("is-special")) {
        chips[0].prepend(element("bdi", { class: "ttv-lost" }, visibleText(word.text)), " ");
      }
      const i = choices.indexOf(word);
      const made = option(i, i === chosen, i === stop, "ttv-word", ...chips);
      if (FROM_THE_RIGHT.test(word.text)) made.dir = "rtl"; // so that ## stands where the pieces meet
      return made;
    });
  }

  function drawWord(place, tokenizer, kind, word) {
    const { element, visibleText } = ttv.dom;
    const name = element("bdi", { class: "ttv-quoted" }, visibleText(word.text));
    const title = element("p", { class: "ttv-detail-title" }, kind === "words" ? "Looking up " : `How ${NAMES[kind]} splits `, name);
    const draw = { words: lookUp, gpt2: mergeLadder, o200k: mergeLadder, bert: scanLadder, unigram: lattice }[kind];
    place.replaceChildren(title, ...draw(tokenizer, word));
  }

  function lookUp(tokenizer, word) {
    const { element, tokenChip } = ttv.dom;
    const [id] = word.ids;
    // Whoever types "<unk>" gets its id by looking it up; the model cannot tell.
    const isUnknown = id === tokenizer.unknown && word.text !== "<unk>";
    const text = isUnknown ? "It is not in the vocabulary, so it becomes " : "It is in the vocabulary: ";
    return [element("p", { class: "ttv-line" }, text, tokenChip(tokenizer.show(id), id))];
  }

  function mergeLadder(tokenizer, word) {
    const { count, element, ladder, note, plural } = ttv.dom;
    const nBytes = ttv.unicode.utf8(word.text).length;
    if (nBytes > MAX_LADDER) {
      return [note(`This word of ${count(nBytes)} bytes becomes ${plural(word.ids.length, "token")}. The steps are shown for words of up to ${MAX_LADDER} bytes.`)];
    }
    const steps = tokenizer.mergeSteps(word.text);
    const joined = "In each step, the pair of neighbours whose merge has the lowest rank is joined, until no pair has a merge.";
    const remark = steps.length > 1 ? joined : "A single byte, or bytes without a merge: nothing to do.";
    const box = element("div", { class: "ttv-scroll", role: "group", "aria-label": "The steps, with their ranks" }, ladder(ttv.bpe.ladderRows(steps)));
    return [box, note(remark)];
  }

  function scanLadder(tokenizer, word) {
    const { element, note, tokenChip, visibleText } = ttv.dom;
    if (tokenizer.isTooLong(word.text)) return [note("A word of more than 100 characters is not split: it becomes [UNK].")];
    const steps = tokenizer.scan(word.text).map(({ missed, found }) => {
      const names = missed.slice(0, MAX_MISSED).flatMap((piece, i) => [i ? ", " : "", element("s", {}, visibleText(piece))]);
      const more = missed.length > MAX_MISSED ? ` and ${missed.length - MAX_MISSED} shorter` : "";
      const misses = element("span", { class: "ttv-missed" }, "not in the vocabulary: ", ...names, more);
      const taken = found === null
        ? [" no piece fits: the whole word becomes ", tokenChip({ text: "[UNK]", isSpecial: true }, word.ids[0])]
        : [element("span", { class: "ttv-step" }, "takes"), tokenChip({ text: found }, tokenizer.vocab.get(found))];
      return element("li", {}, ...(missed.length ? [misses] : []), element("span", { class: "ttv-found" }, ...taken));
    });
    return [
      element("ol", { class: "ttv-scan" }, ...steps),
      note("From the end of the last piece, the longest piece in the vocabulary is taken; ## marks a piece that continues a word."),
    ];
  }

  // Put edges that do not overlap into common rows, the longest first.
  function rowsOf(edges) {
    const rows = [];
    const sorted = [...edges].sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start);
    for (const edge of sorted) {
      const row = rows.find((others) => others.every(({ start, end }) => end <= edge.start || edge.end <= start));
      if (row) row.push(edge);
      else rows.push([edge]);
    }
    return rows;
  }

  function lattice(tokenizer, word) {
    const { count, element, note, plural, tokenChip } = ttv.dom;
    const characters = Array.from(word.text);
    if (characters.length > MAX_LATTICE) {
      return [note(`This word of ${count(characters.length)} characters becomes ${plural(word.ids.length, "token")}. The pieces are drawn for words of up to ${MAX_LATTICE} characters.`)];
    }
    const edges = tokenizer.edges(word.text);
    const best = tokenizer.bestCut(edges);
    const others = edges.filter((edge) => !best.includes(edge));
    const number = (value) => ttv.dom.written(value, 1);
    const draw = ({ start, end, id }, row) => {
      const text = id === tokenizer.unknown ? "<unk>" : characters.slice(start, end).join("");
      const chip = tokenChip({ text, isSpecial: id === tokenizer.unknown });
      chip.append(" ", element("span", { class: "ttv-id" }, number(tokenizer.scores[id])));
      if (row === 0) chip.classList.add("is-new");
      const item = element("li", {}, chip);
      item.style.gridArea = `${row + 1} / ${start + 1} / auto / ${end + 1}`;
      return item;
    };
    const items = [best, ...rowsOf(others)].flatMap((row, i) => row.map((edge) => draw(edge, i)));
    const list = element("ul", { class: "ttv-lattice" }, ...items);
    const box = element("div", { class: "ttv-scroll", role: "group", "aria-label": "The pieces that occur in the word" }, list);
    const total = best.reduce((sum, edge) => sum + tokenizer.scores[edge.id], 0);
    const remark = `All ${plural(edges.length, "piece")} of the word, each with its log probability. The first row is the best cut: its sum, ${number(total)}, is the largest of all ways through the word.`;
    return [box, note(remark)];
  }

  ttv.drawTokens = drawTokens;
})();
