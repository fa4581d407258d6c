"""The companion package of the book *Text to Vectors*.

A module a topic; each carries the name of the chapter that builds it by hand:

* `companion.words`: a tokenizer that knows whole words (chapter `words`).
* `companion.bpe`: byte-level byte pair encoding, as GPT-2 uses it (chapters `bpe` and
  `gpt2-tokenizer`).
* `companion.wordpiece`: WordPiece, as BERT uses it (chapter `wordpiece`).
* `companion.unigram`: the Unigram model, as SentencePiece uses it (chapter `unigram`).
* `companion.tokenizer`: what every tokenizer of the book has in common.
* `companion.windows`: windows over ids, batches, and corpora in files (chapter `windows`).
* `companion.story`: the story and the sentence that the chapters share.
* `companion.plots`: one function a figure.
"""

__version__ = "0.1.0"
