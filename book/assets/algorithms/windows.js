// Windows that slide over a row of ids, and batches of them, as companion/windows.py has them.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  // Count the windows: one at every stride-th id, as long as its last input still has a target.
  // n: number of ids
  // contextSize: number of inputs in a window, L
  // stride: from the start of a window to that of the next, s
  // max(0, ⌈(n − L) / s⌉)
  const windowCount = (n, contextSize, stride) => Math.max(0, Math.ceil((n - contextSize) / stride));

  // Count what a loader deals out.
  // batchSize: windows in a batch, B
  // dropLast: leave out a last batch that is not full
  // batches dealt, windows left out
  function batchCount(nWindows, batchSize, dropLast) {
    const rest = nWindows % batchSize;
    const nFull = (nWindows - rest) / batchSize;
    return dropLast ? { nBatches: nFull, nDropped: rest } : { nBatches: nFull + (rest ? 1 : 0), nDropped: 0 };
  }

  ttv.windows = { batchCount, windowCount };
})();
