"""What transformers prints, in the chapter `bert-input`: each message of its table is provoked.

And what the chapter says of the modes of a model, and of what prints nothing.
"""

import logging
import re
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import torch

from companion.story import load_story
from companion.wordpiece import bert_uncased

CHAPTER = Path(__file__).parents[2] / "book" / "bert-input.md"
(SECTION,) = re.findall(
    r"(?ms)^### What the library prints.*?^###", CHAPTER.read_text(encoding="utf-8")
)
MESSAGES = re.findall(r"(?m)^\| `(.+?)` \|", SECTION)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write BERT's vocabulary and a small random model, as the chapter does."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    path = tmp_path_factory.mktemp("bert")
    (path / "vocab.txt").write_text("\n".join(bert_uncased().vocab), encoding="utf-8")
    BertTokenizerFast.from_pretrained(path, model_max_length=512).save_pretrained(path)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    BertModel(BertConfig(**sizes, intermediate_size=8)).save_pretrained(path)
    return path


@pytest.fixture
def printed(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], str]]:
    """Return what transformers has logged."""
    logger = logging.getLogger("transformers")
    logger.addHandler(caplog.handler)
    yield lambda: caplog.text
    logger.removeHandler(caplog.handler)


def generated() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    sizes = {"vocab_size": 9, "n_embd": 4, "n_head": 1, "n_layer": 1, "eos_token_id": 5}
    model = GPT2LMHeadModel(GPT2Config(**sizes, bos_token_id=1))
    return model.generate(torch.tensor([[1, 2], [1, 3]]), max_new_tokens=1)


def without_padding_token(tokenizer: Any) -> Any:
    tokenizer.pad_token = None
    return tokenizer(["a", "a b"], padding=True)


def classifier(folder: Path) -> Any:
    from transformers import BertForSequenceClassification

    return BertForSequenceClassification.from_pretrained(folder)


PROVOKED: dict[str, Callable[[Any, Any, Path], Any]] = {
    "Token indices": lambda tokens, model, folder: tokens(load_story()),
    "The size of tensor a": lambda tokens, model, folder: model(
        **tokens(load_story(), return_tensors="pt")
    ),
    "index out of range": lambda tokens, model, folder: model(torch.tensor([[101, -100]])),
    "not enough values": lambda tokens, model, folder: model(torch.tensor(tokens("a").input_ids)),
    "'list' object": lambda tokens, model, folder: model(tokens("a").input_ids),
    "Unable to create": lambda tokens, model, folder: tokens(["a", "a b"], return_tensors="pt"),
    "Expected tensor": lambda tokens, model, folder: model(torch.tensor([[101.0]])),
    "newly initialized": lambda tokens, model, folder: classifier(folder),
    "Asking to pad": lambda tokens, model, folder: without_padding_token(tokens),
    "The attention mask": lambda tokens, model, folder: generated(),
}


@pytest.mark.parametrize("chapter", ["bert-input", "relative-positions", "windows"])
def test_claims_name_the_versions_that_are_tested(chapter: str) -> None:
    text = CHAPTER.with_stem(chapter).read_text(encoding="utf-8")
    named = re.findall(r"(`transformers`|PyTorch) (\d+\.\d+)", text)
    assert named
    for library, number in named:
        installed = version("torch" if library == "PyTorch" else "transformers")
        assert installed.startswith(f"{number}.")


def test_each_message_has_its_trial() -> None:
    starts = [start for message in MESSAGES for start in PROVOKED if message.startswith(start)]
    assert starts == list(PROVOKED)
    assert len(MESSAGES) == len(PROVOKED)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message[:20])
def test_message(message: str, folder: Path, printed: Callable[[], str]) -> None:
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    (provoke,) = (trial for start, trial in PROVOKED.items() if message.startswith(start))
    raised = ""
    try:
        provoke(tokenizer, model, folder)
    except (AttributeError, IndexError, RuntimeError, ValueError) as error:
        raised = str(error)
    assert message in raised + printed()


def test_what_prints_nothing(folder: Path, printed: Callable[[], str]) -> None:
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    model(torch.tensor([[101, 7592, 102, 0, 0]]))  # padding without a mask
    assert len(tokenizer(load_story(), truncation=True).input_ids) == 512
    assert not any(tokenizer("what is ai? [SEP] ai is here").token_type_ids)
    assert printed() == ""


def test_who_is_in_evaluation_mode(folder: Path) -> None:
    from transformers import AutoModel, BertConfig, BertModel

    assert not AutoModel.from_pretrained(folder).training
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1}
    assert BertModel(BertConfig(**sizes)).training
