// Vectors: rows of tables, sinusoids, sums, and the normalization of BERT.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  // Mix 32 bits well (the finalizer of MurmurHash3): neighbours give unrelated numbers.
  function mixed(bits) {
    let x = bits | 0;
    x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
    return (x ^ (x >>> 16)) >>> 0;
  }

  // A seed for each table, from its name.
  function seedOf(name) {
    let seed = 0;
    for (let i = 0; i < name.length; i += 1) seed = mixed(seed + name.charCodeAt(i) + 1);
    return seed;
  }

  // A row of an untrained table: random numbers around 0 with standard deviation 1 (Box and
  // Muller's way), the same every time for the same table and row. They have two decimals, so that
  // the sums on the page come out to the last digit that is shown.
  function randomRow(table, row, d) {
    const seed = mixed(seedOf(table) ^ mixed(row + 1));
    return Array.from({ length: d }, (_, column) => {
      const radius = Math.sqrt(-2 * Math.log((mixed(seed + 2 * column + 1) + 1) / (2 ** 32 + 1)));
      const number = radius * Math.cos((2 * Math.PI * mixed(seed + 2 * column + 2)) / 2 ** 32);
      return Math.round(number * 100) / 100;
    });
  }

  // The encoding of a position by sines and cosines, in turns (Vaswani et al. 2017, section 3.5).
  function sinusoid(position, d) {
    return Array.from({ length: d }, (_, column) => {
      const angle = position / 10_000 ** ((column - (column % 2)) / d);
      return column % 2 ? Math.cos(angle) : Math.sin(angle);
    });
  }

  const D = 8; // numbers of a row that a page has; of a trained one it also has those below
  const [MEAN, LENGTH, SEGMENTS, POSITIONS] = [8, 9, 10, 12];

  // A row of a model's table: one that is known, in a new model a random one, else undefined.
  function row({ kind, d, isTrained, rows }, name, i) {
    const known = rows[name]?.[i];
    if (known || isTrained) return known;
    return [...randomRow(`${kind} ${name}`, i, D), ...(d > D ? [0, Math.sqrt(d)] : [])];
  }

  // rows: the first numbers of each are added
  const sum = (rows) => Array.from({ length: D }, (_, column) => rows.reduce((total, each) => total + each[column], 0));

  // The first numbers of a sum of three rows, normalized as all its d numbers are: their mean is the sum of
  // the rows' means, and their squares follow from lengths and products (book/_ext/ttv/live_states.py).
  // Where a row is no longer than what is drawn, both are exact.
  function normalized(rows, segmentId, { d, rows: { gamma, beta } }) {
    const x = sum(rows);
    const [token, , position] = rows;
    const products = [0, 1, 2].map((i) => (token[POSITIONS + i] ?? 0) * (position[POSITIONS + i] ?? 0));
    products.push(token[SEGMENTS + segmentId] ?? 0, position[SEGMENTS + segmentId] ?? 0);
    const total = (numbers) => numbers.reduce((a, b) => a + b);
    const mean = d > D ? total(rows.map((each) => each[MEAN])) : total(x) / D;
    const squares = d > D ? total(rows.map((each) => each[LENGTH] ** 2)) + 2 * total(products) : total(x.map((number) => (number - mean) ** 2));
    return x.map((number, i) => ((number - mean) / Math.sqrt(squares / d)) * (gamma?.[i] ?? 1) + (beta?.[i] ?? 0));
  }

  const N_POSITIONS = 32;

  // The trained rows: 16 planes of 16 bits, first the ids, then the numbers in ten thousandths; after the
  // tokens come positions, two segments, gamma and beta.
  function trainedRows({ buffer }) {
    const planes = new Int16Array(buffer);
    const n = planes.length / 16;
    const all = Array.from({ length: n }, (_, i) => Array.from({ length: 15 }, (__, plane) => planes[(plane + 1) * n + i] / 1e4));
    const [first, second, gamma, beta] = all.splice(-4);
    const position = all.splice(-N_POSITIONS);
    return { token: Object.fromEntries(all.map((numbers, i) => [planes[i], numbers])), segment: [first, second], position, gamma, beta };
  }

  ttv.vectors = { normalized, randomRow, row, sinusoid, sum, trainedRows };
})();
