// Open a tokenizer: which files, which text, and what worker.js says of them. Nothing is sent anywhere.
(() => {
  "use strict";
  const ttv = globalThis.TextToVectors;
  const FOLDER = document.currentScript.src.replace(/[^/]*$/, "");
  const OWN = { gpt2: "GPT-2", o200k: "GPT-4o", bert: "BERT" };
  const LIMIT = 40e6; // bytes of files that are read whole
  const LARGE = 20e6;
  const LONGEST = 100_000; // characters of the text
  const PATIENCE = 60_000; // milliseconds for what Python does with one file
  const TABLES = ["tokenizer.json", "vocab.json", "merges.txt", "vocab.txt", "tokenizer.model"];
  const BESIDE = ["tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "config.json",
    "generation_config.json", "chat_template.jinja", "sentence_bert_config.json"]; // prettier-ignore
  const COMMAND = "python -m inspector FOLDER";

  const $ = (id) => document.getElementById(`ttv-open-${id}`);
  // Of each tokenizer: {name, folder, files, own, file}, and what Python said of it: {nIds, refusal},
  // {stages, text} and {found}. `files` is null once Python has read them.
  const slots = [null, null];
  let difference = null; // of the ids of two: {at, n, texts}
  let version = "";
  let worker = null;
  let waiting = null; // for an answer of the worker: {resolve, reject}
  let isWorking = false;
  let busy = 0; // the tokenizer that Python works at
  let late = null; // the timer of PATIENCE

  // ---------------------------------------------------------------- files

  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

  // What Python gets of a file: all, of weights the header alone, of others nothing but the name.
  async function part(file, isAlone) {
    if (file.name.endsWith(".safetensors") && file.size > 8) {
      const length = new DataView(await file.slice(0, 8).arrayBuffer()).getBigUint64(0, true);
      return file.slice(0, 8 + Math.min(Number(length), 1e7));
    }
    return isAlone || TABLES.includes(file.name) || BESIDE.includes(file.name) ? file : file.slice(0, 0);
  }

  async function choose(index, files, folder = "") {
    if (!files.length) return undefined;
    $("rows").ariaBusy = "true";
    const isFolder = folder !== "" || files.length > 1 || TABLES.includes(files[0].name);
    const parts = await Promise.all(files.map(async (file) => ({ name: file.name, blob: await part(file, !isFolder) })));
    const size = parts.reduce((sum, { blob }) => sum + blob.size, 0);
    const name = folder || (files.find((file) => TABLES.includes(file.name)) ?? files[0]).name;
    const refusal = `${name} has ${megabytes(size)}, and this page opens up to ${megabytes(LIMIT)}. ${COMMAND} opens any size.`;
    if (size > LIMIT) return put(index, { name, refusal });
    const warning = size > LARGE ? `${megabytes(size)} take a while, and much memory.` : "";
    return put(index, { name, folder: folder || "FOLDER", files: parts, own: "", file: isFolder ? "" : name, warning });
  }

  const chooseOwn = (index, own) => put(index, { name: OWN[own], folder: own, files: [], own, file: "" });

  function put(index, slot) {
    slots[index] = { ...slot, source: slot };
    draw();
    work();
  }

  // A folder is dropped as a directory, whose own files are taken.
  async function drop(index, transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const folder = entries.find((entry) => entry.isDirectory);
    if (!folder) return choose(index, [...transfer.files]);
    const reader = folder.createReader();
    const found = [];
    for (let some; (some = await new Promise((...two) => reader.readEntries(...two))).length; ) found.push(...some);
    const files = found.filter((entry) => entry.isFile).map((entry) => new Promise((...two) => entry.file(...two)));
    return choose(index, await Promise.all(files), folder.name);
  }

  // ---------------------------------------------------------------- Python

  function ask(message) {
    if (!worker) {
      worker = new Worker(`${FOLDER}worker.js?v=${version}`, { type: "module" });
      worker.onmessage = ({ data }) => heard(data);
      worker.onerror = () => stop("Python could not be started in this browser.");
      wait("Loading Python");
    }
    const slow = setTimeout(() => $("work").hidden && wait("Working"), 300);
    return new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      worker.postMessage(message);
    }).finally(() => (clearTimeout(slow), clearTimeout(late)));
  }

  function heard({ kind, text, name, part, value }) {
    if (kind === "progress") wait(`Loading ${name}: ${Math.round(100 * part)} %`, part);
    else if (kind === "state") wait(text);
    else if (kind === "broken") stop(text, busy);
    else if (kind === "busy") late = setTimeout(stop, ttv.patience ?? PATIENCE, "This took too long and was stopped.", busy);
    else waiting.resolve(value);
  }

  // Python ends, and with it what it had opened; if one file is the reason, the other is opened again.
  function stop(why, only = null) {
    worker?.terminate();
    worker = null;
    slots.forEach((slot, i) => {
      const isLost = only === null || only === i || !slot?.source;
      slots[i] = slot && (isLost ? { name: slot.name, refusal: why } : { ...slot.source, source: slot.source });
    });
    waiting?.reject(stop);
    waiting = null;
    draw();
  }

  // Do what is to be done, one thing after the other: the newest text comes before the findings.
  async function work() {
    if (isWorking) return;
    isWorking = true;
    $("rows").ariaBusy = "true";
    do {
      try {
        while (await step()) draw();
      } catch (error) {
        if (error !== stop) throw error;
      }
    } while (slots.some((slot) => slot?.files));
    isWorking = false;
    $("rows").ariaBusy = "false";
    wait(null);
  }

  async function step() {
    const text = $("text").value.slice(0, LONGEST);
    const find = (test) => [...slots.entries()].find(([, slot]) => slot && test(slot)) ?? [];
    const [opening, next] = find((slot) => slot.files);
    if (next) {
      const { folder, files, own, file } = next;
      busy = opening;
      const { n_ids: nIds, ...answer } = await ask({ slot: opening, folder, files, own, name: file });
      const said = answer.refusal ? `${next.name} cannot be opened.` : `${next.name} is open.`;
      Object.assign(next, { files: null, nIds, isRead: "file" in answer, refusal: answer.refusal });
      $("said").textContent = said;
      return true;
    }
    const [old, stale] = find((slot) => slot.nIds && slot.text !== text);
    if (stale) {
      [difference, busy] = [null, old];
      return Object.assign(stale, { stages: await ask({ ask: "encode", values: [old, text] }), text });
    }
    if (!difference && slots.every((slot) => slot?.stages)) return (difference = await ask({ ask: "difference", values: [] }));
    const [unseen, slot] = find((each) => each.isRead && !each.found);
    if (!slot) return false;
    wait(`Inspecting ${slot.name}`);
    busy = unseen;
    return (slot.found = await ask({ ask: "inspect", values: [unseen] }));
  }

  // ---------------------------------------------------------------- the page

  function wait(text, part = null) {
    $("work").hidden = text === null;
    $("state").textContent = text ?? "";
    if (part === null) $("progress").removeAttribute("value");
    else $("progress").value = part;
  }

  function draw() {
    const { count, element } = ttv.dom;
    const shown = slots.filter((slot) => slot?.stages);
    $("second").hidden = !slots[0];
    $("line-1").hidden = !slots[1];
    $("long").hidden = $("text").value.length <= LONGEST;
    slots.forEach((slot, i) => {
      const line = $(`line-${i}`);
      line.classList.toggle("ttv-failure", Boolean(slot?.refusal));
      const state = slot?.refusal || [slot?.nIds ? `${count(slot.nIds)} ids.` : "opening.", slot?.warning].join(" ");
      line.replaceChildren(...(slot ? [element("bdi", {}, element("strong", {}, slot.name)), `: ${state}`] : []));
    });
    if (shown.length) ttv.rows.drawRows($("rows"), shown, shown.length > 1 ? difference : null);
    else $("rows").replaceChildren(ttv.dom.note("No tokenizer is open yet."));
    const inspected = slots.filter((slot) => slot?.found);
    const found = inspected.flatMap((slot) => ttv.rows.findingsOf(slot.name, slot.found));
    $("verdict").replaceChildren(...inspected.map((slot) => ttv.rows.verdictOf(slot.name, slot.found)));
    $("found").replaceChildren(...(found.length ? found : [ttv.dom.note("Nothing is inspected yet.")]));
  }

  function chooser() {
    const { element } = ttv.dom;
    const index = () => ($("compare").checked && slots[0] ? 1 : 0);
    const button = (text, action) => {
      const made = element("button", { type: "button", class: "ttv-button" }, text);
      made.addEventListener("click", action);
      return made;
    };
    const fields = [["Choose files", "multiple"], ["Choose a folder", "webkitdirectory"]].map(([text, kind]) => {
      const input = element("input", { type: "file", hidden: true, [kind]: true, "aria-label": text });
      input.addEventListener("change", async () => {
        const files = [...input.files].filter(({ webkitRelativePath: path }) => path.split("/").length < 3);
        await choose(index(), files, files[0]?.webkitRelativePath.split("/")[0]);
        input.value = "";
      });
      return [button(text, () => input.click()), input];
    });
    const own = Object.entries(OWN).map(([key, name]) => button(name, () => chooseOwn(index(), key)));
    return element("div", { class: "ttv-examples", role: "group", "aria-label": "Tokenizer" }, ...fields.flat(), ...own);
  }

  async function start() {
    const says = (text) => $("how").replaceChildren(text);
    if (location.protocol === "file:") {
      return says(`A page that is opened from a disk cannot run Python: run make serve, or ${COMMAND}.`);
    }
    const answer = await fetch(`${FOLDER}../run-here/version.txt`, { cache: "no-cache" }).catch(() => null);
    version = answer?.ok ? await answer.text() : "";
    if (!version) {
      return says(`This copy of the book was built without Python for its pages (make book fetches it with npm). ${COMMAND} does the same.`);
    }
    $("line-0").before(chooser());
    $("compare").addEventListener("change", ({ target }) => {
      if (!target.checked) slots[1] = difference = null;
      draw();
    });
    $("text").addEventListener("input", work);
    $("stop").addEventListener("click", () => stop("Stopped. Choose it again to open it."));
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      drop($("compare").checked && slots[0] ? 1 : 0, event.dataTransfer);
    });
    for (const panel of document.querySelectorAll(".ttv-panel[hidden]")) panel.hidden = false;
    // A link of a chapter has its example: #tokenizer=bert&text=rabbit.
    const given = new URLSearchParams(location.hash.slice(1));
    $("text").value = given.get("text") ?? $("text").value;
    if (Object.hasOwn(OWN, given.get("tokenizer"))) return chooseOwn(0, given.get("tokenizer"));
    // GPT-2 is there from the build; Python is loaded with the reader's first change.
    const source = { name: OWN.gpt2, folder: "gpt2", files: [], own: "gpt2", file: "" };
    if ($("text").value === ttv.opened.text) slots[0] = { ...source, source, ...ttv.opened };
    return draw();
  }

  document.addEventListener("DOMContentLoaded", start);
})();
