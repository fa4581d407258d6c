// The word tokenizer of the chapter "Word tokenization", as companion/words.py has it.
// What every tokenizer gives: `encode(text)` is {ids, words}; a word has its text, the place of its first token
// among all tokens, its ids, and isAdded if it is not in the text, [CLS] or [SEP]. `show(id)` says how a token
// is shown: its text, or bytes that are no text by themselves.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  // Python's white space, which is not that of JavaScript: U+001C to U+001F and U+0085 are, U+FEFF is not.
  const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const SEPARATOR = new RegExp(`([,.:;?_!"()']|--|[${SPACE}])`);
  const BLANK = new RegExp(`^[${SPACE}]*$`);

  // Split a text into words and punctuation marks; white space is dropped.
  const tokenize = (text) => text.split(SEPARATOR).filter((piece) => !BLANK.test(piece));

  class WordTokenizer {
    // list: the tokens in the order of their ids, one a line; the last is <unk>
    constructor(list) {
      this.tokens = list.replace(/\n$/, "").split("\n");
      this.vocab = new Map(this.tokens.map((token, id) => [token, id]));
      this.nVocab = this.tokens.length;
      this.unknown = this.nVocab - 1;
    }

    encode(text) {
      const words = tokenize(text).map((token, i) => ({ text: token, first: i, ids: [this.vocab.get(token) ?? this.unknown] }));
      return { ids: words.map((word) => word.ids[0]), words };
    }

    show(id) {
      return { text: this.tokens[id], isSpecial: id === this.unknown };
    }
  }

  ttv.words = { WordTokenizer };
})();
