// Vectors: rows of untrained tables, sinusoids, and their sum.
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

  // rows: of the same length
  const sum = (rows) => rows[0].map((_, column) => rows.reduce((total, row) => total + row[column], 0));

  ttv.vectors = { randomRow, sinusoid, sum };
})();
