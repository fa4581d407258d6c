// A glossary term shows its entry on hover and focus; a finger's first touch shows it, the second follows
// the link. The entries are a script that the first of them loads: from the disk nothing else can be read.
(() => {
  "use strict";
  const TERM = 'a[href*="glossary.html#term-"]';
  const box = Object.assign(document.createElement("div"), { id: "ttv-term", className: "ttv-term" });
  if (!box.showPopover) return; // an older browser keeps the links
  box.popover = "manual";
  box.setAttribute("role", "tooltip");
  let entries = null;
  let shown = null; // the link whose entry is asked for
  let timer = 0;

  function load() {
    entries ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = `${document.documentElement.dataset.content_root}_static/search/terms.js`;
      script.onload = () => done(globalThis.TextToVectors.terms);
      document.head.append(script);
    });
    return entries;
  }

  function hide() {
    clearTimeout(timer);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    if (box.matches(":popover-open")) box.hidePopover();
  }

  async function show(link) {
    clearTimeout(timer);
    if (shown === link) return;
    hide();
    shown = link;
    const entry = (await load())[decodeURIComponent(link.hash.slice(1))];
    if (shown !== link || !entry) return;
    box.innerHTML = entry[1];
    box.prepend(Object.assign(document.createElement("strong"), { textContent: entry[0] }));
    document.body.append(box);
    box.showPopover();
    // Below the line of the link's first words, or above where there is no room.
    const [line] = link.getClientRects();
    const { clientWidth, clientHeight } = document.documentElement;
    const isBelow = line.bottom + box.offsetHeight + 16 < clientHeight || line.top < box.offsetHeight + 16;
    const top = isBelow ? line.bottom + 8 : line.top - box.offsetHeight - 8;
    box.style.top = `${top + scrollY}px`;
    box.style.left = `${Math.max(8, Math.min(line.left, clientWidth - box.offsetWidth - 8)) + scrollX}px`;
    link.setAttribute("aria-describedby", box.id);
  }

  const later = (what, wait) => {
    clearTimeout(timer);
    timer = setTimeout(what, wait);
  };
  const linkOf = (event) => event.target.closest?.(TERM);
  let byFinger = false;
  addEventListener("pointerdown", (event) => (byFinger = event.pointerType === "touch"), true);
  addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const link = linkOf(event);
    if (link) later(() => show(link), 150);
    else if (box.contains(event.target)) clearTimeout(timer); // one may read and select in it
    else if (shown && shown !== document.activeElement) later(hide, 250);
    else if (!shown) clearTimeout(timer);
  });
  addEventListener("focusin", (event) => {
    const link = linkOf(event);
    if (link?.matches(":focus-visible")) show(link);
    else if (shown && !byFinger) hide();
  });
  addEventListener("click", (event) => {
    const link = linkOf(event);
    if (byFinger && link && shown !== link) {
      event.preventDefault();
      show(link);
    } else if (!box.contains(event.target)) hide();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
})();
