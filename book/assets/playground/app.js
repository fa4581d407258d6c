// The page: read the controls, draw the panels, keep the link up to date.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  const MAX_TEXT = 200_000; // characters that are read
  const SHORT = 400; // a text of up to so many characters is drawn at once
  const DRAW_AFTER = 150; // milliseconds after the last key, for a longer text
  const LINK_AFTER = 400;
  const TELL_AFTER = 1_200; // a screen reader hears the counts when the reader pauses
  const COUNT_AFTER = 300;
  const MAX_CUT = 80; // bytes whose cuts are drawn

  const control = (name) => document.getElementById(`ttv-${name}`);
  const panel = (name) => document.querySelector(`[data-panel="${name}"]`);
  const places = document.querySelectorAll("[data-panel]");
  const letGo = () => places.forEach((place) => place.removeAttribute("style"));
  const radios = (name) => [...document.querySelectorAll(`input[name="ttv-${name}"]`)];

  const NUMBERS = ["context", "stride", "batch"];
  const LOADING = {
    words: "the words of the story",
    gpt2: "GPT-2’s 50,000 merges",
    o200k: "GPT-4o’s 199,742 merges",
    bert: "BERT’s 30,522 pieces",
    unigram: "the Unigram pieces of the story",
  };

  let settings = { ...ttv.link.DEFAULTS };
  let hasChanged = false; // the address stays as it is until the reader changes something

  // ------------------------------------------------------------------ controls

  // Show the settings in the controls.
  function fillControls() {
    control("text").value = settings.text;
    control("second").value = settings.second;
    control("drop").checked = settings.drop;
    for (const name of NUMBERS) control(name).nextElementSibling.value = control(name).value = settings[name];
    for (const name of ["tokenizer", "positions"]) {
      for (const radio of radios(name)) radio.checked = radio.value === String(settings[name]);
    }
  }

  // Take a change of the reader's, and draw what it touches.
  function change(change, redraw) {
    Object.assign(settings, change);
    hasChanged = true;
    redraw();
    requestAnimationFrame(ttv.focusScrollers);
    later("link", LINK_AFTER, updateLink);
  }

  const timers = new Map();

  // Do something after a pause; asked again, the pause begins anew.
  function later(name, milliseconds, work) {
    clearTimeout(timers.get(name));
    timers.set(name, setTimeout(work, milliseconds));
  }

  let frame = 0;

  // Draw after a change of a text: at the next frame, or for a long text when typing pauses.
  function drawSoon() {
    cancelAnimationFrame(frame);
    clearTimeout(timers.get("draw"));
    const { length } = ttv.unicode;
    if (length(settings.text) + length(settings.second) <= SHORT) frame = requestAnimationFrame(drawAll);
    else later("draw", DRAW_AFTER, drawAll);
  }

  function listen() {
    control("text").addEventListener("input", () => {
      change({ text: control("text").value, word: -1, token: 0 }, drawSoon);
    });
    control("second").addEventListener("input", () => {
      change({ second: control("second").value, token: 0 }, drawSoon);
    });
    for (const radio of radios("tokenizer")) {
      radio.addEventListener("change", () => {
        failed.delete(radio.value);
        change({ tokenizer: radio.value, word: -1, token: 0 }, drawAll);
      });
    }
    for (const name of NUMBERS) {
      control(name).addEventListener("input", ({ target }) => {
        target.nextElementSibling.value = target.value;
        change({ [name]: Number(target.value) }, drawWindows);
      });
    }
    control("drop").addEventListener("change", () => change({ drop: control("drop").checked }, drawWindows));
    for (const radio of radios("positions")) radio.addEventListener("change", () => change({ positions: radio.value }, drawVectors));
    for (const button of document.querySelectorAll(".ttv-examples [data-text]")) {
      button.addEventListener("click", () => showExample(button.dataset));
    }
    control("copy-ids").addEventListener("click", copyIds);
    addEventListener("hashchange", readLink);
    addEventListener("resize", () => drawCuts(true));
  }

  function showExample({ text = "", second = "", tokenizer = settings.tokenizer }) {
    change({ text, second, tokenizer, word: -1, token: 0 }, () => {});
    fillControls();
    drawAll();
  }

  // ---------------------------------------------------------------------- link

  // Take the settings of the address, if it has any.
  function readLink() {
    const found = ttv.link.read(location.hash);
    if (!found || ttv.link.write(found) === ttv.link.write(settings)) return;
    settings = found;
    hasChanged = true;
    fillControls();
    drawAll();
    updateLink();
  }

  function updateLink() {
    const fits = ttv.link.fits(settings);
    control("link-note").hidden = fits;
    if (hasChanged) history.replaceState(null, "", fits ? ttv.link.write(settings) : location.pathname);
  }

  async function copyIds() {
    const ids = JSON.stringify(current?.encoding.ids ?? []).replaceAll(",", ", ");
    const isCopied = await navigator.clipboard.writeText(ids).then(() => true, () => false);
    control("copied").textContent = isCopied ? "Ids copied" : "Not allowed by this browser";
    later("copied", 4_000, () => control("copied").replaceChildren());
  }

  // ------------------------------------------------------------------- drawing

  // What was computed last: the panels below the tokens use it.
  let current = null;
  let turn = 0;

  // The text that is read: all of it, or of a very long one the beginning.
  function readText() {
    const text = ttv.unicode.beginning(settings.text, MAX_TEXT);
    control("long-note").hidden = text.length === settings.text.length;
    return text;
  }

  async function drawAll() {
    turn += 1;
    const mine = turn;
    const text = readText();
    const counts = { characters: ttv.unicode.length(text), bytes: ttv.unicode.utf8(text).length };
    ttv.drawBytes(panel("bytes"), text, counts);
    drawCuts();
    const kind = settings.tokenizer;
    control("pair").hidden = kind !== "bert";
    current = null;
    let tokenizer;
    try {
      if (!ready.has(kind)) showLoading(kind);
      tokenizer = ready.get(kind) ?? (await load(kind));
    } catch (error) {
      if (mine === turn) showFailure(kind, error);
      return;
    }
    if (mine !== turn) return; // another choice was made while this one was loading
    current = { tokenizer, kind, encoding: kind === "bert" ? tokenizer.encodePair(text, settings.second) : tokenizer.encode(text), counts };
    ttv.drawTokens(panel("tokens"), tokenizer, current.encoding, kind, settings.word, (word) => {
      change({ word }, () => {});
    });
    drawWindows();
    drawVectors();
    letGo();
    ttv.focusScrollers();
  }

  // Draw where each tokenizer cuts the text, from the page's own data until the reader changes something.
  // isCounted: count the tokens of a long text as well
  function drawCuts(isCounted = false) {
    const text = readText();
    const start = ttv.unicode.beginning(text, MAX_CUT);
    control("cut-note").hidden = start === text;
    const kinds = radios("tokenizer").map(({ value }) => value);
    const known = text === ttv.first.text ? Object.values(ttv.first.rows) : [];
    const rows = kinds.map((kind, i) => (ready.has(kind) ? ttv.cuts.cut(kind, ready.get(kind), start) : known[i] ?? null));
    const counted = (kind, row) => (start === text ? row.length : isCounted ? ready.get(kind).encode(text).ids.length : null);
    ttv.cuts.draw(panel("cuts").querySelector(".ttv-cuts"), start, rows, rows.map((row, i) => row && counted(kinds[i], row)));
    if (start !== text && !isCounted) later("counts", COUNT_AFTER, () => drawCuts(true));
    // Those that are missing are loaded after the reader's first change.
    if (!hasChanged || isAsked || navigator.connection?.saveData) return;
    isAsked = true;
    for (const each of kinds) load(each).catch(() => {});
  }

  function drawWindows() {
    if (!current) return;
    const isBert = current.kind === "bert";
    document.querySelector(".ttv-sizes").hidden = isBert;
    const why = "BERT reads a whole text at once and learns to fill gaps in it, so nobody cuts windows with next tokens for it. Choose another tokenizer to see windows.";
    if (isBert) panel("windows").replaceChildren(ttv.dom.note(why));
    else ttv.drawWindows(panel("windows"), current.tokenizer, current.encoding.ids, settings);
    tellSoon();
  }

  const NOTES = {
    random: "Random numbers, as in a new model; a row has only these eight. Up is positive, down is negative.",
    trained: "Trained rows of all-MiniLM-L6-v2, a small BERT: 8 of 384 numbers.",
  };
  const N_ROWS = 32; // tokens
  const tables = new Map();

  // The tables of a model; of BERT with its own positions the trained ones, once they are loaded.
  async function tablesOf({ kind, tokenizer }, positions) {
    const key = `${kind} ${positions}`;
    if (tables.has(key)) return tables.get(key);
    const hasTrained = kind === "bert" && positions === "learned";
    if (hasTrained) vectorStage.replaceChildren(ttv.dom.note(`Loading the trained rows (${Math.ceil(ttv.files.rows.size / 1000)} kB) …`));
    const rows = hasTrained ? await ttv.vocabularies.load("rows") : {};
    if (positions === "sinusoidal") rows.position = Array.from({ length: N_ROWS }, (_, place) => ttv.vectors.sinusoid(place, 8));
    const position = positions === "learned" ? { gpt2: 1024, bert: 512 }[kind] : undefined; // in the published models
    const of = { token: tokenizer.nVocab, ...(kind === "bert" ? { segment: 2 } : {}), position };
    const made = hasTrained ? { d: 384, digits: 3, isTrained: true, note: NOTES.trained } : { d: 8, digits: 2, most: 4, note: NOTES.random };
    tables.set(key, { kind, of, rows, ...made });
    return tables.get(key);
  }

  const vectorSaid = ttv.dom.element("p", { class: "ttv-live-said" });
  const vectorStage = ttv.dom.element("div", {});
  const drawSums = ttv.sums(vectorStage, {
    n: N_ROWS,
    say: (sentence) => {
      vectorSaid.textContent = sentence;
      later("tell", TELL_AFTER, () => (control("status").textContent = sentence));
    },
    choose: (token) => change({ token }, () => {}),
  });
  const [sumNode] = vectorStage.children;

  async function drawVectors() {
    const mine = current;
    if (!mine) return;
    const { tokenizer, encoding: { ids, segmentIds } } = mine;
    const { positions } = settings;
    panel("vectors").replaceChildren(vectorStage, vectorSaid);
    try {
      const model = await tablesOf(mine, positions);
      if (mine !== current || positions !== settings.positions) return;
      const tokens = ids.slice(0, N_ROWS).map((id, i) => ({ id, shown: tokenizer.show(id), segment: segmentIds?.[i] }));
      vectorStage.replaceChildren(sumNode);
      drawSums(tokens, model, { all: ids.length, at: settings.token });
      tellSoon();
    } catch (error) {
      vectorStage.replaceChildren(ttv.dom.note(`The rows could not be loaded: ${error.message}.`));
    }
  }

  // Tell the counts when the reader pauses, not with every key.
  function tellSoon() {
    later("tell", TELL_AFTER, () => {
      if (!current) return;
      const { plural } = ttv.dom;
      const { counts, encoding } = current;
      const nWindows = ttv.windows.windowCount(encoding.ids.length, settings.context, settings.stride);
      const parts = [plural(counts.characters, "character"), plural(counts.bytes, "byte"), plural(encoding.ids.length, "token")];
      if (current.kind !== "bert") parts.push(plural(nWindows, "window"));
      control("status").textContent = parts.join(", ");
    });
  }

  // ------------------------------------------------------------------- loading

  // Tokenizers that are there: drawing with them need not wait.
  const ready = new Map();

  // What could not be loaded, and why: it is not asked for again with every key, the reader says when.
  const failed = new Map();

  let isAsked = false; // all have been asked for

  async function load(kind) {
    if (failed.has(kind)) throw failed.get(kind);
    try {
      if (!ready.has(kind)) ready.set(kind, await ttv.vocabularies.load(kind));
    } catch (error) {
      failed.set(kind, error);
      throw error;
    } finally {
      drawCuts();
    }
    return ready.get(kind);
  }

  function showLoading(kind) {
    const { element, note } = ttv.dom;
    // What is below them stays where it is meanwhile.
    for (const place of places) place.style.minHeight = `${place.offsetHeight}px`;
    const text = `Loading ${LOADING[kind]} (${Math.ceil(ttv.files[kind].size / 1000)} kB) …`;
    panel("tokens").replaceChildren(element("div", { class: "ttv-loading" }, note(text), element("progress", { "aria-label": text })));
    for (const name of ["windows", "vectors"]) panel(name).replaceChildren(note("Waiting for the tokens."));
  }

  function showFailure(kind, error) {
    const { element } = ttv.dom;
    const retry = element("button", { type: "button", class: "ttv-button" }, "Try again");
    retry.addEventListener("click", () => {
      failed.delete(kind);
      drawAll().then(() => panel("tokens").querySelector("button, [tabindex='0']").focus());
    });
    const message = `${LOADING[kind][0].toUpperCase()}${LOADING[kind].slice(1)} could not be loaded: ${error.message}.`;
    panel("tokens").replaceChildren(element("div", { class: "ttv-failure", role: "alert" }, element("p", {}, message), retry));
    for (const name of ["windows", "vectors"]) panel(name).replaceChildren(ttv.dom.note("This needs the tokens."));
    letGo();
  }

  // --------------------------------------------------------------------- begin

  for (const each of document.querySelectorAll(".ttv-panel")) each.hidden = false;
  settings = ttv.link.read(location.hash) ?? settings;
  fillControls();
  listen();
  updateLink();
  drawAll();
})();
