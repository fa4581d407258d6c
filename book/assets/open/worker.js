// Python in a worker of its own, which opens tokenizers for page.js: opener.py does it.
//
// It answers one message at a time. What it opened stays in Python's memory until something else is
// opened in its place, or the worker ends.
const FOLDER = new URL(".", self.location.href);
const VERSION = self.location.search;
const post = (kind, more = {}) => self.postMessage({ kind, ...more });

let python = null; // a promise of what `load` returns

async function load() {
  const { loadPython } = await import(new URL(`../run-here/python.js${VERSION}`, FOLDER));
  const { pyodide } = await loadPython(post);
  const source = await fetch(new URL(`opener.py${VERSION}`, FOLDER));
  if (!source.ok) throw new Error(`opener.py: ${source.status}`);
  post("state", { text: "Starting Python" });
  pyodide.runPython(await source.text(), { filename: "opener.py" });
  const call = (name, ...values) => JSON.parse(pyodide.globals.get(name)(...values) ?? "null");
  return { FS: pyodide.FS, call };
}

// Put files into Python's file system, and let it read them.
async function open({ FS, call }, { slot, folder, files, own, name }) {
  call("close", slot);
  const path = `/opened/${slot}/${folder}`;
  FS.mkdirTree(path);
  post("state", { text: "Reading the files" });
  if (own) call("write_own", own, path);
  for (const { name, blob } of files) FS.writeFile(`${path}/${name}`, new Uint8Array(await blob.arrayBuffer()));
  return call("open_files", slot, path, name);
}

async function answer(message) {
  let machine;
  try {
    machine = await (python ??= load());
  } catch (error) {
    return post("broken", { text: `Python could not be loaded (${error.message}).` });
  }
  post("busy");
  try {
    const value = message.files ? await open(machine, message) : machine.call(message.ask, ...message.values);
    post("answer", { value });
  } catch (error) {
    console.debug(error);
    const isFull = error instanceof RangeError || /memory/i.test(error.message);
    const why = isFull ? "there is no memory left for them in this browser" : `they end in ${error.message.split("\n").at(-2) ?? error}`;
    post("broken", { text: `Python had to stop at these files: ${why}.` });
  }
}

self.addEventListener("message", ({ data }) => answer(data));
