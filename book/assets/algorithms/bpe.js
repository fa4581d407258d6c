// The tokenizers of GPT-2 and of GPT-4o, byte pair encoding on bytes, as companion/bpe has them.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  // White space as Unicode has it; not JavaScript's, which counts U+FEFF.
  const SPACE = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

  // Each byte's printable stand-in: itself where it prints, a character from 256 on elsewhere.
  const BYTE_TO_UNICODE = (() => {
    const prints = (byte) =>
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    let next = 256;
    return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(prints(byte) ? byte : next++));
  })();
  const UNICODE_TO_BYTE = new Map(BYTE_TO_UNICODE.map((character, byte) => [character, byte]));
  // GPT-2 numbers the bytes in the order of their stand-ins, so "!" has id 0.
  const ALPHABET = [...BYTE_TO_UNICODE].sort();
  const BYTE_IDS = BYTE_TO_UNICODE.map((character) => ALPHABET.indexOf(character));

  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

  // One step of a word's merges.
  // Step:
  // tokens: the tokens after the merge, in stand-ins
  // at: the token that the merge made; -1 before the first merge
  // rank: the rank of the merge; -1 before the first
  // ranks: of each two neighbours after it; Infinity where they are no merge

  class BytePairTokenizer {
    // file: the ids that each merge joins, as book/_ext/ttv/playground.py packs them
    // nVocab: with special tokens, which no text becomes
    // pattern: of a word
    constructor(file, nMerges, nVocab, pattern) {
      const byte = (plane, rank) => file[plane * nMerges + rank];
      const idAt = (plane, rank) =>
        byte(plane, rank) + byte(plane + 1, rank) * 2 ** 8 + byte(plane + 2, rank) * 2 ** 16;
      this.tokens = [...ALPHABET];
      // the rank of each pair of ids
      this.ranks = new Map();
      for (let rank = 0; rank < nMerges; rank += 1) {
        const [left, right] = [idAt(0, rank), idAt(3, rank)];
        this.ranks.set(pairOf(left, right), rank);
        this.tokens.push(this.tokens[left] + this.tokens[right]);
      }
      this.nVocab = nVocab;
      this.pattern = pattern;
      this.memory = new Map();
    }

    // Cut a text into words, before any merge.
    cut(text) {
      return ttv.unicode.wellFormed(text).match(this.pattern) ?? [];
    }

    // text: special tokens in it are ordinary text
    encode(text) {
      const ids = [];
      const words = [];
      for (const word of this.cut(text)) {
        const found = this.encodeWord(word);
        words.push({ text: word, first: ids.length, ids: found });
        for (const id of found) ids.push(id);
      }
      return { ids, words };
    }

    encodeWord(word) {
      const known = this.memory.get(word);
      if (known) return known;
      const ids = this.merge(Array.from(ttv.unicode.utf8(word), (byte) => BYTE_IDS[byte]));
      if (word.length <= 64) this.memory.set(word, ids);
      return ids;
    }

    // Merge the symbols of one word: always the lowest rank, and of equals the leftmost. What a merge makes
    // is only in merges of higher ranks, so all places of a rank merge before any other. The symbols that
    // are left are linked to their neighbours, so a merge costs the same in a word of any length.
    merge(symbols) {
      const after = symbols.map((_, i) => i + 1);
      const before = symbols.map((_, i) => i - 1);
      const rankAt = (i) => this.ranks.get(pairOf(symbols[i], symbols[after[i]]));
      const places = new Map(); // of each rank, where its pair may stand
      const note = (i) => {
        const rank = rankAt(i);
        if (rank === undefined) return;
        if (places.has(rank)) places.get(rank).push(i);
        else places.set(rank, [i]);
      };
      symbols.forEach((_, i) => note(i));
      while (places.size) {
        const rank = Math.min(...places.keys());
        const waiting = places.get(rank).sort((one, other) => one - other);
        places.delete(rank);
        for (const i of waiting) {
          if (rankAt(i) !== rank) continue; // one of the two has merged with its other neighbour
          const j = after[i];
          symbols[i] = 256 + rank;
          symbols[j] = -1;
          after[i] = after[j];
          before[after[i]] = i;
          note(before[i]);
          note(i);
        }
      }
      return symbols.filter((symbol) => symbol >= 0);
    }

    // Show how a word merges, one occurrence of one pair a step.
    // Looks at all pairs before each merge, so this is for words to look at, not for long ones.
    // word: taken as it is, not cut first
    mergeSteps(word) {
      let ids = Array.from(ttv.unicode.utf8(word), (byte) => BYTE_IDS[byte]);
      const steps = [];
      for (let [at, rank] = [-1, -1]; ;) {
        const ranks = ids.slice(1).map((right, i) => this.ranks.get(pairOf(ids[i], right)) ?? Infinity);
        steps.push({ tokens: ids.map((id) => this.tokens[id]), at, rank, ranks });
        rank = Math.min(...ranks);
        if (rank === Infinity) return steps;
        at = ranks.indexOf(rank);
        ids = [...ids.slice(0, at), 256 + rank, ...ids.slice(at + 2)];
      }
    }

    show(id) {
      return showStandIns(this.tokens[id]);
    }
  }

  // One number for two ids.
  const pairOf = (left, right) => left * 2 ** 18 + right;

  // classes: of unicode.js
  function gpt2(file, classes) {
    const [letter, number] = ["L", "N"].map((name) => classes.get(name));
    const pattern =
      `'(?:s|t|re|ve|m|ll|d)| ?[${letter}]+| ?[${number}]+| ?[^${SPACE}${letter}${number}]+` +
      `|[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`;
    return new BytePairTokenizer(file, 50_000, 50_257, new RegExp(pattern, "gu"));
  }

  // cases: the classes of letters by their case
  function o200k(file, classes, cases) {
    const [letter, number] = ["L", "N"].map((name) => classes.get(name));
    const [Lu, Ll, Lt, Lm, Lo, M] = ["Lu", "Ll", "Lt", "Lm", "Lo", "M"].map((name) => cases.get(name));
    const upper = `[${Lu}${Lt}${Lm}${Lo}${M}]`;
    const lower = `[${Ll}${Lm}${Lo}${M}]`;
    const start = `[^\\r\\n${letter}${number}]?`;
    const end = "(?:'(?:[sS\\u017f]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD]))?";
    const pattern =
      `${start}${upper}*${lower}+${end}|${start}${upper}+${lower}*${end}|[${number}]{1,3}` +
      `| ?[^${SPACE}${letter}${number}]+[\\r\\n/]*|[${SPACE}]*[\\r\\n]+|[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`;
    return new BytePairTokenizer(file, 199_742, 200_019, new RegExp(pattern, "gu"));
  }

  // The text of a token, or its bytes in hexadecimal where they are no text by themselves.
  // token: in stand-ins
  function showStandIns(token) {
    const bytes = Array.from(token, (character) => UNICODE_TO_BYTE.get(character));
    try {
      return { text: decoder.decode(Uint8Array.from(bytes)) };
    } catch {
      const hex = bytes.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0"));
      return { text: hex.join(" "), isBytes: true };
    }
  }

  // Steps of a word's merges, as rows of a ladder.
  const ladderRows = (steps) => steps.map(({ tokens, at, rank }) => ({
    label: rank < 0 ? "bytes" : ttv.dom.count(rank),
    tokens: tokens.map((token, i) => ({ shown: showStandIns(token), size: token.length, isNew: i === at })),
  }));

  ttv.bpe = { BYTE_TO_UNICODE, BytePairTokenizer, gpt2, ladderRows, o200k, showStandIns };
})();
