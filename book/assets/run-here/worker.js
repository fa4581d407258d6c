// Python in a worker of its own: loads Pyodide from the site, and runs cells for page.js.
//
// Python's memory is one array. The worker keeps a copy of it from before a cell and puts it back
// afterwards, so that each run begins as if the cells before it had just been run, whatever the run
// has changed: variables, modules, `check` itself.

const FOLDER = new URL(".", self.location.href);
const VERSION = self.location.search;
const LONGEST = 100_000; // characters of output that a run may show
const GROWTH = 512 * 2 ** 20; // bytes that a run may leave behind before the worker must go

let python = null; // a promise of what `load` returns
let base = null; // memory before any cell of the page
let prepared = []; // the cells that were run before the reader's
let before = null; // memory after them

const post = (kind, more = {}) => self.postMessage({ kind, ...more });

async function fetched(file, told) {
  const response = await fetch(new URL(`files/${file}`, FOLDER));
  if (!response.ok) throw new Error(`${file}: ${response.status}`);
  const parts = [];
  for (let reader = response.body.getReader(), part; !(part = await reader.read()).done; ) {
    parts.push(part.value);
    told(part.value.length);
  }
  const blob = new Blob(parts);
  const start = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  // Some servers say of such files that they are compressed; then the browser has unpacked them.
  const isPacked = start[0] === 0x1f && start[1] === 0x8b;
  return isPacked ? new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).blob() : blob;
}

// Tell how much of something has come.
function counter(name, size) {
  let loaded = 0;
  return (more) => post("progress", { name, part: Math.min((loaded += more) / size, 1) });
}

async function load() {
  const answer = await fetch(new URL(`files/files.json${VERSION}`, FOLDER));
  const { files, large, lock, size } = await answer.json();
  large.file = files[large.name];
  delete files[large.name];
  const told = counter("Python", size);
  const names = Object.keys(files);
  const contents = await Promise.all(names.map((name) => fetched(files[name], told)));
  const urls = Object.fromEntries(
    names.map((name, i) => {
      const type = name.endsWith("mjs") ? "text/javascript" : name.endsWith("wasm") ? "application/wasm" : "";
      return [name, URL.createObjectURL(new Blob([contents[i]], { type }))];
    }),
  );
  post("state", { text: "Starting Python" });
  const fetchFromServer = self.fetch;
  self.fetch = (url, options) =>
    fetchFromServer(String(url).endsWith("/pyodide.asm.wasm") ? urls["pyodide.asm.wasm"] : url, options);
  const { loadPyodide } = await import(urls["pyodide.mjs"]);
  const { default: createPyodideModule } = await import(urls["pyodide.asm.mjs"]);
  const pyodide = await loadPyodide({
    createPyodideModule,
    indexURL: new URL("files/", FOLDER).href,
    stdLibURL: urls["python_stdlib.zip"],
    lockFileContents: lock,
    packageBaseUrl: FOLDER.href,
    stdin: () => null,
    env: { HOME: "/home/reader", PYTHONHASHSEED: "0" },
  });
  pyodide.unpackArchive(await contents[names.indexOf("companion.whl")].arrayBuffer(), "whl");
  // WebKit ends a worker only where its code looks up now and then; with a buffer Python does.
  pyodide.setInterruptBuffer(new Uint8Array(1));
  pyodide.setStdout({ write });
  pyodide.setStderr({ write });
  pyodide.runPython(await contents[names.indexOf("runner.py")].text(), { filename: "runner.py" });
  const folder = pyodide.runPython("import companion; companion.__path__[0]");
  for (const url of Object.values(urls)) URL.revokeObjectURL(url);
  self.fetch = fetchFromServer;
  base = before = pyodide._module.HEAPU8.slice();
  return {
    memory: () => pyodide._module.HEAPU8,
    large,
    write: (content) => pyodide.FS.writeFile(`${folder}/data/${large.name}`, content),
    prepare: pyodide.globals.get("prepare"),
    run: pyodide.globals.get("run"),
  };
}

// ------------------------------------------------------------------------------ output

let decoder, waiting, shown, dropped, writes, sent;

function listen() {
  decoder = new TextDecoder();
  [waiting, shown, dropped, writes, sent] = ["", 0, 0, 0, 0];
}

function write(bytes) {
  if (shown >= LONGEST) {
    dropped += bytes.length;
    return bytes.length;
  }
  const text = decoder.decode(bytes, { stream: true });
  const kept = text.slice(0, LONGEST - shown);
  shown += kept.length;
  dropped += text.length - kept.length;
  waiting += kept;
  writes += 1;
  // The first lines at once; of a flood, twenty pieces a second.
  if (writes < 200 || shown >= LONGEST || performance.now() - sent > 50) send();
  return bytes.length;
}

function send() {
  if (waiting) post("output", { text: waiting });
  waiting = "";
  sent = performance.now();
}

// ------------------------------------------------------------------------------ runs

function restore({ memory }, saved) {
  memory().set(saved);
  memory().fill(0, saved.length);
}

function prepare(machine, cells) {
  const isLonger = prepared.every((cell, i) => cell === cells[i]);
  if (isLonger && cells.length === prepared.length) return;
  post("state", { text: "Running the cells before" });
  if (!isLonger) restore(machine, base);
  listen();
  for (const cell of cells.slice(isLonger ? prepared.length : 0)) machine.prepare(cell);
  prepared = cells;
  before = machine.memory().slice();
}

// The vocabulary of GPT-4o, which few cells need.
async function addLarge({ large, write }) {
  if (large.isThere) return;
  const blob = await fetched(large.file, counter("the vocabulary of GPT-4o", large.size));
  write(new Uint8Array(await blob.arrayBuffer()));
  large.isThere = true;
}

async function run({ cells, code, large, passed }) {
  let machine;
  try {
    machine = await (python ??= load());
    if (large) await addLarge(machine);
  } catch (error) {
    post("broken", { text: `Python could not be loaded (${error.message}).` });
    return;
  }
  try {
    prepare(machine, cells);
    post("state", { text: "Running" });
    listen();
    const began = performance.now();
    const [result, ...names] = machine.run(code, passed.join(" ")).split(" ");
    const seconds = (performance.now() - began) / 1000;
    send();
    const isSpent = machine.memory().length > before.length + GROWTH;
    if (!isSpent) restore(machine, before);
    post("done", { ok: result === "ok", passed: names, dropped, seconds, isSpent });
  } catch (error) {
    send();
    // What the machine says of it is for us; for the reader it is one of two things.
    console.debug(error);
    const isDeep = error instanceof RangeError || /recursion|stack/i.test(error.message);
    const why = isDeep ? "functions call each other too deep for a browser" : "this code has broken it";
    post("broken", { text: `Python had to stop: ${why}.` });
  }
}

let last = Promise.resolve();
self.addEventListener("message", ({ data }) => {
  last = last.then(() => run(data));
});
