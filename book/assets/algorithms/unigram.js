// The Unigram tokenizer of the chapter "SentencePiece and Unigram", as companion/unigram has it.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const SPACE = "▁";
  // Text is cut only before a space: no piece of the story reaches over one.
  const RUN = /▁+[^▁]*/gu;
  // A character that no piece holds costs as much as the rarest piece and this.
  const UNKNOWN_PENALTY = 10;

  // A piece that occurs in a word.
  // Edge:
  // start: where the piece begins, in characters of the word
  // id: that of <unk> where the character is no piece

  class UnigramTokenizer {
    // file: the pieces with their log probabilities, in the order of the ids, as JSON
    constructor(file) {
      const pieces = JSON.parse(file);
      this.tokens = pieces.map(([piece]) => piece);
      this.scores = pieces.map(([, score]) => score);
      this.nVocab = pieces.length;
      this.unknown = this.tokens.indexOf("<unk>");
      const found = [...this.tokens.keys()].filter((id) => id !== this.unknown);
      this.scores[this.unknown] = Math.min(...found.map((id) => this.scores[id])) - UNKNOWN_PENALTY;
      this.vocab = new Map(found.map((id) => [this.tokens[id], id]));
      this.longest = Math.max(...found.map((id) => ttv.unicode.length(this.tokens[id])));
    }

    // Find each piece that occurs in a word, in the order of where it starts.
    edges(word) {
      const characters = Array.from(word);
      const edges = [];
      for (let start = 0; start < characters.length; start += 1) {
        let piece = "";
        for (let end = start + 1; end <= Math.min(start + this.longest, characters.length); end += 1) {
          piece += characters[end - 1];
          // A single character is always an edge, so that the word has a cut.
          const id = this.vocab.get(piece) ?? (end === start + 1 ? this.unknown : undefined);
          if (id !== undefined) edges.push({ start, end, id });
        }
      }
      return edges;
    }

    // Find the edges with the largest sum of log probabilities that lead through a word (Viterbi).
    bestCut(edges) {
      let end = edges.at(-1)?.end ?? 0;
      const best = [0, ...Array(end).fill(-Infinity)];
      const last = [];
      for (const edge of edges) {
        const score = best[edge.start] + this.scores[edge.id];
        if (score > best[edge.end]) {
          best[edge.end] = score;
          last[edge.end] = edge;
        }
      }
      const cut = [];
      for (; end > 0; end = last[end].start) cut.push(last[end]);
      return cut.reverse();
    }

    // unknown characters side by side are one token
    encodeWord(word) {
      const ids = this.bestCut(this.edges(word)).map(({ id }) => id);
      return ids.filter((id, i) => id !== this.unknown || ids[i - 1] !== id);
    }

    encode(text) {
      const written = text && SPACE + ttv.unicode.wellFormed(text).replaceAll(" ", SPACE);
      const ids = [];
      const words = [];
      const memory = new Map();
      for (const word of written.match(RUN) ?? []) {
        const found = memory.get(word) ?? this.encodeWord(word);
        memory.set(word, found);
        words.push({ text: word, first: ids.length, ids: found });
        for (const id of found) ids.push(id);
      }
      return { ids, words };
    }

    show(id) {
      return { text: this.tokens[id], isSpecial: id === this.unknown };
    }
  }

  ttv.unigram = { UnigramTokenizer };
})();
