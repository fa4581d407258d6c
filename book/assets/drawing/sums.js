// The rows of tables that are added for each token: what enters the model (live/sum, panel 4).
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});
  const D = 8; // numbers of a row that are drawn

  // Which row of a table a token picks: by what it is, or by where it stands.
  const INDEX = { token: ({ id }) => id, segment: ({ segment }) => segment, position: (_, place) => place };

  // For each token its place before, or -1.
  function placesBefore(tokens, before) {
    const left = before.map(({ id }) => id);
    return tokens.map(({ id }, place) => {
      const was = left[place] === id ? place : left.indexOf(id);
      delete left[was];
      return was;
    });
  }

  // The longest bar. A row of numbers may be missing.
  const longest = (rows) => Math.max(1e-9, ...rows.flatMap((row) => row?.slice(0, D) ?? []).map(Math.abs));

  // Give the function that draws tokens into a stage: at most `n`, and below them the positions that are
  // free, up to `nFree`. What is chosen is told: say("One sentence."), choose(place).
  function sums(stage, { n, nFree = 0, say, choose = () => {} }) {
    const { bars, count, element, option, plural, shownText, tokenChip, written } = ttv.dom;
    const node = stage.appendChild(element("div", { class: "ttv-sums" }));
    let [lines, model, chosen, column] = [[], null, 0, 0];
    const options = () => [...node.querySelectorAll("[role=option]")];

    // A token with the rows that it picks, their sum, and that normalized.
    function lineOf(token, place) {
      const names = Object.keys(model.of);
      const picks = names.map((name) => INDEX[name](token, place));
      const rows = names.map((name, i) => ttv.vectors.row(model, name, picks[i]));
      const isWhole = !rows.includes(undefined);
      const after = isWhole && token.segment !== undefined ? ttv.vectors.normalized(rows, token.segment, model) : undefined;
      return { ...token, picks, rows, sum: isWhole ? ttv.vectors.sum(rows) : undefined, after };
    }

    function told({ id, picks, rows, shown, sum }) {
      const which = Object.keys(model.of).map((name, i) => `${name} row ${picks[i]}`).join(" + ");
      const twins = lines.filter((line) => line.id === id).length;
      const same = twins > 1 ? ` Its token row is in ${twins} places.` : "";
      if (!sum) return `${shownText(shown)}: ${which}. The book has no trained row ${id}.${same}`;
      const numbers = rows.map((row) => written(row[column], model.digits));
      const value = (text) => Math.round(Number(text.replace("−", "-")) * 10 ** model.digits);
      const total = written(sum[column], model.digits);
      const is = numbers.reduce((all, text) => all + value(text), 0) === value(total) ? "=" : "≈";
      return `${shownText(shown)}: ${which}. Number ${column + 1}: ${numbers.join(" + ").replaceAll("+ −", "− ")} ${is} ${total}.${same}`;
    }

    function light(place, col) {
      [chosen, column] = [place, Math.max(0, Math.min(D - 1, col))];
      for (const [i, each] of options().entries()) {
        each.setAttribute("aria-selected", String(i === place));
        each.tabIndex = i === place ? 0 : -1;
        each.classList.toggle("is-twin", i !== place && lines[i].id === lines[place].id);
      }
      say(lines.length ? told(lines[place]) : "Without text there are no tokens, and nothing enters the model.");
    }

    const sign = (text) => element("span", { class: "ttv-sign" }, text);
    // Bars after the number of their row, or a dashed box where the book has no such row.
    const part = (role, row, pick, most) => element("span", { class: `ttv-part is-${role}` }, element("small", {}, pick),
      row ? bars(row.slice(0, D), role, most) : element("i", { class: "ttv-none" }));
    const head = (role, name, under) => element("span", { class: `ttv-part is-${role}` }, element("b", {}, name), element("small", {}, under));
    const added = (parts, mark) => parts.flatMap((each, i) => (i ? [sign(mark), each] : [each]));

    function drawn({ shown, picks, rows, segment, sum, after }, place) {
      const parts = Object.keys(model.of).map((name, i) => part(name, rows[i], String(picks[i]), model.most));
      const end = segment === undefined ? [] : [sign("→"), part("input", after, "", model.mostAfter)];
      return option(place, false, false, `ttv-sum${place && segment !== lines[place - 1].segment ? " is-next" : ""}`,
        tokenChip(shown), ...added(parts, "+"), sign("="), part("input", sum, "", model.most), ...end);
    }

    function listen(list) {
      list.addEventListener("keydown", (event) => {
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!step) return;
        event.stopImmediatePropagation();
        event.preventDefault();
        light(chosen, column + step);
      });
      ttv.dom.makeChoosable(list, (place) => {
        light(place, column);
        choose(place);
      });
      list.addEventListener("pointermove", ({ target, clientX }) => {
        const [line, strip] = [target.closest("[data-index]"), target.closest(".ttv-bars")?.getBoundingClientRect()];
        const over = strip ? Math.floor((D * (clientX - strip.left)) / strip.width) : column;
        if (line && (Number(line.dataset.index) !== chosen || over !== column)) light(Number(line.dataset.index), over);
      });
    }

    // What belongs to the token goes along with it; what belongs to the place stays.
    function move(was, tops) {
      for (const [place, line] of options().entries()) {
        const start = was[place] < 0 ? { opacity: 0 } : { transform: `translateY(${tops[was[place]] - line.offsetTop}px)` };
        for (const each of line.querySelectorAll(".ttv-token, .ttv-part.is-token")) each.animate([start, {}], { duration: 600, easing: "ease-in-out" });
      }
    }

    // tokens: {shown, id, segment}, of `all`; the row `at` is chosen, or else the token that was
    return (tokens, from, { all = tokens.length, at } = {}) => {
      const before = model === from ? lines : [];
      const tops = options().map((each) => each.offsetTop);
      model = from;
      lines = tokens.slice(0, n).map(lineOf);
      model.most ??= longest(lines.flatMap(({ rows, sum }) => [...rows, sum]));
      model.mostAfter ??= longest(lines.map(({ after }) => after));
      const names = Object.keys(model.of);
      const list = element("div", { role: "listbox", "aria-label": "Tokens, each with its rows" }, ...lines.map(drawn));
      const end = names.includes("segment") ? [head("input", "sum", "added up"), sign(""), head("input", "norm", "BERT’s input")] : [head("input", "sum", "the input")];
      const heads = added(names.map((name) => head(name, name, model.of[name] ? `row of ${count(model.of[name])}` : "")), "");
      const notes = [all > lines.length && `The first ${lines.length} of ${plural(all, "token")}.`, model.note, lines.some(({ sum }) => !sum) && "Dashed: a row that this book does not have.",
        all > model.of.position && `The position table has ${count(model.of.position)} rows: no more tokens can be read at once.`];
      const free = Array.from({ length: Math.max(0, nFree - lines.length) }, (_, i) => lines.length + i).map((place) =>
        element("div", { class: "ttv-sum is-free", "aria-hidden": "true" }, part("position", ttv.vectors.row(model, "position", place), String(place), model.most)));
      node.className = `ttv-sums has-${names.length}`;
      node.replaceChildren(element("div", { class: "ttv-sum ttv-heads", "aria-hidden": "true" }, element("b"), ...heads, sign(""), ...end),
        list, ...free, element("p", { class: "ttv-live-head ttv-note" }, notes.filter(Boolean).join(" ")));
      listen(list);
      const was = placesBefore(lines, before);
      const along = was.indexOf(chosen);
      light(Math.max(0, Math.min(at ?? (along < 0 ? chosen : along), lines.length - 1)), column);
      if (!before.length) return;
      if (!matchMedia("(prefers-reduced-motion: reduce)").matches) move(was, tops);
      const nMoved = was.filter((place, now) => place >= 0 && place !== now).length;
      const fresh = lines.filter((_, place) => was[place] < 0).map(({ shown }) => shownText(shown));
      const isNew = fresh.length ? ` New: ${fresh.slice(0, 3).join(" ")}${fresh.length > 3 ? " …" : ""}` : "";
      if (nMoved) say(`${plural(nMoved, "token")} moved: blue bars went along, green bars stayed.${isNew}`);
    };
  }

  ttv.sums = sums;
})();
