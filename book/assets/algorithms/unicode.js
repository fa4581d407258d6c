// Characters: their bytes, and the classes of characters that the tokenizers cut by.
//
// The book is also opened from a disk, where browsers load no ES modules. So each file here
// is a plain script that hangs what it offers on one object, TextToVectors.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const LONE_SURROGATES = /[\ud800-\udfff]/gu; // with the flag u a pair is one character, no two
  const encoder = new TextEncoder();

  // Make a text that UTF-8 can hold: a surrogate without its partner becomes U+FFFD.
  const wellFormed = (text) => text.replace(LONE_SURROGATES, "\ufffd");

  // The bytes of a text in UTF-8.
  const utf8 = (text) => encoder.encode(text);

  // Count characters as Python's len does: code points, not the 16-bit units of JavaScript.
  function length(text) {
    let n = 0;
    for (const _ of text) n += 1;
    return n;
  }

  // The beginning of a text, cut between characters and never inside one.
  // n: characters
  function beginning(text, n) {
    if (text.length <= n) return text; // no character has less than one unit
    let end = 0;
    for (let i = 0; i < n && end < text.length; i += 1) end += (text.codePointAt(end)) > 0xffff ? 2 : 1;
    return text.slice(0, end);
  }

  // The first characters of a text.
  function firstCharacters(text, n) {
    const found = [];
    for (const character of text) {
      if (found.length === n) break;
      found.push(character);
    }
    return found;
  }

  // Read the classes of characters that the build wrote: the inside of a regular expression's [...]
  // for each, to be used with the flag u. The browser's own \p{L} would change with its version.
  function parseClasses(text) {
    const classes = new Map();
    for (const line of text.split("\n")) {
      if (!line) continue;
      const [name, ...ranges] = line.split(" ");
      const ends = (range) => range.split("-").map((end) => `\\u{${end}}`);
      classes.set(name, ranges.map((range) => ends(range).join("-")).join(""));
    }
    if (!classes.size) throw new Error("the classes of characters are missing");
    return classes;
  }

  ttv.unicode = { beginning, firstCharacters, length, parseClasses, utf8, wellFormed };
})();
