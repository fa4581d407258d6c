// What CSS alone cannot do: fold the solutions, and mend what the theme leaves wrong for people who use
// a keyboard or a screen reader. Without JavaScript the book reads as well, with its solutions open.
(() => {
  "use strict";

  // A solution is an admonition of class "dropdown". As <details> it opens with the keyboard, tells its
  // state, and opens by itself when the browser's own search finds something in it.
  function fold(box) {
    const title = box.querySelector(":scope > .admonition-title");
    if (!title) return;
    const details = document.createElement("details");
    details.className = `${box.className} ttv-fold`;
    details.id = box.id;
    const summary = document.createElement("summary");
    summary.className = title.className;
    // The title links back to its exercise, right above it; in a summary that would be a second control.
    summary.textContent = title.textContent.trim();
    const body = document.createElement("div");
    body.className = "ttv-fold-body";
    title.remove();
    body.append(...box.childNodes);
    details.append(summary, body);
    box.replaceWith(details);
  }

  // A link to something inside a fold opens it.
  function openTarget() {
    // What follows the # need not be the name of a place: the playground keeps its settings there.
    if (location.hash.includes("=")) return;
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let shut = target && target.closest("details:not([open])");
    if (!shut) return;
    for (; shut; shut = target.closest("details:not([open])")) shut.open = true;
    target.scrollIntoView();
  }

  // What scrolls sideways must be reachable with the keyboard. All is read before anything is written: what
  // is read after a change makes the browser lay out the page again.
  function focusScrollers() {
    const kinds = ".bd-article :is(div.math, mjx-container, figure, pre, .cell_output > .output, .ttv-scroll, .pst-scrollable-table-container)";
    const boxes = [...document.querySelectorAll(kinds)].filter((box) => box.checkVisibility());
    const scrolls = boxes.map((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible");
    boxes.forEach((box, i) => { box.tabIndex = scrolls[i] ? 0 : -1; });
  }

  (globalThis.TextToVectors ??= {}).focusScrollers = focusScrollers;

  function mend() {
    // pandas puts empty header cells above an index: they head nothing.
    for (const cell of document.querySelectorAll(".bd-article th")) {
      if (cell.textContent.trim()) continue;
      const plain = document.createElement("td");
      for (const { name, value } of cell.attributes) plain.setAttribute(name, value);
      cell.replaceWith(plain);
    }
    // A label that differs from the words on a control hides those words from a screen reader.
    for (const summary of document.querySelectorAll(".bd-article summary[aria-label]")) {
      summary.removeAttribute("aria-label");
    }
    // The button says which mode is on.
    const root = document.documentElement;
    const tell = () => {
      for (const button of document.querySelectorAll(".theme-switch-button")) {
        button.title = `Color mode: ${root.dataset.mode || "auto"}`;
        button.setAttribute("aria-label", button.title);
      }
    };
    new MutationObserver(tell).observe(root, { attributeFilter: ["data-mode"] });
    tell();
  }

  // A tick beside each chapter whose exercises have all been passed in this browser; run-here/page.js notes
  // each, and how many there are.
  function tick() {
    let kept;
    try {
      kept = { ...localStorage };
    } catch {
      return; // closed
    }
    document.querySelectorAll(".ttv-tick").forEach((old) => old.remove());
    for (const link of document.querySelectorAll("nav.bd-links a.reference.internal")) {
      const page = link.pathname.match(/([^/]+)\.html$/)?.[1];
      const passed = Object.keys(kept).filter((key) => key.startsWith(`text-to-vectors answer ${page}.`));
      if (!(passed.length >= kept[`text-to-vectors exercises ${page}`])) continue;
      const title = "All exercises passed";
      const made = Object.assign(document.createElement("span"), { className: "ttv-tick", textContent: "✓", title });
      made.setAttribute("role", "img");
      made.setAttribute("aria-label", title);
      link.append(made);
    }
  }

  // The section that is read is lit in the list of sections: after a jump the one that was asked for, until
  // the reader moves on; else the last above a line, which sinks to the foot of the window at the page's end.
  function follow() {
    const links = [...document.querySelectorAll(".page-toc a[href^='#']")];
    const heads = links.map((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))));
    let asked = false;
    const light = () => {
      const left = document.documentElement.scrollHeight - innerHeight - scrollY;
      const line = innerHeight * (0.3 + 0.7 * Math.max(0, 1 - left / (0.7 * innerHeight)));
      const passed = heads.findLastIndex((head) => head?.getBoundingClientRect().top < line);
      const target = links.findIndex((link) => asked && link.hash === location.hash);
      links.forEach((link, i) => { link.ariaCurrent = i === (target < 0 ? passed : target) ? "true" : null; });
    };
    const jump = () => { asked = true; light(); };
    for (const kind of ["wheel", "touchmove", "keydown"]) addEventListener(kind, () => { asked = false; }, { passive: true });
    addEventListener("scroll", () => requestAnimationFrame(light), { passive: true });
    addEventListener("hashchange", jump);
    if (links.length) jump();
  }

  // The theme lights another one, unless it finds no list.
  document.getElementById("pst-page-toc-nav")?.removeAttribute("id");

  // The search comes when the first letter is typed into the field that Ctrl+K opens.
  function fetchSearch() {
    for (const name of ["search/sections.js", "search.js"]) {
      const src = `${document.documentElement.dataset.content_root}_static/${name}`;
      document.head.append(Object.assign(document.createElement("script"), { src, async: false }));
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".bd-article .admonition.dropdown").forEach(fold);
    mend();
    openTarget();
    tick();
    follow();
    document.querySelector("#pst-search-dialog input")?.addEventListener("input", fetchSearch, { once: true });
  });
  document.addEventListener("ttv-passed", tick);
  for (const name of ["pageshow", "storage"]) addEventListener(name, tick);
  addEventListener("hashchange", openTarget);
  addEventListener("load", (event) => {
    // The theme would look for what scrolls now, box by box and what is folded away too, and after each change.
    event.stopImmediatePropagation();
    focusScrollers();
    new ResizeObserver(focusScrollers).observe(document.querySelector("main"));
  });
})();
