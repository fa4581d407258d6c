// Windows that slide over a row of ids, and batches of them, as companion/windows.py has them.
(() => {
  "use strict";
  const ttv = (globalThis.TextToVectors ??= {});

  /**
   * Count the windows: one at every stride-th id, as long as its last input still has a target.
   * @param {number} n  number of ids
   * @param {number} contextSize  number of inputs in a window, L
   * @param {number} stride  from the start of a window to that of the next, s
   * @returns {number}  max(0, ⌈(n − L) / s⌉)
   */
  const windowCount = (n, contextSize, stride) => Math.max(0, Math.ceil((n - contextSize) / stride));

  /**
   * The inputs and targets of one window.
   * @param {number[]} ids
   * @param {number} contextSize
   * @param {number} start  where the window begins
   */
  function windowAt(ids, contextSize, start) {
    return {
      start,
      inputs: ids.slice(start, start + contextSize),
      targets: ids.slice(start + 1, start + 1 + contextSize),
    };
  }

  /**
   * Count what a loader deals out.
   * @param {number} nWindows
   * @param {number} batchSize  windows in a batch, B
   * @param {boolean} dropLast  leave out a last batch that is not full
   * @returns {{nBatches: number, nDropped: number}}  batches dealt, windows left out
   */
  function batchCount(nWindows, batchSize, dropLast) {
    const rest = nWindows % batchSize;
    const nFull = (nWindows - rest) / batchSize;
    return dropLast ? { nBatches: nFull, nDropped: rest } : { nBatches: nFull + (rest ? 1 : 0), nDropped: 0 };
  }

  ttv.windows = { batchCount, windowAt, windowCount };
})();
