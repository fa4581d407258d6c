// The tokenizer of BERT (uncased), WordPiece, as companion/wordpiece.py has it.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const MAX_CHARS_PER_WORD = 100;
  const SPECIAL = new Set(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]);
  // White space to BERT. Other controls are dropped and join what stands around them.
  const SPACE = "\\t\\n\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const RUN = new RegExp(`[^${SPACE}]+`, "gu");
  const CJK =
    /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;

  // One piece of a word: what was looked up in vain, and what was found.
  // Look:
  // start: where the piece begins, in characters of the word
  // missed: what was looked up and is not on the list, longest first
  // found: the longest piece on the list; null if there is none

  class WordPieceTokenizer {
    // file: the vocabulary, one token a line
    // classes: of unicode.js
    constructor(file, classes) {
      this.tokens = file.replace(/\n$/, "").split("\n");
      this.vocab = new Map(this.tokens.map((token, id) => [token, id]));
      this.nVocab = this.tokens.length;
      this.longest = Math.max(...this.tokens.map((token) => token.length));
      const ofClass = (name) => classes.get(name);
      this.dropped = new RegExp(`[${ofClass("bert-dropped")}]`, "gu");
      this.mark = new RegExp(`[${ofClass("bert-mark")}]`, "gu");
      const mark = ofClass("bert-punctuation");
      this.word = new RegExp(`[${mark}]|[^${mark}${SPACE}]+`, "gu");
      this.memory = new Map();
    }

    // Clean a text and cut it into words: "Café-Bar" -> cafe - bar.
    cut(text) {
      return (text.match(RUN) ?? []).flatMap((run) => this.cutRun(run));
    }

    cutRun(run) {
      const known = this.memory.get(run);
      if (known) return known;
      const spaced = run.replace(this.dropped, "").replace(CJK, " $& ");
      const words = this.withoutMarks(spaced).match(this.word) ?? [];
      if (run.length <= 64) this.memory.set(run, words);
      return words;
    }

    // Lower-case a text, decompose it, and drop its marks. Lower-casing the whole would turn the last sigma
    // of a word into ς.
    withoutMarks(text) {
      const lower = Array.from(text, (character) => character.toLowerCase()).join("");
      return lower.normalize("NFD").replace(this.mark, "");
    }

    // Read a word greedily: the longest piece on the list, then the longest of what is left.
    // word: one of `cut`
    // a last piece of null says that the whole word becomes [UNK]
    scan(word) {
      const characters = Array.from(word);
      const looks = [];
      for (let start = 0; start < characters.length; ) {
        const mark = start ? "##" : "";
        const missed = [];
        // No piece is longer than the longest, so the search need not start at the word's end.
        let end = Math.min(characters.length, start + this.longest);
        let found = null;
        for (; end > start; end -= 1) {
          const piece = mark + characters.slice(start, end).join("");
          if (this.vocab.has(piece)) {
            found = piece;
            break;
          }
          missed.push(piece);
        }
        looks.push({ start, missed, found });
        if (found === null) break;
        start = end;
      }
      return looks;
    }

    // Tell whether a word is too long to be read at all.
    isTooLong(word) {
      return word.length > MAX_CHARS_PER_WORD && ttv.unicode.length(word) > MAX_CHARS_PER_WORD;
    }

    encodeWord(word) {
      const looks = this.isTooLong(word) ? [] : this.scan(word);
      const ids = looks.map(({ found }) => (found === null ? undefined : this.vocab.get(found)));
      const isRead = ids.length > 0 && !ids.includes(undefined);
      return (isRead ? ids : [this.vocab.get("[UNK]")]);
    }

    // without [CLS] and [SEP]
    encode(text) {
      const ids = [];
      const words = [];
      const memory = new Map();
      for (const word of this.cut(text)) {
        const found = memory.get(word) ?? this.encodeWord(word);
        memory.set(word, found);
        words.push({ text: word, first: ids.length, ids: found });
        for (const id of found) ids.push(id);
      }
      return { ids, words };
    }

    // Put together what BERT reads: [CLS] first [SEP], and second [SEP] if there is one.
    // the words that are added are marked
    encodePair(first, second) {
      const words = [];
      const segmentIds = [];
      const add = (word, segment) => {
        words.push({ ...word, first: segmentIds.length });
        segmentIds.push(...word.ids.map(() => segment));
      };
      const special = (name) => ({ text: name, ids: [this.vocab.get(name)], isAdded: true });
      add(special("[CLS]"), 0);
      for (const [segment, text] of [first, second].entries()) {
        const found = this.encode(text).words;
        if (segment && !found.length) break;
        for (const word of found) add(word, segment);
        add(special("[SEP]"), segment);
      }
      return { ids: words.flatMap((word) => word.ids), words, segmentIds };
    }

    show(id) {
      const text = this.tokens[id];
      return { text, isSpecial: SPECIAL.has(text) };
    }
  }

  ttv.wordpiece = { WordPieceTokenizer };
})();
