// An editor for each cell of a page that can be run in the page; runs.js runs them.
// run_here.py marks these cells, and says what must be run before each.
(() => {
  "use strict";
  const FOLDER = document.currentScript.src.replace(/[^/]*$/, "");
  const FORGET = "Delete everything that you have typed into the cells of this book, and which exercises you have passed?";
  const HIDDEN_FOR = 5 * 60_000; // milliseconds until a page out of sight gives its memory back
  const STORE = "text-to-vectors run ";
  const KEPT = "text-to-vectors passed"; // for each page its exercises and those passed; book.js reads them
  const FROM_DISK = "The cells of this page can run where the book comes from a server (run make serve), or in Colab.";

  let slot = null; // the line under the title, with the addresses of what is needed
  let cells = [];
  let runs = null; // a promise of runs.js, once a cell has been run

  const make = (name, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };
  const button = (text, action, more = {}) =>
    make("button", { type: "button", className: "ttv-run-button", textContent: text, onclick: action, ...more });

  const store = {
    key: (cell) => `${STORE}${slot.dataset.page} ${cell.id}`,
    read(cell) {
      try {
        return localStorage.getItem(this.key(cell));
      } catch {
        return null; // a browser that keeps nothing
      }
    },
    write(cell, text) {
      try {
        if (text === null) localStorage.removeItem(this.key(cell));
        else localStorage.setItem(this.key(cell), text);
      } catch {
        // The cell works all the same.
      }
    },
    clear() {
      try {
        for (const key of Object.keys(localStorage)) {
          if (key.startsWith(STORE) || key === KEPT) localStorage.removeItem(key);
        }
      } catch {
        // Nothing was kept.
      }
    },
  };

  // The exercises that were passed in this browser, by page.
  const progress = {
    pages: {},

    read() {
      this.pages = globalThis.TextToVectors.passed(); // book.js
    },

    names() {
      return Object.values(this.pages).flatMap(({ passed }) => passed);
    },

    // Note what was passed, of the exercises of this page, and show it.
    add(cells, names) {
      const stubs = cells.filter((cell) => cell.isAnswer);
      if (!stubs.length) return;
      const all = stubs.map((cell) => cell.id);
      const known = new Set([...names, ...this.names()]);
      const passed = all.filter((name) => known.has(name));
      if (passed.length) this.pages[slot.dataset.page.split("/").at(-1)] = { all, passed };
      try {
        if (passed.length) localStorage.setItem(KEPT, JSON.stringify(this.pages));
      } catch {
        // Known until the page is left.
      }
      for (const cell of stubs) cell.exercise?.classList.toggle("ttv-passed", known.has(cell.id));
      document.querySelector(".ttv-progress")?.remove();
      const text = `${passed.length} of ${all.length} passed in this browser`;
      const line = make("p", { className: "ttv-progress", textContent: text });
      if (passed.length) stubs[0].box.closest("section").querySelector("h2, h3").after(line);
      document.dispatchEvent(new Event("ttv-passed"));
    },
  };

  class Cell {
    constructor(box) {
      this.box = box;
      this.id = box.dataset.run;
      this.isAnswer = box.classList.contains("tag_stub");
      this.exercise = this.isAnswer ? box.previousElementSibling : null;
      while (this.exercise && !this.exercise.matches(".exercise")) this.exercise = this.exercise.previousElementSibling;
      this.input = box.querySelector(".cell_input");
      this.output = box.querySelector(".cell_output"); // the page's own
      this.code = this.input.querySelector("pre").textContent.replace(/\n$/, "");
      this.run = button("Run here", () => start(this), { title: "Ctrl+Enter in the cell" });
      this.stop = button("Stop", () => stop(this), { hidden: true });
      this.reset = button("Reset", () => this.restore(), { hidden: true });
      this.progress = make("progress", { hidden: true, max: 1, ariaLabel: "Loading Python" });
      this.status = make("span", { className: "ttv-run-status" });
      this.said = make("span", { className: "ttv-run-said", role: "status" }); // for screen readers
      const buttons = make("span", { className: "ttv-run-buttons" }, this.run, this.stop, this.reset);
      this.large = slot.dataset.large.split(" ").includes(this.id);
      const line = make("span", { className: "ttv-run-line" }, this.progress, this.status);
      const more = `It also loads the vocabulary of GPT-4o (${slot.dataset.more}).`;
      if (this.large) line.append(make("span", { className: "ttv-run-more", textContent: more }));
      this.input.after(make("div", { className: "ttv-run-bar" }, buttons, line, this.said));
      const kept = store.read(this);
      if (kept !== null || this.isAnswer) this.edit(kept ?? this.code);
    }

    get text() {
      return this.editor ? this.editor.value : this.code;
    }

    edit(text) {
      const of = this.exercise?.querySelector(".admonition-title").textContent.trim();
      this.editor = make("textarea", {
        className: "ttv-run-editor", value: text, spellcheck: false, autocapitalize: "off",
        autocomplete: "off", wrap: "off", ariaLabel: of ? `Answer to ${of}` : "Code of this cell",
      });
      this.editor.setAttribute("aria-describedby", "ttv-run-keys");
      this.editor.addEventListener("input", () => {
        this.fit();
        store.write(this, this.text === this.code ? null : this.text);
        this.reset.hidden = this.text === this.code && !this.result;
      });
      this.editor.addEventListener("keydown", (event) => key(event, this));
      for (const child of this.input.children) child.hidden = true;
      this.input.append(this.editor);
      this.reset.hidden = text === this.code;
      this.fit();
    }

    fit() {
      this.editor.rows = Math.min(this.editor.value.split("\n").length, 40);
      const measure = () => this.editor.classList.toggle("ttv-wide", this.editor.scrollWidth > this.editor.clientWidth);
      requestAnimationFrame(measure); // once for all cells of the page
    }

    // As the page has it.
    async restore() {
      await stop(this);
      store.write(this, null);
      this.result?.remove();
      this.result = null;
      this.box.classList.remove("ttv-right");
      if (this.output) this.output.hidden = false;
      if (this.editor) this.editor.value = this.code;
      this.fit();
      this.tell("");
      this.said.textContent = "Reset";
      this.reset.hidden = true;
      this.run.focus();
    }

    clear() {
      if (!this.editor) this.edit(this.code);
      if (this.output) this.output.hidden = true;
      this.box.classList.remove("ttv-right");
      this.result?.remove();
      this.pre = make("pre");
      // Not the <pre>: the theme takes the tab stop from one that does not scroll sideways.
      this.result = make("div", {
        className: "cell_output ttv-run-output", hidden: true, tabIndex: 0, role: "group", ariaLabel: "Output",
      });
      const stream = make("div", { className: "output stream ttv-wrap" });
      stream.append(this.pre);
      this.result.append(stream);
      this.said.parentElement.after(this.result);
    }

    print(text) {
      this.result.hidden = false;
      this.pre.append(text);
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
      if (hadFocus) this.run.focus({ preventScroll: true });
      this.tell(text);
      this.said.textContent = said;
    }

    // The names of the exercises that are passed, after a run.
    pass(names) {
      this.box.classList.toggle("ttv-right", this.pre.textContent.includes(`${this.id}: right.`));
      progress.add(cells, names);
    }

    get passed() {
      return progress.names();
    }
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

  async function start(cell) {
    try {
      (await (runs ??= load())).start(cell);
    } catch (error) {
      runs = null;
      cell.tell(`What runs the cells could not be loaded (${error.message}). Press Run here to try again.`);
    }
  }

  async function load() {
    const version = await fetch(`${FOLDER}version.txt`, { cache: "no-cache" });
    if (!version.ok) throw new Error(`version.txt: ${version.status}`);
    slot.dataset.version = await version.text();
    return import(`${FOLDER}runs.js?v=${slot.dataset.version}`);
  }

  const stop = async (cell) => (await runs)?.stop(cell);

  function open() {
    slot = document.querySelector(".ttv-run-how");
    if (!slot) return;
    if (location.protocol === "file:") {
      slot.textContent = FROM_DISK;
      document.documentElement.classList.add("ttv-run-off");
      return;
    }
    cells = [...document.querySelectorAll(".cell[data-run]")].map((box) => new Cell(box));
    const keys = "Ctrl+Enter runs the cell, Ctrl+] indents (Cmd on a Mac), Tab leaves it.";
    const forget = button("Delete what I typed", () => {
      if (!confirm(FORGET)) return;
      store.clear();
      progress.read();
      progress.add(cells, []);
      for (const cell of cells) if (cell.editor) cell.restore();
    });
    slot.append(" ", forget, make("span", { id: "ttv-run-keys", hidden: true, textContent: keys }));
    progress.read();
    progress.add(cells, []);
    let away = 0;
    document.addEventListener("visibilitychange", () => {
      clearTimeout(away);
      if (document.hidden) away = setTimeout(async () => (await runs)?.rest(), HIDDEN_FOR);
    });
  }

  document.addEventListener("DOMContentLoaded", open); // after book.js
})();
