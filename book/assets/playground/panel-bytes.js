// Panel 1: the characters of the text, and the bytes of each.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});
  const MAX_DRAWN = 64;

  const hex = (byte) => byte.toString(16).toUpperCase().padStart(2, "0");

  function drawCharacter(character) {
    const { codePoint, element, visible } = ttv.dom;
    const bytes = Array.from(ttv.unicode.utf8(character), (byte) => element("span", { class: "ttv-byte" }, hex(byte)));
    const shown = visible(character);
    // What is shown by its number alone need not be named by it again.
    const isNumber = shown === codePoint(character);
    return element("li", { class: "ttv-character" },
      element("bdi", { class: isNumber ? "ttv-glyph is-number" : "ttv-glyph" }, shown),
      element("span", { class: "ttv-point" }, isNumber ? "" : codePoint(character)),
      element("span", { class: "ttv-bytes" }, ...bytes));
  }

  ttv.drawBytes = (panel, text, counts) => {
    const { count, element, note, plural } = ttv.dom;
    const drawn = ttv.unicode.firstCharacters(text, MAX_DRAWN);
    const isAll = drawn.length === counts.characters;
    panel.replaceChildren(
      element("p", { class: "ttv-summary" }, `${plural(counts.characters, "character")}, ${plural(counts.bytes, "byte")}`),
      element("ol", { class: "ttv-characters", hidden: !drawn.length }, ...drawn.map(drawCharacter)),
      ...(isAll ? [] : [note(`The first ${MAX_DRAWN} of ${count(counts.characters)} characters are shown; all are counted.`)]),
    );
  };
})();
