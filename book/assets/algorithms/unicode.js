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
  const length = (text) => Array.from(text).length;

  // The first characters of a text; each has one unit or two.
  const firstCharacters = (text, n) => Array.from(text.slice(0, 2 * n)).slice(0, n);

  // The beginning of a text, cut between characters and never inside one.
  const beginning = (text, n) => (text.length <= n ? text : firstCharacters(text, n).join(""));

  // Read the classes of characters that the build wrote: the inside of a regular expression's [...]
  // for each, to be used with the flag u. The browser's own \p{L} would change with its version.
  function parseClasses(text) {
    const lines = text.trimEnd().split("\n").map((line) => line.split(" "));
    const escaped = (range) => range.replace(/\w+/g, "\\u{$&}");
    return new Map(lines.map(([name, ...ranges]) => [name, ranges.map(escaped).join("")]));
  }

  ttv.unicode = { beginning, firstCharacters, length, parseClasses, utf8, wellFormed };
})();
