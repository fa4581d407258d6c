// The cells of a page that wait for their turn, and the worker that runs them (worker.js). page.js loads
// this when the first cell is run.
const FOLDER = new URL(".", import.meta.url).href;
const { version } = document.querySelector(".ttv-run-how").dataset;
const queue = []; // cells that wait, the first of them running
let worker = null;
let clock = 0; // shows how long a cell has been running

export function start(cell) {
  if (queue.includes(cell)) return;
  const hadFocus = document.activeElement === cell.run;
  cell.begin();
  cell.working(true);
  if (hadFocus) cell.stop.focus({ preventScroll: true });
  cell.tell(queue.length ? "Waiting" : "Loading Python");
  cell.said.textContent = "";
  queue.push(cell);
  if (queue.length === 1) next();
}

function next() {
  const [cell] = queue;
  if (!cell) return;
  if (!worker) {
    worker = new Worker(`${FOLDER}worker.js?v=${version}`, { type: "module" });
    worker.onmessage = ({ data }) => heard(data);
    worker.onerror = () => fail("Python could not be started in this browser.");
  }
  worker.postMessage(cell.asked);
}

function heard(message) {
  const [cell] = queue;
  if (!cell) return;
  if (message.kind !== "output") clearInterval(clock);
  if (message.kind === "progress") {
    cell.wait(`Loading ${message.name} ${Math.round(100 * message.part)} %`, message.part);
  } else if (message.kind === "state") {
    cell.wait(message.text);
    if (message.text !== "Running") return;
    cell.progress.hidden = true;
    let seconds = 0;
    clock = setInterval(() => cell.tell(`Running, ${(seconds += 1)} s`), 1000);
  } else if (message.kind === "output") {
    cell.print(message.text, message.isError);
  } else if (message.kind === "done") {
    if (message.isSpent) end();
    done(cell, message);
  } else if (message.kind === "broken") {
    fail(message.text);
  }
}

function done(cell, { ok, seconds }) {
  queue.shift();
  const end = ok ? "Done" : "Error";
  const lines = cell.printed.trim().split("\n");
  const text = (ok ? lines.slice(0, 5).join("\n") : lines.at(-1)).slice(0, 400);
  cell.finish(`${end} (${seconds.toFixed(1)} s)`, `${end}. ${text}`);
  cell.done();
  next();
}

// Whatever went wrong, the next run begins with a new worker.
function fail(text) {
  end();
  const cell = queue.shift();
  cell?.print(`${text} Press Run to try again.\n`, true);
  cell?.finish("Not run", text);
  next();
}

export function stop(cell) {
  const i = queue.indexOf(cell);
  if (i < 0) return;
  queue.splice(i, 1);
  cell.finish("Stopped");
  if (i > 0) return;
  end();
  next();
}

function end() {
  clearInterval(clock);
  worker?.terminate();
  worker = null;
}
