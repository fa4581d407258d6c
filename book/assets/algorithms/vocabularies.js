// Load the vocabularies, each when it is first needed.
//
// They are gzip files beside the page; book/_ext/ttv/playground.py makes them and lists them in
// files.js. From a disk a browser lets no script read a file, so there the same bytes come as
// a script of their own.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const waiting = new Map();

  // Take a file that has come as a script.
  function receive(name, base64) {
    waiting.get(name)?.(base64);
    waiting.delete(name);
  }

  // Say what a failure means to the reader; the browser says the same of all.
  const explained = (promise, reason) =>
    promise.catch((error) => {
      throw new Error(reason, { cause: error });
    });

  function loadScript(name) {
    return new Promise((resolve, reject) => {
      waiting.set(name, (base64) => {
        resolve(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
      });
      const script = document.createElement("script");
      script.src = `${ttv.folder}${name}.js`;
      script.onload = () => script.remove();
      script.onerror = () => {
        script.remove();
        reject(new Error("the file is not there"));
      };
      document.head.append(script);
    });
  }

  async function loadFile(name, progress) {
    const { file, size } = ttv.files[name];
    const response = await explained(fetch(`${ttv.folder}${file}`), "there is no connection");
    if (!response.ok || !response.body) throw new Error(`the server answers ${response.status}`);
    const reader = response.body.getReader();
    const parts = [];
    let done = 0;
    const next = () => explained(reader.read(), "the connection broke off");
    for (let part = await next(); !part.done; part = await next()) {
      parts.push(part.value);
      done += part.value.length;
      progress(Math.min(done, size), size);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  async function unpack(bytes) {
    // A server may have unpacked the file on its way.
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
    if (typeof DecompressionStream === "undefined") {
      throw new Error("this browser cannot unpack it; a newer one can");
    }
    const stream = new Blob([(bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await explained(new Response(stream).arrayBuffer(), "the file is damaged"));
  }

  const loaded = new Map();

  // Do something once; after a failure it may be tried again.
  function once(key, work) {
    const known = loaded.get(key);
    if (known) return known;
    const promise = work();
    loaded.set(key, promise);
    promise.catch(() => loaded.delete(key));
    return promise;
  }

  async function loadBytes(name, progress = () => {}) {
    const fromDisk = location.protocol === "file:";
    return unpack(await (fromDisk ? loadScript(name) : loadFile(name, progress)));
  }

  const loadText = async (name, progress) => new TextDecoder().decode(await loadBytes(name, progress));

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

  const loadClasses = () => once("unicode", async () => ttv.unicode.parseClasses(await loadText("unicode")));

  // Give a tokenizer, or the trained rows of tokens, or the nearest of them, loaded at its first call.
  function load(name, progress) {
    return once(`tokenizer ${name}`, async () => {
      if (name === "rows") return ttv.vectors.trainedRows(await loadBytes(name, progress));
      if (name === "neighbours") return nearestRows(await loadBytes(name, progress));
      if (name === "words") return new ttv.words.WordTokenizer(await loadText(name, progress));
      if (name === "unigram") return new ttv.unigram.UnigramTokenizer(await loadText(name, progress));
      const [file, classes] = await Promise.all([
        name === "bert" ? loadText(name, progress) : loadBytes(name, progress),
        loadClasses(),
      ]);
      if (name === "bert") return new ttv.wordpiece.WordPieceTokenizer(file, classes);
      if (name === "gpt2") return ttv.bpe.gpt2(file, classes);
      const cases = ttv.unicode.parseClasses(await loadText("cases"));
      return ttv.bpe.o200k(file, new Map([...classes, ...cases]));
    });
  }

  ttv.receive = receive;
  ttv.vocabularies = { load };
})();
