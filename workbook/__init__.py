"""The book's own package: its figures, and the exercises that check their answers.

* `plots` draws the figures of the chapters.
* `exercises` has the exercises of each chapter, and `check`, which grades an answer.
  `python -m workbook FILE` does the same with a reader's whole file.

It imports `companion`, which never imports it. Only `plots` needs matplotlib, so `check` is ready
at once:

>>> from workbook import check
>>> check("words.case", 30)  # doctest: +ELLIPSIS
words.case: not yet. ...
"""

from workbook.exercises import check

__all__ = ["check"]
