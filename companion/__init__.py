"""The companion package of the book *Text to Vectors*.

One module for each topic, named after the chapter that builds it by hand:

* `companion.words`: a tokenizer that knows whole words (chapter `words`).
* `companion.bpe`: byte-level byte pair encoding, as GPT-2 uses it (chapters `bpe` and
  `gpt2-tokenizer`).
* `companion.wordpiece`: WordPiece, as BERT uses it (chapter `wordpiece`).
* `companion.unigram`: Unigram, as SentencePiece uses it (chapter `unigram`).
* `companion.pipeline`: any model's tokenizer, read from its files (chapter `libraries`).
* `companion.tokenizer`: what every tokenizer of the book has in common.
* `companion.windows`: windows over ids, and batches of them (chapter `windows`).
* `companion.token_file`: a corpus of ids on disk, larger than memory (chapter `windows`).
* `companion.padding`: sequences of different lengths in one batch (chapter `windows`).
* `companion.embeddings`: the input layers of GPT-2 and BERT (chapters `token-embeddings`,
  `gpt2-input` and `bert-input`).
* `companion.pretrained`: the trained input layer of a published model (chapters `start`,
  `token-embeddings`, `positions`, `bert-input` and `training`).
* `companion.positions`: sinusoids, rotations, ALiBi, T5's buckets (chapters `sinusoids` and
  `relative-positions`).
* `companion.errors`: every public error.
* `companion.story`: the story and the sentence that the chapters share.
* `companion.exercises`: the checkers of the exercises.
* `companion.plots`: the figures of the book.

The tokenizers need nothing beyond the standard library; a module whose name begins with an
underscore is a part of the public module that imports it.
"""

__version__ = "0.2.0"
