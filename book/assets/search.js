// The search: every section, exercise, term and name of the reference is a result of its own.
// _static/search/sections.js has them, [page, id, title, text, other names, messages] in the order of the book;
// ttv/search.py writes it.
(() => {
  "use strict";
  const SHOWN = 30;
  const MOST = 80; // words of a query, from its end, and characters of a word
  const PASSED_OVER = new Set(
    ("a about am an and are as at be been but by can could did do does for from get gets got had has have here how i if in " +
      "into is it its just me my no not of on or our s shall should so some t than that the their them then there these " +
      "they this to too up use was we were what when where which who whose why will with would you your").split(" "),
  );
  const REFERENCE = /^book\/(api|bibliography|speed|teachers|worksheet)\b/;
  const BESIDE = /^(exercise |(check yourself|exercises|summary|in the companion|further reading)$)/;

  const normal = (text) => text.replaceAll("’", "'").toLowerCase();

  // What a word is found by: its beginning, so that "merges" finds "merged"; a number, with or without
  // commas, as a whole.
  function finder(word) {
    const before = "(?<![\\p{L}\\p{N}])";
    if (/\d$/.test(word)) {
      const number = word.replace(/\d(?=\d)/g, "$&,?");
      return new RegExp(`${before}${number}(?![\\p{N}]|,\\d)`, "giu");
    }
    const short = word
      .replace(/'s$|(?<=\p{L}\p{L})(?<![sui])s$/u, "")
      .replace(/(?<=\p{L}{4})(?:ing|ed|e|y)$|(?<=\p{L}{6})al$/u, "") // positional: position;
    return new RegExp(before + short + (short.length < 4 ? "(?:s|es)?(?![\\p{L}\\p{N}])" : ""), "giu");
  }

  function wordsOf(query) {
    const all = normal(query).replace(/(?<=\d),(?=\d{3})/g, "").match(/[\p{L}\p{N}_]+(?:[-'][\p{L}\p{N}_]+)*|##|[▁␣\uFFFD]/gu) ?? [];
    const words = [...new Set(all)];
    const telling = words.filter((word) => !PASSED_OVER.has(word));
    return (telling.length ? telling : words).slice(-MOST).map((word) => word.slice(0, MOST));
  }

  // A name in other words: without case, signs at its ends, and plurals; "[CLS]" is "CLS".
  const canonical = (text) => wordsOf(text).map((word) => word.replace(/(?<=\p{L}\p{L})(?<![sui])s$/u, "")).join(" ");

  // A pasted message has other numbers and names than its entry in `wrong`, and more before and after it.
  const bare = (text) => normal(text).replace(/[`"]/g, "").replace(/\s+/g, " ").trim();
  const asPattern = (text) =>
    new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\d+/g, "\\d+").replace(/…/g, ".{0,300}?"), "u");
  const quotedIn = (text) => [...text.matchAll(/(?<![\p{L}\p{N}])'([\w.<>|-]+)'(?![\p{L}\p{N}])/gu)].map((hit) => hit[1]);
  const isSaid = (word, text) => new RegExp(`(?<![\\w])${word.replace(/[.|]/g, "\\$&")}(?![\\w])`, "u").test(text);
  const inWords = (text) => (text.replace(/\d+/g, "#").match(/[\p{L}_#]+/gu) ?? []).slice(-80);

  // How many words in a row the two have in common.
  function longestRun(query, text) {
    const words = inWords(query);
    const whole = ` ${inWords(text).join(" ")} `;
    let best = 0;
    for (let from = 0; from + best < words.length; from += 1) {
      while (from + best < words.length && whole.includes(` ${words.slice(from, from + best + 1).join(" ")} `)) best += 1;
    }
    return best;
  }

  // How well a row answers a pasted message: 0 if it is about another one.
  function recognized(query, title, text) {
    const [asked, message] = [bare(query), bare(title)];
    if (asPattern(message).test(asked)) return 5000 + message.length;
    const core = asked.replace(/^(?:[\w.]*(?:error|exception|warning)\b:?\s*)+/, "");
    const quoted = quotedIn(core);
    const isOther = quoted.some((word) => !isSaid(word, `${message} ${bare(text)}`) && !message.includes("…"));
    if (core.length < 12 || !/\p{L}{3}/u.test(core) || isOther || (quoted.length && quotedIn(message).some((word) => !quoted.includes(word)))) return 0;
    const gone = core.match(/(?<!\S)\w+ has no attribute (\w+)/u); // of whatever class
    if (gone && /^\w+ has no attribute/u.test(message) && isSaid(gone[1], bare(text))) return 4500;
    if (asPattern(core).test(`${message} ${bare(text)}`)) return 4000;
    const run = longestRun(core, `${message} ${bare(text)}`);
    return run >= 5 ? 3000 + run : 0;
  }

  // The best first; of equally good ones the first in the book.
  function search(sections, query) {
    const asked = normal(query).trim().replace(/\s+/g, " ");
    const name = canonical(query);
    const finders = wordsOf(query).map(finder);
    const rows = sections.map(([page, id, title, text, names, messages], n) => {
      const hits = finders.map((find) => (title.search(find) >= 0 ? 3 : text.search(find) >= 0 ? 1 : 0));
      return { page, id, title, text, names, messages, hits, isTop: page !== sections[n - 1]?.[0] };
    });
    // A word that few sections have says more.
    const weights = finders.map((_, n) => Math.log(1 + rows.length / (1 + rows.filter((row) => row.hits[n]).length)));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const row of rows) {
      const sum = (value) => row.hits.reduce((all, hit, n) => all + weights[n] * value(hit), 0);
      const title = normal(row.title).replace(/^[\d.]+ /, "");
      row.score = sum((hit) => hit) * (sum(Math.sign) / total) ** 2;
      if (asked.includes(" ") && (title.includes(asked) || normal(row.text).includes(asked))) row.score *= 1.5;
      if (REFERENCE.test(row.page)) row.score *= 0.3;
      else if (BESIDE.test(title)) row.score *= 0.6;
      const isNamed = canonical(title) === name || (/[._]/.test(asked) && `.${title}`.endsWith(`.${asked}`));
      const isPage = row.isTop && row.page === `book/${asked.replaceAll(" ", "-")}`;
      if (isNamed || isPage) row.score = row.id.startsWith("term-") ? 2000 : 1000;
      for (const message of row.messages) row.score = Math.max(row.score, recognized(query, message, row.text));
      for (const each of row.names) {
        const isTerm = row.id.startsWith("term-") && !each.includes("_");
        if (canonical(each) === name) row.score = Math.max(row.score, isTerm ? 2000 : 9000);
        // The name of a function or a setting; of several the first.
        const at = /[_.]|\p{Ll}\p{Lu}/u.test(each) ? asked.split(" ").indexOf(normal(each)) : -1;
        if (at >= 0) row.score = Math.max(row.score, 2900 - at);
      }
    }
    const best = Math.max(...rows.filter((row) => row.score < 1000).map((row) => row.score));
    const quoted = quotedIn(bare(query)); // a place without a quoted word is about something else
    const found = rows.filter(
      (row) => row.score >= 3000 || (row.score > best / 8 && quoted.every((word) => isSaid(word, bare(`${row.title} ${row.text}`)))),
    );
    found.sort((a, b) => b.score - a.score);
    const isMessage = quoted.length > 0 || /\w(?:Error|Exception|Warning)\b\s*:/.test(query);
    const share = (row) => row.hits.reduce((sum, hit, n) => sum + Math.sign(hit) * weights[n], 0) / total;
    const isKnown = found.length > 0 && (found[0].score >= 1000 || (!isMessage && Math.max(...found.map(share)) > 0.6));
    return { found, finders, isKnown, isMessage };
  }

  // The lines around the first words that were asked for, with a mark on each.
  function excerpt(text, finders) {
    const places = finders.flatMap((find) => [...text.matchAll(find)].map((hit) => [hit.index, hit[0].length]));
    places.sort((a, b) => a[0] - b[0]);
    const near = (start) => new Set(places.filter(([at]) => at >= start && at < start + 200).map(([at, n]) => text.substr(at, n).toLowerCase()));
    let best = 0;
    for (const [at] of places.slice(0, 200)) if (near(at).size > near(best).size) best = at;
    let from = Math.max(0, text.lastIndexOf(" ", Math.max(best - 60, 0)) + 1);
    if (best < 80) from = 0;
    const to = from + 260 < text.length ? text.lastIndexOf(" ", from + 260) : text.length;
    const line = make("p", { className: "context" });
    line.append(from ? "… " : "");
    let at = from;
    for (const [place, length] of places) {
      if (place < at || place + length > to) continue;
      line.append(text.slice(at, place), make("mark", { textContent: text.substr(place, length) }));
      at = place + length;
    }
    line.append(text.slice(at, to), to < text.length ? " …" : "");
    return line;
  }

  // On the search page, and under the field that Ctrl+K opens, where a script of book.js brings us.
  const page = document.querySelector(".bd-search-container");
  const box = page ?? document.querySelector("#pst-search-dialog");
  const field = box.querySelector('input[name="q"]');
  const root = document.documentElement.dataset.content_root;
  const make = (name, properties) => Object.assign(document.createElement(name), properties);
  const results = page?.querySelector("#search-results") ?? box.appendChild(make("div", { id: "search-results" }));
  const summary = results.querySelector("p") ?? results.appendChild(make("p", { className: "search-summary", role: "status" }));
  const list = results.appendChild(make("ul", { className: "search" }));
  const straight = (part) => (Array.isArray(part) ? part.map(straight) : part.replaceAll("’", "'"));
  const sections = globalThis.TextToVectors.sections.map(straight);

  function show() {
    const query = field.value.trim();
    results.classList.toggle("empty", !query && !page); // the theme hides it
    summary.textContent = "";
    list.replaceChildren();
    if (!query) return;
    const { found, finders, isKnown, isMessage } = search(sections, query);
    for (const row of found.slice(0, SHOWN)) {
      const item = list.appendChild(make("li"));
      const link = make("a", { href: `${root}${row.page}.html${row.isTop ? "" : `#${row.id}`}`, textContent: row.title });
      const of = row.isTop ? "" : sections.find(([name]) => name === row.page)[2];
      item.append(link, ...(of ? [make("span", { textContent: of })] : []), excerpt(row.text, finders));
    }
    const more = found.length > SHOWN ? `; the first ${SHOWN} are shown` : "";
    const nothing = isMessage
      ? "The book does not explain this message."
      : `Nothing in the book has the words “${query}”. Try fewer or other words.`;
    const places = `${found.length} ${found.length === 1 ? "place" : "places"} in the book${more}`;
    const some = `${isMessage ? nothing : "No place in the book has most of these words."} Some of them are in ${places}`;
    summary.textContent = !found.length ? nothing : isKnown ? places : some;
  }

  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, 150);
  });
  list.addEventListener("click", () => box.close?.()); // the place may be on this page
  field.value ||= new URLSearchParams(location.search).get("q") ?? "";
  show();
})();
