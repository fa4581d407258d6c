// The settings of the playground, and the link that carries them.
//
// They stand after the # of the address, which a browser sends to no server: what a reader types
// stays with the reader, and with whoever is given the link.

// What a reader has chosen.
// Settings:
// second: the second text of a pair, for BERT
// word: the word that was chosen; -1 for the one with the most tokens
// drop: leave out a last batch that is not full
// token: the token whose numbers are shown

(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const DEFAULTS = {
    text: "Once upon a time there were four little Rabbits",
    second: "",
    tokenizer: "gpt2",
    word: -1,
    context: 4,
    stride: 2,
    batch: 2,
    drop: true,
    positions: "learned",
    token: 0,
  };
  const CHOICES = { tokenizer: ["words", "gpt2", "o200k", "bert", "unigram"], positions: ["learned", "sinusoidal"] };
  const RANGES = { word: [-1, 1e6], context: [1, 32], stride: [1, 32], batch: [1, 16], token: [0, 1e6] };
  // Characters of both texts together that a link carries.
  const MAX_TEXT = 4000;

  // Read settings from the part of an address after #. What is missing or makes no sense is as
  // it is by default; nothing in a link can do harm.
  // null if the hash holds no settings, but the name of a heading
  function read(hash) {
    if (!hash.includes("=")) return null;
    const given = new URLSearchParams(hash.replace(/^#/, ""));
    const settings = { ...DEFAULTS };
    for (const key of ["text", "second"]) {
      // A text field turns every line break into \n; so does a link, or it would say another text than the field.
      settings[key] = (given.get(key) ?? settings[key]).replace(/\r\n?/g, "\n");
    }
    for (const [key, choices] of Object.entries(CHOICES)) {
      const found = choices.find((choice) => String(choice) === given.get(key));
      if (found !== undefined) settings[key] = found;
    }
    for (const [key, [low, high]] of Object.entries(RANGES)) {
      const [number] = given.get(key)?.match(/^-?\d+$/) ?? []; // any other is left out
      if (number) settings[key] = Math.min(high, Math.max(low, Number(number)));
    }
    if (given.has("drop")) settings.drop = given.get("drop") !== "0";
    return settings;
  }

  // Write all settings as the part of an address after #.
  function write(settings) {
    return `#${new URLSearchParams({ ...settings, drop: Number(settings.drop) })}`;
  }

  // Tell whether the texts are short enough for a link.
  const fits = (settings) => ttv.unicode.length(settings.text) + ttv.unicode.length(settings.second) <= MAX_TEXT;

  ttv.link = { DEFAULTS, fits, read, write };
})();
