"""The tokenization modules need nothing beyond the standard library: so they run in WebAssembly."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys

class OnlyTheStandardLibrary:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "companion"}:
            raise ImportError(f"{name} is not in the standard library")

sys.meta_path.insert(0, OnlyTheStandardLibrary())

from companion.bpe import gpt2, train_bpe
from companion.pipeline import Pipeline
from companion.story import load_story
from companion.unigram import train_unigram
from companion.wordpiece import train_wordpiece
from companion.words import WordTokenizer, build_vocab

story = load_story()
for tokenizer in (gpt2(), train_bpe(story, 400), train_unigram(story, 200)):
    assert tokenizer.decode(tokenizer.encode(story)) == story
assert "[UNK]" not in train_wordpiece(story, 200).tokenize("the gate")
model = {"type": "WordLevel", "vocab": build_vocab(story), "unk_token": "the"}
pipeline = Pipeline({"pre_tokenizer": {"type": "Whitespace"}, "model": model})
assert pipeline.encode("the gate") == WordTokenizer(build_vocab(story)).encode("the gate")
try:
    train_bpe(story, 300, progress=True)
except ImportError as error:
    print(error)
"""


@pytest.mark.outside_mutation
def test_they_are_imported_and_used_where_nothing_else_can_be_imported() -> None:
    result = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert result.stderr == ""
    assert result.stdout == "tqdm is not in the standard library\n"
