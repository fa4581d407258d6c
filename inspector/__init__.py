"""Any model's tokenizer, read from its files (chapter `libraries`).

Nearly all models come with a `tokenizer.json`. It names the stages that a text goes through: a
normalizer changes it, a pre-tokenizer cuts it, a model makes tokens of each piece, a post-processor
puts special tokens around them, and a decoder goes back. `Pipeline` reads the file and does what
it says, with the algorithms of `companion.bpe`, `companion.wordpiece` and `companion.unigram`.

The format is that of the package `tokenizers`, and so are the ids; the tests compare them with
those of the version in `requirements.txt`.
"""

from inspector.added_tokens import AddedToken
from inspector.inspection import Finding, inspect_tokenizer
from inspector.pipeline import Pipeline, Stages

__all__ = ["AddedToken", "Finding", "Pipeline", "Stages", "inspect_tokenizer"]
