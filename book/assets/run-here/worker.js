// Python in a worker of its own, which python.js loads: runs cells for page.js.
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

// What a reader runs must not end the worker: the next run would wait for it.
self.close = () => {};

const post = (kind, more = {}) => self.postMessage({ kind, ...more });

async function load() {
  const { loadPython } = await import(new URL(`python.js${VERSION}`, FOLDER));
  const { pyodide, runner } = await loadPython(post);
  pyodide.setStdout({ write: (bytes) => write(bytes, false) });
  pyodide.setStderr({ write: (bytes) => write(bytes, true) });
  pyodide.runPython(runner, { filename: "runner.py" });
  base = before = pyodide._module.HEAPU8.slice();
  return {
    memory: () => pyodide._module.HEAPU8,
    prepare: pyodide.globals.get("prepare"),
    run: pyodide.globals.get("run"),
  };
}

// ------------------------------------------------------------------------------ output

let decoder = null;
let left = 0; // characters that may still be shown

function listen() {
  decoder = new TextDecoder();
  left = LONGEST;
}

function write(bytes, isError) {
  const text = decoder.decode(bytes, { stream: true });
  if (left > 0) post("output", { text: text.slice(0, left), isError });
  if (left >= 0 && text.length > left) post("output", { text: `\n… the output is cut here, after ${LONGEST.toLocaleString("en")} characters` });
  left -= text.length;
  return bytes.length;
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

async function run({ cells, code, passed }) {
  let machine;
  try {
    machine = await (python ??= load());
  } catch (error) {
    post("broken", { text: `Python could not be loaded (${error.message}).` });
    return;
  }
  try {
    prepare(machine, cells);
    post("state", { text: "Running" });
    listen();
    const began = performance.now();
    const ok = machine.run(code, passed.join(" "));
    const seconds = (performance.now() - began) / 1000;
    const isSpent = machine.memory().length > before.length + GROWTH;
    if (!isSpent) restore(machine, before);
    post("done", { ok, seconds, isSpent });
  } catch (error) {
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
