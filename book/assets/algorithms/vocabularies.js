// Load the vocabularies, each when it is first needed.
//
// They are gzip files beside the page; book/_ext/ttv/playground.py makes them and lists them in
// files.js. From a disk a browser lets no script read a file, so there the same bytes come as
// a script of their own.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  // Say what a failure means to the reader; the browser says the same of all.
  const explained = (promise, reason) =>
    promise.catch((error) => {
      throw new Error(reason, { cause: error });
    });

  const waiting = new Map();
  ttv.receive = (name, base64) => waiting.get(name)(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));

  const loadScript = (name) => new Promise((resolve, reject) => {
    waiting.set(name, resolve);
    const onerror = () => reject(new Error("the file is not there"));
    document.head.append(Object.assign(document.createElement("script"), { src: `${ttv.folder}${name}.js`, onerror }));
  });

  async function loadFile(name) {
    const response = await explained(fetch(`${ttv.folder}${ttv.files[name].file}`), "there is no connection");
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return new Uint8Array(await explained(response.arrayBuffer(), "the connection broke off"));
  }

  async function loadBytes(name) {
    const bytes = await (location.protocol === "file:" ? loadScript(name) : loadFile(name));
    // A server may have unpacked the file on its way.
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await explained(new Response(stream).arrayBuffer(), "the file is damaged"));
  }

  const loadText = async (name) => new TextDecoder().decode(await loadBytes(name));

  const N_NEAREST = 10;

  // The tokens that have a row, and a function that gives those nearest to one, with cosines in hundredths.
  // bytes: as book/_ext/ttv/playground.py packs them
  function nearestRows(bytes) {
    const end = bytes.indexOf(0) + 1;
    const tokens = new TextDecoder().decode(bytes.subarray(0, end - 1)).split("\n");
    const size = tokens.length * N_NEAREST;
    const list = (table, place) => {
      const [low, high, drop] = [0, 1, 2].map((part) => end + (3 * table + part) * size + place * N_NEAREST);
      let cosine = 100;
      return Array.from({ length: N_NEAREST }, (_, i) => {
        cosine -= bytes[drop + i];
        return [tokens[bytes[low + i] + 256 * bytes[high + i]], cosine];
      });
    };
    return { tokens, nearest: (place) => ({ new: list(0, place), trained: list(1, place) }) };
  }

  const made = async (make, ...parts) => make(...(await Promise.all(parts)));
  const loaders = {
    words: () => made((list) => new ttv.words.WordTokenizer(list), loadText("words")),
    gpt2: () => made(ttv.bpe.gpt2, loadBytes("gpt2"), load("unicode")),
    o200k: () => made(ttv.bpe.o200k, loadBytes("o200k"), load("unicode"), load("cases")),
    bert: () => made((list, classes) => new ttv.wordpiece.WordPieceTokenizer(list, classes), loadText("bert"), load("unicode")),
    unigram: () => made((pieces) => new ttv.unigram.UnigramTokenizer(pieces), loadText("unigram")),
    rows: () => made(ttv.vectors.trainedRows, loadBytes("rows")),
    neighbours: () => made(nearestRows, loadBytes("neighbours")),
    unicode: () => made(ttv.unicode.parseClasses, loadText("unicode")),
    cases: () => made(ttv.unicode.parseClasses, loadText("cases")),
  };
  const loaded = new Map();

  // Give a tokenizer, or the trained rows of tokens, or the nearest of them, loaded at its first call; after a
  // failure it may be tried again.
  function load(name) {
    if (!loaded.has(name)) {
      loaded.set(name, loaders[name]());
      loaded.get(name).catch(() => loaded.delete(name));
    }
    return loaded.get(name);
  }

  ttv.vocabularies = { load };
})();
