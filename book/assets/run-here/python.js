// Loads Python into a worker, from the site: Pyodide, and the package as a wheel.
const FOLDER = new URL(".", import.meta.url);
const VERSION = new URL(import.meta.url).search;

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

// Return Python, and the text of runner.py. `post` is told how much has come.
export async function loadPython(post) {
  const answer = await fetch(new URL(`files/files.json${VERSION}`, FOLDER));
  const { files, large, lock, size } = await answer.json();
  let loaded = 0;
  const told = (more) => post("progress", { name: "Python", part: Math.min((loaded += more) / size, 1) });
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
  for (const url of Object.values(urls)) URL.revokeObjectURL(url);
  self.fetch = fetchFromServer;
  const content = (name) => contents[names.indexOf(name)];
  pyodide.unpackArchive(await content("packages.whl").arrayBuffer(), "whl");
  // WebKit ends a worker only where its code looks up now and then; with a buffer Python does.
  pyodide.setInterruptBuffer(new Uint8Array(1));
  const folder = pyodide.runPython("import companion; companion.__path__[0]");
  // What few need comes when it is first opened, while Python waits.
  const { FS } = pyodide;
  const open = FS.open;
  FS.open = (path, ...more) => {
    const name = String(path).replace(`${folder}/data/`, "");
    if (Object.hasOwn(large, name)) {
      post("state", { text: `Loading ${large[name].about}, ${large[name].size}` });
      const request = new XMLHttpRequest();
      request.open("GET", new URL(`files/${large[name].file}`, FOLDER), false);
      request.responseType = "arraybuffer";
      try {
        request.send();
      } catch (error) {
        console.debug(error);
      }
      if (request.status !== 200) throw new FS.ErrnoError(29); // an error of input or output
      delete large[name];
      FS.writeFile(path, new Uint8Array(request.response));
      post("state", { text: "Running" });
    }
    return open(path, ...more);
  };
  return { pyodide, runner: await content("runner.py").text() };
}
