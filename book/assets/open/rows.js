// Draws what opener.py says: the rows of the stages, and what was found.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  // Pieces of two texts: what was lost is struck out, what is new is marked, both made visible.
  function markedText({ pieces, left_out }) {
    const { count, element, visible } = ttv.dom;
    const seen = (text) => [...text].map(visible).join("");
    const parts = pieces.flatMap(([was, is]) => {
      if (was === is) return [is];
      return [was && element("del", {}, seen(was)), is && element("ins", {}, seen(is))].filter(Boolean);
    });
    const text = element("bdi", { class: "ttv-text", dir: "auto" }, ...parts);
    return left_out ? [text, ttv.dom.note(`${count(left_out)} more characters are not shown.`)] : [text];
  }

  // Each token over its id; dashed is an added token, also one that the post-processor puts there.
  function tokensAndIds({ tokens, ids }, at) {
    const { element, note, plural, tokenChip } = ttv.dom;
    const left = [...tokens.shown];
    const line = element("div", { class: "ttv-tokens" }, ...ids.shown.map(({ id, added }, i) => {
      const { text, special } = added === null ? left.shift() : { text: added, special: true };
      const chip = tokenChip({ text, isSpecial: special }, id);
      if (added !== null) chip.classList.add("is-added");
      if (i !== at) return chip;
      chip.classList.add("is-new");
      chip.append(" ", element("span", { class: "ttv-id" }, "first difference"));
      return chip;
    }));
    const nAdded = ids.n - tokens.n;
    const more = ids.n > ids.shown.length ? `, of which the first ${ids.shown.length} are shown` : "";
    return [line, note(`${plural(tokens.n, "token")}${nAdded ? ` and ${nAdded} that the post-processor puts around them` : ""}${more}`)];
  }

  const ROWS = {
    normalized: ({ normalized }) => [
      ...markedText(normalized),
      ...(normalized.same ? [ttv.dom.note("Nothing was changed.")] : []),
    ],
    "pre-tokens": ({ pre_tokens: { n, shown } }) => {
      const { element, note, plural, visibleText } = ttv.dom;
      const line = element("div", { class: "ttv-tokens" }, ...shown.map((text) => element("bdi", { class: "ttv-quoted" }, visibleText(text))));
      return [line, note(`${plural(n, "pre-token")}${n > shown.length ? `, of which the first ${shown.length} are shown` : ""}`)];
    },
    "tokens and ids": tokensAndIds,
    decoded: ({ decoded, back }) => {
      const text = ttv.dom.element("bdi", { class: "ttv-text", dir: "auto" }, decoded);
      if (back.same) return [text, ttv.dom.note("Without special tokens it is your text again.")];
      return [text, ttv.dom.note("Without special tokens, compared with your text:"), ...markedText(back)];
    },
  };

  // What each row shows, and the chapters that explain it.
  const ABOUT = {
    normalized: ["The text after the normalizer: what it took out is struck through, what it put in is marked.", "bytes", "wordpiece"],
    "pre-tokens": ["The pieces that the model gets; an added token is a piece of its own. Signs such as Ġ are bytes.", "gpt2-tokenizer", "unigram"],
    "tokens and ids": ["What the model makes of each piece, over its number; a dashed token is an added token.", "bpe", "wordpiece", "unigram", "bert-input"],
    decoded: ["What decode makes of the ids, and what differs from your text.", "wordpiece", "libraries"],
  };
  const CHAPTERS = {
    bytes: "Bytes", wordpiece: "WordPiece", "gpt2-tokenizer": "GPT-2's tokenizer", unigram: "Unigram", bpe: "BPE",
    "bert-input": "BERT's input", libraries: "Libraries",
  }; // prettier-ignore

  function about([text, ...chapters]) {
    const { element } = ttv.dom;
    const links = chapters.flatMap((name, i) => [i ? ", " : " ", element("a", { href: `${name}.html` }, CHAPTERS[name])]);
    return element("dd", { class: "ttv-note ttv-about" }, text, ...links);
  }

  // Draw the four rows for one tokenizer, or for two, one below the other.
  // difference: of the ids of two
  function drawRows(panel, shown, difference) {
    const { element } = ttv.dom;
    const list = element("dl", { class: "ttv-stages" });
    for (const [title, draw] of Object.entries(ROWS)) {
      const row = element("div", {}, element("dt", {}, title));
      for (const { name, stages } of shown) {
        const of = shown.length > 1 ? [element("bdi", { class: "ttv-where" }, name)] : [];
        row.append(element("dd", {}, ...of, ...(stages.error ? [stages.error] : draw(stages, difference?.at))));
      }
      row.append(about(ABOUT[title]));
      list.append(row);
    }
    panel.replaceChildren(...(difference ? [element("p", { class: "ttv-summary" }, compared(shown, difference))] : []), list);
  }

  function compared([first, second], { at, n }) {
    if (at === null) return `${first.name} and ${second.name} give the same ids.`;
    const said = [first, second].map(({ name, stages }, i) => {
      const id = stages.ids.shown[at]?.id;
      return `${name} has ${at >= n[i] ? "no id there" : id === undefined ? "another" : `the id ${id}`}`;
    });
    return `The ids differ first at index ${ttv.dom.count(at)}: ${said.join(", ")}.`;
  }

  // Code of a fix, which stands between backticks.
  const withCode = (text) => text.split("`").map((part, i) => (i % 2 ? ttv.dom.element("code", {}, part) : part));

  // The verdict on a tokenizer, and what it is; it stands above the stages.
  function verdictOf(name, { error, verdict, counts, facts }) {
    const { element } = ttv.dom;
    if (error) return element("p", { class: "ttv-summary" }, element("bdi", {}, name), `: ${error}`);
    const sign = element("strong", { class: `ttv-verdict is-${verdict.toLowerCase()}` }, verdict);
    const line = element("p", { class: "ttv-summary" }, sign, `${counts.slice(verdict.length)}.`);
    return element("div", {}, line, element("p", { class: "ttv-note" }, element("bdi", {}, facts)));
  }

  // Draw what was found in the files of a tokenizer; the page `wrong` has an entry for each code.
  // found: what opener.py's `inspect` says
  function findingsOf(name, found) {
    const { element, note } = ttv.dom;
    if (found.error) return [verdictOf(name, found)];
    const item = ({ code, level, what, why, fix, changes }) => {
      const link = element("a", { href: `wrong.html#${code}` }, element("code", {}, code));
      const title = element("p", {}, element("strong", {}, level), " ", link, ": ", element("bdi", {}, what));
      const set = changes.map((line) => element("p", {}, element("code", {}, line)));
      const how = fix ? [element("strong", {}, "Fix: "), ...withCode(fix)] : [];
      return element("li", { class: `ttv-finding is-${level}` }, title, ...set, element("p", {}, `${why} `, ...how));
    };
    const isNote = ({ level }) => level === "note";
    const lists = [
      ["To fix", found.findings.filter((each) => !isNote(each))],
      ["Notes: properties that many good tokenizers have", found.findings.filter(isNote)],
    ].flatMap(([title, those]) => [
      element("p", { class: "ttv-label" }, `${title}: ${those.length}`),
      element("ul", { class: "ttv-findings" }, ...those.map(item)),
    ]);
    const codes = (all) => all.flatMap((code, i) => [i ? ", " : "", element("code", {}, code)]);
    const unread = found.unread.length ? [note(`Not read, as a broken link or no regular file: ${found.unread.join(", ")}`)] : [];
    const open = Object.entries(found.not_checked).map(([why, those]) => element("li", {}, `${why}: `, ...codes(those)));
    const clean = element("p", { class: "ttv-note" }, "Checked, and nothing found: ", ...codes(found.clean));
    const rest = open.length ? [note("Not checked:"), element("ul", { class: "ttv-note" }, ...open)] : [];
    const title = element("p", { class: "ttv-summary" }, element("bdi", {}, name));
    return [title, ...lists, clean, ...unread, ...rest];
  }

  ttv.rows = { drawRows, findingsOf, verdictOf };
})();
