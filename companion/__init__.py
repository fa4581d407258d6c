"""The companion package of the book *Text to Vectors*.

A module for each topic, named after the chapter that builds it by hand:

* `words`, `bpe`, `wordpiece`, `unigram`: four kinds of tokenizers; `tokenizer`: what they have in
  common; `patterns`: the regular expressions that they cut a text with.
* `pipeline`: any model's tokenizer, read from its files.
* `streaming`: text that is not complete yet.
* `windows`: windows over ids and batches of them; `token_file`: ids in a file.
* `embeddings`, `positions`: the input layers of GPT-2 and BERT; `pretrained`: a trained one.
* `errors`, `story`: every public error, and the text that the chapters share.
* `exercises`, `plots`: the checkers and the figures of the book.

The tokenizers need nothing beyond the standard library. Where a topic is a folder, its other files
are the steps; a module whose name begins with an underscore serves several topics.
"""

__version__ = "0.3.0"
