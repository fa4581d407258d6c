// An editor for each cell of a page that can be run in the page; runs.js runs them.
// run_here.py marks these cells, and says what must be run before each.
(() => {
  "use strict";
  const FOLDER = document.currentScript.src.replace(/[^/]*$/, "");
  const FORGET = "Delete everything that you have typed into the cells of this book, and which exercises you have passed?";
  const FILE = "my_file.py";
  const STORE = "text-to-vectors run ";
  const ANSWER = "text-to-vectors answer "; // for each exercise the cell as it last passed, and by which checker
  const COUNT = "text-to-vectors exercises "; // for each page how many it has; book.js reads both
  const FROM_DISK = "The cells of this page can run where the book comes from a server (run make serve), or in Colab.";

  // What the book colours in Python; the names are those of Pygments.
  const PYTHON = /(?<c1>#.*)|(?<s>(?:\b[bfruBFRU]{1,2})?(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|\b(?<k>and|as|assert|async|await|break|class|continue|def|del|elif|else|except|False|finally|for|from|global|if|import|in|is|lambda|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield)\b|\b(?<mi>\d[\w.]*)/g;

  let slot = null; // what is said at the first run, with the addresses of what is needed
  let cells = [];
  let runs = null; // a promise of runs.js, once a cell has been run

  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const coloured = (code) => {
    const parts = [];
    let end = 0;
    for (const { 0: text, index, groups } of code.matchAll(PYTHON)) {
      const className = Object.keys(groups).find((name) => groups[name] !== undefined);
      parts.push(code.slice(end, index), make("span", { className, textContent: text }));
      end = index + text.length;
    }
    return [...parts, code.slice(end)];
  };
  const button = (text, action, more = {}) =>
    make("button", { type: "button", className: "ttv-run-button", textContent: text, onclick: action, ...more });

  const tried = (action, otherwise = null) => {
    try {
      return action();
    } catch {
      return otherwise;
    }
  };
  // What is kept in this browser; where its store is closed, as long as the page is open.
  const kept = tried(() => localStorage, {});
  const keysOf = (...beginnings) => Object.keys(kept).filter((key) => beginnings.some((each) => key.startsWith(each)));
  const keep = (key, text) => tried(() => (kept[key] = text)); // it may be full

  // The exercises that were passed in this browser.
  const passed = () => keysOf(ANSWER).map((key) => key.slice(ANSWER.length));

  // The answers that passed. Where the page would go on with our version, it goes on with the reader's.
  const answers = {
    read(name) {
      return tried(() => {
        const { code, checker } = JSON.parse(kept[ANSWER + name]); // fails if there is none
        // Without what hands it in.
        const bare = code.replace(/^(from workbook import check|(\w+ *= *)?check\(.*\)) *(\n|$)/gm, "").trim();
        return { code, bare, checker };
      });
    },
    keep(name, code) {
      keep(ANSWER + name, JSON.stringify({ code, checker: slot.turns[name]?.checker }));
      keep(COUNT + slot.dataset.page.split("/").at(-1), cells.filter(({ isAnswer }) => isAnswer).length);
      refresh();
    },
    // Of our versions in some code, those that the reader has too, in order.
    in(code) {
      const found = Object.entries(slot.turns).map(([name, turn]) => ({ name, ...turn, hers: this.read(name) }));
      return found
        .map((turn) => ({ ...turn, at: code.indexOf(turn.ours) }))
        .filter(({ at, hers }) => at >= 0 && hers)
        .sort((one, other) => one.at - other.at);
    },
    show(code) {
      return this.in(code).reduce((text, { ours, hers }) => text.replace(ours, () => hers.bare), code);
    },
    // What runs before a cell. On another page, which may lack something that she uses, and where the
    // checker is another one, it is asked again; then what comes back is ours if hers is not right.
    run(piece) {
      for (const [name, { definition, ours, checker, isHere }] of Object.entries(slot.turns)) {
        const hers = this.read(name);
        if (!hers) continue;
        const isSure = isHere && hers.checker === checker;
        const code = `${hers.bare}\n${isSure ? "" : `${definition} = check("${name}", ${definition})\n`}`;
        if (piece.includes(`= check("${name}", `)) return code;
        piece = piece.replace(ours, () => code);
      }
      return piece;
    },
  };

  function showProgress() {
    const stubs = cells.filter(({ isAnswer }) => isAnswer);
    const right = stubs.filter(({ id }) => passed().includes(id));
    for (const cell of stubs) cell.exercise?.classList.toggle("ttv-passed", right.includes(cell));
    document.querySelector(".ttv-progress")?.remove();
    const textContent = `${right.length} of ${stubs.length} passed in this browser`;
    const line = make("p", { className: "ttv-progress", textContent });
    if (right.length) stubs[0].box.closest("section").querySelector("h2, h3").after(line);
    document.dispatchEvent(new Event("ttv-passed"));
  }

  class Cell {
    constructor(box) {
      this.box = box;
      this.id = box.dataset.run;
      this.isAnswer = box.classList.contains("tag_stub");
      this.exercise = this.isAnswer ? box.previousElementSibling : null;
      while (this.exercise && !this.exercise.matches(".exercise")) this.exercise = this.exercise.previousElementSibling;
      this.input = box.querySelector(".cell_input");
      this.output = box.querySelector(".cell_output"); // the page's own
      this.pre = this.input.querySelector("pre");
      this.plain = this.pre.textContent.replace(/\n$/, "");
      this.key = `${STORE}${slot.dataset.page} ${this.id}`;
      this.run = button("Run", () => start(this), { title: "Ctrl+Enter in the cell" });
      this.stop = button("Stop", () => stop(this), { hidden: true });
      this.reset = button("Reset", () => this.restore(), { hidden: true });
      this.progress = make("progress", { hidden: true, max: 1, ariaLabel: "Loading Python" });
      this.status = make("span", { className: "ttv-run-status" });
      this.said = make("span", { className: "ttv-run-said", role: "status" }); // for screen readers
      const bar = make("div", { className: "ttv-run-bar" });
      this.back = button("What passed", () => this.type(answers.read(this.id).code), { hidden: true });
      bar.append(this.run, this.stop, this.reset, this.back, this.status, this.progress, this.said);
      this.yours = make("p", { className: "ttv-run-yours", hidden: true });
      this.input.append(bar, this.yours);
      this.refresh();
    }

    // What is kept may have changed: in another tab, or while the reader was on another page.
    refresh() {
      this.hers = this.isAnswer ? [] : answers.in(this.plain);
      this.code = this.isAnswer ? this.plain : answers.show(this.plain);
      const text = kept[this.key] ?? this.code;
      if (!this.editor && (text !== this.code || this.isAnswer || this.hers.length)) this.edit(text);
      if (!this.editor) return;
      if (this.text !== text) this.editor.value = text;
      const names = this.hers.map(({ definition }) => definition).join(", ");
      this.yours.textContent = names && `Yours, marked: ${names}. The rest is ours.`;
      this.yours.hidden = !names;
      this.show();
    }

    type(text) {
      this.editor.value = text;
      this.editor.dispatchEvent(new Event("input"));
    }

    get text() {
      return this.editor ? this.editor.value : this.code;
    }

    // The field lies over the coloured code, letter on letter, and its own letters are not seen.
    edit(text) {
      const of = this.exercise?.querySelector(".admonition-title").textContent.trim();
      this.editor = make("textarea", {
        className: "ttv-run-editor", value: text, spellcheck: false, autocapitalize: "off",
        autocomplete: "off", wrap: "off", ariaLabel: of ? `Answer to ${of}` : "Code of this cell",
      });
      this.editor.setAttribute("aria-describedby", "ttv-run-keys");
      this.editor.addEventListener("input", () => {
        this.show();
        if (this.text === this.code) delete kept[this.key];
        else keep(this.key, this.text);
      });
      this.editor.addEventListener("keydown", (event) => key(event, this));
      this.original = [...this.pre.childNodes];
      this.shown = make("span", {}, ...this.original);
      this.pre.append(make("span", { className: "ttv-run-code" }, this.shown, this.editor));
      this.show();
    }

    show() {
      const parts = [];
      let rest = `${this.text}\n`;
      for (const { hers } of this.hers) {
        const [before, ...after] = rest.split(hers.bare);
        if (!after.length) continue;
        parts.push(...coloured(before), make("span", { className: "ttv-yours" }, ...coloured(hers.bare)));
        rest = after.join(hers.bare);
      }
      this.shown.replaceChildren(...(this.text === this.plain ? this.original : [...parts, ...coloured(rest)]));
      this.reset.hidden = this.text === this.code && !this.result;
      this.back.hidden = !this.isAnswer || (answers.read(this.id)?.code ?? this.text) === this.text;
    }

    // As the page has it.
    async restore() {
      await stop(this);
      delete kept[this.key];
      this.result?.remove();
      this.result = null;
      this.box.classList.remove("ttv-right");
      if (this.output) this.output.hidden = false;
      if (this.editor) {
        this.editor.value = this.code;
        this.show();
      }
      this.tell("");
      this.said.textContent = "Reset";
      this.run.focus();
    }

    // Until there is something new, what stands here stays, pale.
    begin() {
      if (!this.editor) this.edit(this.code);
      this.old = this.result ?? this.output;
      this.old?.setAttribute("inert", "");
      this.box.classList.remove("ttv-right");
      this.result = this.part = null;
      this.printed = "";
      this.ran = this.text;
    }

    replace() {
      if (this.result) return;
      this.old?.removeAttribute("inert");
      if (this.old === this.output) this.output?.setAttribute("hidden", "");
      else this.old.remove();
      this.result = make("div", {
        className: "cell_output ttv-run-output", hidden: true, tabIndex: 0, role: "group", ariaLabel: "Output",
      });
      (this.output ?? this.input).after(this.result);
    }

    // With the marks that the book gives to what a cell printed, and to an error.
    print(text, isError = false) {
      this.replace();
      this.result.hidden = false;
      this.printed += text;
      const kind = isError ? "traceback" : "stream";
      if (this.part?.kind !== kind) {
        const pre = make("pre");
        const className = `output ${kind} ttv-wrap highlight-none notranslate`;
        this.result.append(make("div", { className }, make("div", { className: "highlight" }, pre)));
        this.part = { kind, pre };
      }
      const { 0: name, index } = (isError && text.match(/^\w*(?:Error|Exception|Interrupt|Iteration)\b/m)) || {};
      if (!name) return this.part.pre.append(text);
      const marked = make("span", { className: "ne", textContent: name });
      return this.part.pre.append(text.slice(0, index), marked, text.slice(index + name.length));
    }

    tell(text) {
      this.status.textContent = text;
    }

    working(isWorking) {
      this.run.hidden = isWorking;
      this.stop.hidden = !isWorking;
      this.progress.hidden = true;
      this.reset.hidden = isWorking;
    }

    // How much of Python is loaded, from 0 to 1; without a number the bar moves until the next call.
    wait(text, part = null) {
      this.progress.hidden = false;
      if (part === null) this.progress.removeAttribute("value");
      else this.progress.value = part;
      this.tell(text);
    }

    finish(text, said = text) {
      const hadFocus = document.activeElement === this.stop;
      this.working(false);
      this.replace();
      if (hadFocus) this.run.focus({ preventScroll: true });
      this.tell(text);
      this.said.textContent = said;
    }

    // After a run.
    done() {
      const isRight = this.isAnswer && this.printed.includes(`${this.id}: right.\n`);
      this.box.classList.toggle("ttv-right", isRight);
      if (isRight) answers.keep(this.id, this.ran);
    }

    // What the worker is asked for.
    get asked() {
      return { cells: this.before(), code: this.ran, passed: passed() };
    }

    // What is run before this cell, with the reader's own functions in place of ours. Her file lies where
    // it is run and where it is checked, with the story beside it.
    before() {
      const own = (slot.plan.before[this.id] ?? []).map((i) => answers.run(slot.plan.pieces[i]));
      const file = cells.find(({ id }) => id === FILE);
      if (!file || !(this === file || this.plain.includes(FILE))) return own;
      const write = (name, text) => `with open("${name}", "w", encoding="utf-8") as file:\n    file.write(${text})\n`;
      return [`${write(FILE, JSON.stringify(file.text))}${write("story.txt", "load_story()")}__file__ = "${FILE}"`, ...own];
    }
  }

  // Above the cell that checks the reader's file, an editor for it. It begins as the book's file, with what
  // she wrote in its place, and runs as a program.
  async function addFile(cell) {
    const source = await fetch(document.querySelector('.bd-article a[href*="one_file.py"]').href);
    const pre = make("pre", { textContent: await source.text() });
    const highlight = make("div", { className: "highlight-python notranslate" }, make("div", { className: "highlight" }, pre));
    const box = make("div", { className: "cell ttv-file" }, make("div", { className: "cell_input" }, highlight));
    box.dataset.run = FILE;
    cell.box.before(box);
    const file = new Cell(box);
    if (!file.editor) file.edit(file.code);
    file.editor.ariaLabel = FILE;
    const load = async () => file.type(await input.files[0].text());
    const input = make("input", { type: "file", accept: ".py", hidden: true, onchange: load });
    const save = () => make("a", { href: `data:text/x-python,${encodeURIComponent(file.text)}`, download: FILE }).click();
    const line = make("p", { className: "ttv-run-file" });
    line.append(button(`Download ${FILE}`, save), " · ", button(`Load ${FILE}`, () => input.click()), input);
    box.append(line);
    cells.push(file);
  }

  // Tab leaves the editor, as it leaves every other field.
  function key(event, cell) {
    const { editor } = cell;
    const { selectionStart: from, value } = editor;
    const line = value.slice(value.lastIndexOf("\n", from - 1) + 1, from);
    const insert = (text) => document.execCommand("insertText", false, text);
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      start(cell);
    } else if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.isComposing) {
      event.preventDefault();
      insert(`\n${line.match(/^ */)[0]}${/:\s*$/.test(line) ? "    " : ""}`);
    } else if (event.key === "]" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      insert("    ");
    } else if (event.key === "Backspace" && editor.selectionEnd === from && /^( {4})+$/.test(line)) {
      event.preventDefault();
      editor.setSelectionRange(from - 4, from);
      document.execCommand("delete");
    }
  }

  // Once, at the cell where the reader begins.
  function explain(cell) {
    if (slot.hidden) cell.box.append(slot);
    slot.hidden = false;
  }

  async function start(cell) {
    explain(cell);
    try {
      (await (runs ??= load())).start(cell);
    } catch (error) {
      runs = null;
      cell.begin();
      cell.print(`What runs the cells could not be loaded (${error.message}). Press Run to try again.`, true);
      cell.finish("Not run");
    }
  }

  async function fetched(name) {
    const answer = await fetch(`${FOLDER}${name}`, { cache: "no-cache" });
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer;
  }

  async function load() {
    const [version, plan] = await Promise.all([fetched("version.txt"), fetched(slot.dataset.plan)]);
    slot.dataset.version = await version.text();
    slot.plan = await plan.json();
    return import(`${FOLDER}runs.js?v=${slot.dataset.version}`);
  }

  function refresh() {
    for (const cell of cells) cell.refresh();
    showProgress();
  }

  const stop = async (cell) => (await runs)?.stop(cell);

  function open() {
    slot = document.querySelector(".ttv-run-how");
    if (!slot) return;
    if (location.protocol === "file:") {
      slot.textContent = FROM_DISK;
      slot.hidden = false;
      document.documentElement.classList.add("ttv-run-off");
      return;
    }
    slot.turns = JSON.parse(slot.dataset.turns);
    cells = [...document.querySelectorAll(".cell[data-run]")].map((box) => new Cell(box));
    const keys = "Ctrl+Enter runs the cell, Ctrl+] indents (Cmd on a Mac), Tab leaves it.";
    const forget = button("Delete what I typed", () => {
      if (!confirm(FORGET)) return;
      for (const key of keysOf(STORE, ANSWER, COUNT)) delete kept[key];
      refresh();
      for (const cell of cells) if (cell.editor) cell.restore();
    });
    slot.append(" ", forget, make("span", { id: "ttv-run-keys", hidden: true, textContent: keys }));
    showProgress();
    for (const cell of cells) if (cell.plain.includes(`check("one-file.file", "${FILE}")`)) addFile(cell);
    for (const name of ["pageshow", "storage"]) addEventListener(name, refresh);
    const typed = cells.find((cell) => cell.text !== cell.code);
    if (typed) explain(typed);
  }

  document.addEventListener("DOMContentLoaded", open); // after book.js
})();
