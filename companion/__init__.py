"""The algorithms of the book *Text to Vectors*, small and tested.

A module for each topic, named after the chapter that builds it by hand:

* `words`, `bpe`, `wordpiece`, `unigram`: four kinds of tokenizers; `tokenizer`: what they have in
  common; `patterns`: the regular expressions that they cut a text with.
* `streaming`: text that is not complete yet.
* `windows`: windows over ids and batches of them; `token_file`: ids in a file.
* `embeddings`, `positions`: the input layers of GPT-2 and BERT; `pretrained`: a trained one.
* `errors`, `story`: every public error, and the text that the chapters share.
* `checks`, `files`, `runs`, `unicode`: what several of them and the other packages share.

The tokenizers and the trained rows need nothing beyond the standard library. Where a topic is a
folder, its other files are the steps.
"""

__version__ = "0.4.0"
