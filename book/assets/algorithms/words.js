// The word tokenizer of the chapter "Word tokenization", as companion/words.py has it.

// A word that a tokenizer has cut out of a text, and what became of it.
// Word:
// text: the word as it was looked up
// first: the place of its first token among all tokens
// isAdded: it is not in the text: [CLS] or [SEP]


// How a token is shown: its text, or bytes that are no text by themselves.

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
      if (this.tokens[this.unknown] !== "<unk>") throw new Error("the list of words is incomplete");
    }

    encode(text) {
      const words = tokenize(text).map((token, i) => {
        return { text: token, first: i, ids: [this.vocab.get(token) ?? this.unknown] };
      });
      return { ids: words.map((word) => word.ids[0]), words };
    }

    show(id) {
      return { text: this.tokens[id], isSpecial: id === this.unknown };
    }
  }

  ttv.words = { WordTokenizer, tokenize };
})();
