"""The page `messages`: the installed libraries are made to say each message, and each fix is run.

A newer library may use other words: then it must say something, and the fix must help.
"""

import codecs
import json
import logging
import re
import socket
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha1
from importlib.metadata import version
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
import sentencepiece
import tiktoken
import tiktoken.load
import torch
from tiktoken_ext import openai_public
from tokenizer_files import added, bytes_of, of
from tokenizers import Tokenizer, decoders, models, processors
from torch.nn.functional import cosine_similarity, cross_entropy
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    BertModel,
    BertTokenizerFast,
    ByT5Tokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    LlamaTokenizer,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaModel,
    TextIteratorStreamer,
    TextStreamer,
)
from transformers.utils.import_utils import is_protobuf_available

from companion.bpe import BYTE_TO_UNICODE, gpt2
from companion.embeddings import GPT2Embeddings
from companion.pipeline import Pipeline
from companion.story import load_story
from companion.wordpiece import bert_uncased
from companion.words import WordTokenizer

BOOK = Path(__file__).parents[2] / "book"
PAGE = (BOOK / "messages.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"(?m)^\| \[`+ ?(.+?) ?`+\]\{#(m-[\w-]+)\} \|", PAGE))
MESSAGES = {name: message.replace("\\|", "|") for message, name in ROWS.items()}
OLDER = {"m-backend", "m-setting"}  # messages of 4.57.6: the row names the file and the line
ELSEWHERE = {"m-pre-tokenizer", "m-two-bos"}  # of llama.cpp: the row names the file
LIBRARIES = ["transformers", "tokenizers", "torch", "tiktoken", "sentencepiece"]
Act = Callable[[], Any]

BPE = of("BPE", vocab={c: i for i, c in enumerate([*BYTE_TO_UNICODE.values(), "in"])},
         merges=[["i", "n"]])  # fmt: skip
SAYS = "{% for m in messages %}{{ m['content'] + '' }}{% endfor %}"
HI = [{"role": "user", "content": "a"}]
PAD = {"pad_token": "</s>"}
HOME, NUMBER = TemporaryDirectory(), count()
ids = torch.tensor([[5, 6, 7]])


def folder(config: Any = None, files: Any = None, **changes: Any) -> Path:
    """Write the folder of a byte-level tokenizer with these changes."""
    path = Path(HOME.name, str(next(NUMBER)))
    path.mkdir()
    usual = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>"}
    content = {"version": "1.0", "model": BPE, "pre_tokenizer": bytes_of(), "decoder": bytes_of(),
               "added_tokens": [added("<s>", 257), added("</s>", 258)]} | changes  # fmt: skip
    files = {"tokenizer.json": content, "tokenizer_config.json": usual | (config or {})} | (
        files or {}
    )
    for name, value in files.items():
        text = value if isinstance(value, str) else json.dumps(value)
        (path / name).write_text(text, encoding="utf-8")
    return path


def opened(config: Any = None, files: Any = None, **changes: Any) -> Any:
    return AutoTokenizer.from_pretrained(folder(config, files, **changes))


def chat(template: str = SAYS, messages: Any = HI, **wanted: Any) -> Any:
    return opened({"chat_template": template}).apply_chat_template(messages, **wanted)


SMALL: Any = {
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 8,
}


@cache
def bert_folder() -> Path:
    path = Path(HOME.name, "bert")
    path.mkdir()
    (path / "vocab.txt").write_text("\n".join(bert_uncased().vocab), encoding="utf-8")
    BertTokenizerFast.from_pretrained(path, model_max_length=512).save_pretrained(path)
    BertModel(BertConfig(**SMALL)).save_pretrained(path)
    return path


def bert(*inputs: Any, **named: Any) -> Any:
    return AutoModel.from_pretrained(bert_folder())(*inputs, **named)


def words(*texts: Any, **wanted: Any) -> Any:
    return AutoTokenizer.from_pretrained(bert_folder())(*texts, **wanted)


def gpt(**config: Any) -> Any:
    sizes = {"vocab_size": 300, "n_embd": 4, "n_head": 1, "n_layer": 1, "n_positions": 16}
    return GPT2LMHeadModel(
        GPT2Config(**sizes, **{"eos_token_id": 258, "bos_token_id": 257} | config)
    )


def written(model: Any = None, rows: Any = ids, **wanted: Any) -> Any:
    return (model or gpt(pad_token_id=0)).generate(rows, **{"max_new_tokens": 1} | wanted)


def llama(**named: Any) -> Any:
    ends = {"eos_token_id": 8, "bos_token_id": 7, "pad_token_id": 0}
    return LlamaForCausalLM(LlamaConfig(vocab_size=9, **SMALL, **ends)).generate(
        ids, max_new_tokens=1, **named
    )


def roberta(n: int) -> Any:
    sizes = {"vocab_size": 9, "max_position_embeddings": 514}
    return RobertaModel(RobertaConfig(**SMALL, **sizes))(torch.full((1, n), 5))


def with_nan(value: float) -> Any:
    model = gpt(pad_token_id=0)
    with torch.no_grad():
        model.transformer.wte.weight[5] = value
    return written(model, do_sample=True)


def taught(size: int, **wanted: Any) -> Any:
    """Train a model of SentencePiece on few characters."""
    file = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e"]),
        model_writer=file,
        vocab_size=size,
        minloglevel=2,
        **wanted,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())


def marked() -> Path:
    """Write a folder that has only a `tokenizer.model`."""
    path = Path(HOME.name, str(next(NUMBER)))
    path.mkdir()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(load_story().split("\n")), model_prefix=str(path / "tokenizer"),
        vocab_size=200, model_type="bpe", minloglevel=2,
    )  # fmt: skip
    config = {"tokenizer_class": "LlamaTokenizer"}
    (path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return path


def of_file(path: Path) -> Any:
    return sentencepiece.SentencePieceProcessor(model_file=str(path / "tokenizer.model"))


def without_protobuf(act: Act) -> Any:
    """Do it as on a machine that has no `protobuf`; the library remembers what it has found."""
    is_protobuf_available.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "google.protobuf", None)
        try:
            return act()
        finally:
            is_protobuf_available.cache_clear()


def with_protobuf() -> Any:
    pytest.importorskip("google.protobuf")
    return AutoTokenizer.from_pretrained(marked())


def of_mistral(kind: str = "mistral", **wanted: Any) -> Any:
    vocab = {**BPE["vocab"], **{f"x{i}": i for i in range(257, 100_001)}}
    config = {"model_type": kind, "transformers_version": "4.57.3"}
    path = folder(files={"config.json": config}, model=BPE | {"vocab": vocab}, added_tokens=[])
    return AutoTokenizer.from_pretrained(path, **wanted)


def loaded(*sizes: int) -> None:
    """Load a table of 300 rows into a model that was given these sizes, one after another."""
    model = gpt()
    for rows in sizes:
        model.resize_token_embeddings(rows)
    model.load_state_dict(gpt().state_dict())


def one_by_one(decode: Callable[[bytes], str]) -> None:
    """Decode the bytes of each token."""
    pieces = openai().decode_tokens_bytes(openai().encode("a 🐇"))
    assert "".join(decode(piece) for piece in pieces) == "a 🐇"


def streamed(new: bool) -> None:
    """Pass on ids that end as no character, then one that ends the run of bytes."""
    pieces = ["<unk>", "▁a", "b", "▁", "<0xF0>", "<0x9F>"]
    tokenizer = Tokenizer(models.BPE({p: i for i, p in enumerate(pieces)}, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    stream = decoders.DecodeStream()
    for token_id in (4, 5, 5, 5, 4, 0):
        stream = decoders.DecodeStream() if new and token_id == 0 else stream
        stream.step(tokenizer, token_id)


@cache
def openai() -> tiktoken.Encoding:
    return gpt2().to_tiktoken("gpt2")


def refused(*_: Any) -> None:
    raise OSError("there is no network")


def downloaded() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", HOME.name)
        patch.setattr(socket, "getaddrinfo", refused)
        return tiktoken.get_encoding("gpt2")


REMOTE = {"config.json": {"model_type": "zorb"}, "c.py": "raise SystemExit"}
OWN = {"tokenizer_class": "Z", "auto_map": {"AutoTokenizer": ["c.T", None]}}
LFS = {"tokenizer.json": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"}
LINEAR = {"rope_type": "linear", "rope_theta": 1e4}
MADE = json.dumps({"version": "1.0", "added_tokens": [], "model": BPE})


def in_file(**changes: Any) -> Tokenizer:
    return Tokenizer.from_str(json.dumps(json.loads(MADE) | changes))


def grown(rows: int) -> Any:
    return BertModel.from_pretrained(bert_folder(), config=BertConfig(vocab_size=rows, **SMALL))


def padded(side: str) -> Any:
    tokenizer = opened(PAD)
    tokenizer.padding_side = side
    return written(
        gpt(pad_token_id=258),
        **no_types(tokenizer(["a b", "a"], padding=True, return_tensors="pt")),
    )


def no_types(batch: Any) -> Any:
    return {"rows": batch["input_ids"], "attention_mask": batch["attention_mask"]}


# What provokes each message, and the fix.
PROVOKED: dict[str, tuple[Act, Act]] = {
    "m-keys": (lambda: opened(PAD).pad([[5, 6]]), lambda: opened(PAD).pad([{"input_ids": [5, 6]}])),
    "m-protobuf": (
        lambda: without_protobuf(lambda: AutoTokenizer.from_pretrained(marked())),
        with_protobuf,
    ),
    "m-empty": (lambda: AutoTokenizer.from_pretrained(HOME.name), opened),
    "m-hub": (lambda: AutoTokenizer.from_pretrained("no-such-folder", local_files_only=True),
              lambda: AutoTokenizer.from_pretrained(folder().resolve(strict=True))),
    "m-repo": (lambda: AutoTokenizer.from_pretrained("./no/such/folder"), opened),
    "m-remote": (lambda: opened(OWN, REMOTE),
                 lambda: PreTrainedTokenizerFast.from_pretrained(folder(OWN, REMOTE))),
    "m-architecture": (lambda: AutoModel.from_pretrained(folder(files=REMOTE)),
                       lambda: PreTrainedTokenizerFast.from_pretrained(folder(files=REMOTE))),
    "m-mistral": (of_mistral, lambda: [of_mistral(fix_mistral_regex=b) for b in (True, False)]),
    "m-bytelevel": (lambda: opened({"tokenizer_class": "LlamaTokenizer"}),
                    lambda: opened({"tokenizer_class": "TokenizersBackend"})),
    "m-attribute": (lambda: opened().encode_plus("a"),
                    lambda: [opened()("a"), opened()(["a", "a"]), opened().extra_special_tokens]),
    "m-json": (lambda: Tokenizer.from_str(LFS["tokenizer.json"]), lambda: Tokenizer.from_str(MADE)),
    "m-eof": (lambda: Tokenizer.from_str(MADE[:40]), lambda: Tokenizer.from_str(MADE)),
    "m-variant": (lambda: in_file(normalizer={"type": "Zorb"}), in_file),
    "m-file": (lambda: Tokenizer.from_file("a-name"),
               lambda: Tokenizer.from_file(f"{folder()}/tokenizer.json")),
    "m-merges": (lambda: models.BPE({"a": 0, "b": 1}, [("a", "c")]),
                 lambda: models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])),
    "m-missing": (lambda: BertForSequenceClassification.from_pretrained(bert_folder()),
                  lambda: BertModel.from_pretrained(bert_folder())),
    "m-mismatch": (lambda: grown(99), lambda: grown(30_522)),
    "m-rows": (lambda: loaded(259), lambda: loaded(259, 300)),
    "m-rope": (lambda: LlamaConfig().rope_theta,
               lambda: LlamaConfig().rope_parameters["rope_theta"]),
    "m-rope-keys": (lambda: LlamaConfig(rope_parameters=LINEAR),
                    lambda: LlamaConfig(rope_parameters=LINEAR | {"factor": 2.0})),
    "m-long": (lambda: words(load_story()), lambda: words(load_story(), truncation=True)),
    "m-create": (lambda: words(["a", "a b"], return_tensors="pt"),
                 lambda: words(["a", "a b"], return_tensors="pt", padding=True)),
    "m-pad": (lambda: opened()(["a", "a b"], padding=True),
              lambda: opened(PAD)(["a", "a b"], padding=True)),
    "m-text": (lambda: opened()([1.5]), lambda: opened()([str(1.5)])),
    "m-batch": (lambda: written(rows=opened()("a", return_tensors="pt")),
                lambda: gpt(pad_token_id=0).generate(**opened()("a", return_tensors="pt"),
                                                     max_new_tokens=1)),
    "m-word-ids": (lambda: ByT5Tokenizer()("a").word_ids(), lambda: opened()("a").word_ids()),
    "m-negative": (lambda: opened().decode(torch.tensor([-100, 5])), lambda: opened().decode([5])),
    "m-unk": (lambda: Tokenizer(models.WordPiece({"a": 0}, unk_token="[UNK]")).encode("b"),
              lambda: Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]")).encode("b")),
    "m-template": (
        lambda: processors.TemplateProcessing(single="[CLS] $A", special_tokens=[]),
        lambda: processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 2)]),
    ),
    "m-clean": (
        lambda: opened({"clean_up_tokenization_spaces": True}).decode([5]),
        lambda: opened({"clean_up_tokenization_spaces": False}).decode([5]),
    ),
    "m-stream": (lambda: streamed(new=False), lambda: streamed(new=True)),
    "m-utf8": (
        lambda: one_by_one(bytes.decode),
        lambda: one_by_one(codecs.getincrementaldecoder("utf-8")(errors="replace").decode),
    ),
    "m-chat": (lambda: opened().apply_chat_template(HI), chat),
    "m-roles": (lambda: chat("{{ raise_exception('Conversation roles must alternate "
                             "user/assistant/user/assistant/...') }}"), chat),
    "m-content": (lambda: chat(messages=[{"role": "assistant"}]),
                  lambda: chat(messages=[{"role": "assistant", "content": ""}])),
    "m-messages": (lambda: chat(messages="a"), chat),
    "m-generation": (
        lambda: chat(return_assistant_tokens_mask=True),
        lambda: chat("{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}"
                     "{% endfor %}", return_assistant_tokens_mask=True),
    ),
    "m-sanitize": (lambda: chat(sanitize_control_tokens=True, tokenize=False),
                   lambda: chat(f"<s>{SAYS}", sanitize_control_tokens=True)),
    "m-continue": (lambda: chat(add_generation_prompt=True, continue_final_message=True),
                   lambda: chat(continue_final_message=True)),
    "m-index": (lambda: bert(torch.tensor([[5, -100]])), lambda: bert(torch.tensor([[5, 100]]))),
    "m-size": (lambda: bert(**words(load_story(), return_tensors="pt")),
               lambda: bert(**words(load_story(), return_tensors="pt", truncation=True))),
    "m-expanded": (lambda: bert(torch.full((1, 600), 5)), lambda: bert(torch.full((1, 512), 5))),
    "m-roberta": (lambda: roberta(513), lambda: roberta(512)),
    "m-unpack": (lambda: bert(torch.tensor(words("a").input_ids)),
                 lambda: bert(torch.tensor(words("a").input_ids)[None])),
    "m-list": (lambda: bert(words("a").input_ids),
               lambda: bert(words("a", return_tensors="pt").input_ids)),
    "m-float": (lambda: bert(ids.float()), lambda: bert(ids.float().long())),
    "m-both": (lambda: gpt()(ids, inputs_embeds=torch.zeros(1, 3, 4)), lambda: gpt()(ids)),
    "m-resize": (lambda: gpt().resize_token_embeddings(310),
                 lambda: gpt().resize_token_embeddings(310, mean_resizing=False)),
    "m-matrix": (lambda: torch.nn.Linear(768, 2)(torch.zeros(1, 384)),
                 lambda: torch.nn.Linear(384, 2)(torch.zeros(1, 384))),
    "m-mask": (lambda: written(gpt(), torch.tensor([[1, 2], [1, 3]])),
               lambda: written(gpt(), ids, attention_mask=ids > 0, pad_token_id=0)),
    "m-right": (lambda: padded("right"), lambda: padded("left")),
    "m-friendly": (lambda: written(max_new_tokens=20), lambda: written(max_new_tokens=9)),
    "m-max": (lambda: written(max_length=3, max_new_tokens=None), written),
    "m-stop": (lambda: written(stop_strings=["in"]),
               lambda: written(stop_strings=["in"], tokenizer=opened())),
    "m-kwargs": (lambda: llama(token_type_ids=ids), llama),
    "m-streamer": (lambda: written(rows=ids.T, streamer=TextStreamer(opened())),
                   lambda: written(streamer=TextStreamer(opened()))),
    "m-nan": (lambda: with_nan(float("nan")), lambda: with_nan(0.0)),
    "m-stack": (lambda: torch.utils.data.default_collate([torch.ones(5), torch.ones(3)]),
                lambda: opened(PAD).pad({"input_ids": [[5] * n for n in (5, 3)]})),
    "m-ragged": (lambda: torch.tensor([[1, 2], [1]]), lambda: torch.tensor([[1, 2], [1, 0]])),
    "m-strings": (lambda: torch.tensor(["in"]),
                  lambda: torch.tensor(opened().convert_tokens_to_ids(["in"]))),
    "m-target": (lambda: cross_entropy(torch.zeros(2, 5), torch.tensor([1, 5])),
                 lambda: cross_entropy(torch.zeros(2, 5), torch.tensor([1, -100]))),
    "m-dtype": (lambda: cross_entropy(torch.zeros(2, 5), torch.ones(2)),
                lambda: cross_entropy(torch.zeros(2, 5), torch.ones(2).long())),
    "m-loss": (lambda: cross_entropy(torch.zeros(1, 3, 5), ids[:, :3] - 5),
               lambda: cross_entropy(torch.zeros(1, 3, 5).flatten(0, 1), (ids - 5).flatten())),
    "m-special": (lambda: openai().encode("<|endoftext|>"),
                  lambda: openai().encode("<|endoftext|>", disallowed_special=())),
    "m-map": (lambda: tiktoken.encoding_for_model("zorb-1"),
              lambda: tiktoken.encoding_name_for_model("gpt-5")),
    "m-network": (downloaded, lambda: openai()),
    "m-decoding": (lambda: openai().decode([60_000]),
                   lambda: openai().decode([50_256])),
    "m-proto": (lambda: of_file(folder(files={"tokenizer.model": LFS["tokenizer.json"]})),
                lambda: of_file(marked())),
    "m-piece": (lambda: taught(9).decode([900]), lambda: taught(9).decode([8])),
    "m-high": (lambda: taught(900), lambda: taught(900, hard_vocab_limit=False)),
    "m-low": (lambda: taught(3), lambda: taught(9)),
    "m-word": (lambda: WordTokenizer({"a": 0}).encode("b"),
               lambda: WordTokenizer({"a": 0}, unk_token="a").encode("b")),
    "m-id": (lambda: gpt2().decode([60_000]), lambda: gpt2().decode([50_256])),
    "m-row": (lambda: GPT2Embeddings(50, 8, 4)(torch.tensor([[60]])),
              lambda: GPT2Embeddings(61, 8, 4)(torch.tensor([[60]]))),
    "m-positions": (lambda: GPT2Embeddings(50, 8, 4)(torch.ones(1, 9).long()),
                    lambda: GPT2Embeddings(50, 9, 4)(torch.ones(1, 9).long())),
    "m-lfs": (lambda: Pipeline.from_file(folder(files=LFS) / "tokenizer.json"),
              lambda: Pipeline.from_file(folder())),
    "m-supported": (lambda: Pipeline.from_file(folder(normalizer={"type": "Zorb"})),
                    lambda: Pipeline.from_file(folder())),
}  # fmt: skip


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[Act], str]]:
    """Return what is raised or logged."""
    logger = logging.getLogger("transformers")
    logger.addHandler(caplog.handler)

    def listen(act: Act) -> str:
        caplog.clear()
        logging.Logger.warning_once.cache_clear()  # type: ignore[attr-defined]  # once in a process
        try:
            act()
        except BaseException as error:  # a panic of Rust is no Exception
            frame = traceback.extract_tb(error.__traceback__)[-1]
            at = f"{frame.filename} in {frame.name} {frame.line}"
            before = f"{type(error.__context__).__name__}: {error.__context__}"
            said = f"{error.args[0] if error.args else ''}\n{error!s}"
            return f"{before}\n{at}\n{said}\n{caplog.text}"
        return caplog.text

    yield listen
    logger.removeHandler(caplog.handler)


def test_each_message_has_its_trial() -> None:
    assert {*MESSAGES} - OLDER - ELSEWHERE == {*PROVOKED}
    assert len(MESSAGES) == PAGE.count("]{#m-")
    for name in OLDER:
        assert re.search(rf"{{#{name}}} \| .*4\.57\.6 \(`[\w/]+\.py`, line \d+\)", PAGE), name
    for name in ELSEWHERE:
        assert re.search(
            rf"{{#{name}}} \| .*llama\.cpp \(`[\w./-]+`, commit [0-9a-f]{{7}}\)", PAGE
        ), name


def expression(message: str) -> str:
    """Return what finds a message with other names and numbers."""
    parts = [re.sub(r"\d+", r"\\d+", re.escape(part)) for part in re.split(" ?… ?", message)]
    return r"[\s\S]*?".join(parts)


@pytest.mark.parametrize("name", PROVOKED)
def test_message_and_fix(name: str, said: Callable[[Act], str], monkeypatch: Any) -> None:
    monkeypatch.setattr("builtins.input", lambda *_: "n")
    provoke, fix = PROVOKED[name]
    (stated,) = re.findall(r"The messages are those of .*", PAGE)
    same = all(
        re.search(r"\d", stated) and ".".join(version(p).split(".")[:2]) in stated
        for p in LIBRARIES
    )
    found = said(provoke)
    assert re.search(expression(MESSAGES[name]), found) or (found and not same), found
    fix()
    assert not re.search(expression(MESSAGES[name]), said(fix))


# What a row says beside its message, and a model of a kind that the row has not.
BESIDE: dict[str, Act] = {
    "Expecting value: line 1 column 1 (char 0)": lambda: opened(files=LFS),
    "SentencePieceExtractor requires the protobuf library": lambda: PROVOKED["m-protobuf"][0](),
    "range end index 2 out of range for slice of length 1": lambda: models.BPE(
        {"a": 0, "b": 1}, [("a", "b")]
    ),
    "invalid start byte": lambda: b"\x87".decode(),
    "TextEncodeInput must be Union[TextInputSequence": lambda: opened()(["a", None]),
    "Encountered an unknown token but `unk_id` is missing": lambda: Tokenizer(
        models.Unigram([("a", 0.0)], None, False)
    ).encode("b"),
    "'list' object has no attribute 'shape'": lambda: written(rows=[[5, 6]]),
    "embedding(): argument 'indices' (position 2) must be Tensor, not list": lambda: torch.nn.
    Embedding(5, 2)([1]),
}  # fmt: skip


@pytest.mark.parametrize("message", BESIDE)
def test_what_else_a_row_says(message: str, said: Callable[[Act], str]) -> None:
    assert message in PAGE
    assert message in said(BESIDE[message])


def test_the_warning_about_mistral_is_not_for_other_models(said: Callable[[Act], str]) -> None:
    assert MESSAGES["m-mistral"] not in said(lambda: of_mistral("qwen3"))
    for right, pieces in ((True, ["Hello", "World"]), (False, ["HelloWorld"])):
        stage = of_mistral(fix_mistral_regex=right).backend_tokenizer.pre_tokenizer
        assert [piece for piece, _ in stage.pre_tokenize_str("HelloWorld")] == pieces


def test_the_class_name_that_both_versions_know_keeps_the_ids() -> None:
    now, before = (opened({"tokenizer_class": name}).encode("in a tin")
                   for name in ("TokenizersBackend", "PreTrainedTokenizerFast"))  # fmt: skip
    assert now == before


def test_the_names_that_version_5_has_not() -> None:
    (names,) = re.findall(r"name of version 4 is gone: (.*?)\. \*\*Fix", PAGE)
    assert not [name for name in re.findall(r"\w+", names) if hasattr(opened(), name)]


def test_tiktoken_names_a_file_by_its_address(monkeypatch: Any, tmp_path: Path) -> None:
    files = dict(re.findall(r"`(\w+_base)` is `([0-9a-f]{40})`", PAGE))
    assert len(files) == 4
    addresses: list[str] = []
    monkeypatch.setattr(
        openai_public, "load_tiktoken_bpe", lambda address, **_: addresses.append(address)
    )
    for name in files:
        openai_public.ENCODING_CONSTRUCTORS[name]()
    assert [sha1(address.encode()).hexdigest() for address in addresses] == [*files.values()]
    other = tmp_path / files["r50k_base"]
    other.write_bytes(b"other content")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    with pytest.raises(OSError, match="Max retries exceeded"):
        tiktoken.load.read_file_cached(addresses[-1], "0" * 64)
    assert not other.exists()


Names = dict[str, Any]
SYMPTOMS = re.findall(r"(?m)^\| \[\*\*.*\]\{#(s-[\w-]+)\}.*? \| `(.+?)` \| .* \|$", PAGE)
THETA = {"rope_parameters": {"rope_theta": 1e6}}
WITH_TURN = SAYS + "{% if add_generation_prompt %}<|assistant|>{% endif %}"


def rendered(template: str) -> Names:
    texts = [chat(template, tokenize=False, add_generation_prompt=b) for b in (True, False)]
    return dict(zip(("rendered", "without_prompt"), texts, strict=True))


def cosines(centred: bool) -> Names:
    """Average the input vectors of ten texts that have no word in common, with random tables."""
    torch.manual_seed(0)
    layer = BertModel(BertConfig(vocab_size=3000, num_hidden_layers=0)).embeddings.eval()
    rows = [
        layer(torch.tensor([[101, *range(n, n + 9), 102]])).mean(dim=1)
        for n in range(2000, 2100, 10)
    ]
    vectors = torch.cat(rows)
    vectors = vectors - vectors.mean(dim=0) if centred else vectors
    pairs = cosine_similarity(vectors[:, None], vectors, dim=-1)
    return {"mean_cosine": (pairs.sum() - 10) / 90}


def added_row(value: float) -> Names:
    model = gpt()
    model.resize_token_embeddings(301)
    table = model.get_input_embeddings().weight
    with torch.no_grad():
        table[300] = value
    rows = torch.tensor([[5, 300, 6]])
    assert model(rows, labels=rows).loss.isnan() == (value != value)
    return {"E": table}


def of_labels(labels: torch.Tensor) -> Names:
    assert gpt()(ids, labels=labels).loss.isnan() == bool((labels == -100).all())
    return {"labels": labels}


# A program that has not this cause, and one that has.
CAUSES: dict[str, tuple[Act, Act]] = {
    "s-stops": (lambda: {"end_id": 3, "generation": gpt(eos_token_id=[2, 3]).generation_config},
                lambda: {"end_id": 3, "generation": gpt(eos_token_id=[2]).generation_config}),
    "s-user": (lambda: rendered(WITH_TURN), lambda: rendered(SAYS)),
    "s-thinking": (lambda: {"tokenizer": opened({"chat_template": "{{ enable_thinking }}"})},
                   lambda: {"tokenizer": opened({"chat_template": SAYS})}),
    "s-bos": (lambda: {"tokenizer": AutoTokenizer.from_pretrained(folder(), add_bos_token=True)},
              lambda: {"tokenizer": opened({"add_bos_token": True})}),
    "s-spaces": (lambda: {"tokenizer": opened({"tokenizer_class": "LlamaTokenizer"})},
                 lambda: {"tokenizer": LlamaTokenizer.from_pretrained(folder())}),
    "s-labels": (lambda: of_labels(ids), lambda: of_labels(torch.full_like(ids, -100))),
    "s-nan": (lambda: added_row(0.0), lambda: added_row(float("nan"))),
    "s-cosine": (lambda: cosines(centred=True), lambda: cosines(centred=False)),
    "s-stream": (lambda: {"tokenizer": gpt2(), "ids": gpt2().encode("a")},
                 lambda: {"tokenizer": gpt2(), "ids": gpt2().encode("🐇")}),
    "s-stop": (lambda: {"ids": torch.tensor([5, 256]), "stop_ids": [256]},
               lambda: {"ids": torch.tensor([5, 72, 77]), "stop_ids": [256]}),
    "s-truncation": (lambda: {"tokenizer": opened({"model_max_length": 512})},
                     lambda: {"tokenizer": opened()}),
    "s-theta": (lambda: {"saved": THETA, "config": SimpleNamespace(rope_theta=1e6)},
                lambda: {"saved": THETA, "config": SimpleNamespace(rope_theta=1e4)}),
}  # fmt: skip


@pytest.mark.parametrize(("name", "line"), SYMPTOMS)
def test_the_check_of_a_symptom(name: str, line: str) -> None:
    corrections = (BOOK / "corrections.md").read_text(encoding="utf-8")
    if name not in CAUSES:
        assert f"`{line}`" in corrections  # it is tried there
        return
    for program, all_is_well in zip(CAUSES[name], (True, False), strict=True):
        assert bool(eval(line, {"torch": torch} | program())) is all_is_well


def test_streamers_wait_for_whole_characters() -> None:
    tokenizer = opened()
    text, stream = "a 🐇!", decoders.DecodeStream()
    pieces = [stream.step(tokenizer.backend_tokenizer, i) for i in tokenizer.encode(text)]
    assert "".join(piece or "" for piece in pieces) == text
    streamer = TextIteratorStreamer(tokenizer, timeout=9)
    for token_id in tokenizer.encode(text):
        streamer.put(torch.tensor([token_id]))
    streamer.end()
    assert not any("�" in piece for piece in streamer)


def test_version_5_keeps_the_base_of_rope_in_a_dictionary() -> None:
    saved = LlamaConfig(
        rope_parameters={"rope_type": "default", **THETA["rope_parameters"]}
    ).to_dict()
    assert saved["rope_parameters"]["rope_theta"] == 1e6
    assert "rope_theta" not in saved


def test_what_prints_nothing(said: Callable[[Act], str]) -> None:
    assert said(lambda: bert(torch.tensor([[101, 7592, 102, 0, 0]]))) == ""  # no mask
    assert said(lambda: words(load_story(), truncation=True)) == ""
    assert not any(words("what is ai? [SEP] ai is here")["token_type_ids"])


def test_who_is_in_evaluation_mode() -> None:
    assert not AutoModel.from_pretrained(bert_folder()).training
    assert BertModel(BertConfig(**SMALL)).training


@pytest.mark.parametrize("chapter", ["bert-input", "relative-positions", "windows"])
def test_claims_name_a_version_that_is_not_newer_than_the_tested_one(chapter: str) -> None:
    named = re.findall(
        r"(`transformers`|PyTorch) (\d+)\.(\d+)", (BOOK / f"{chapter}.md").read_text("utf-8")
    )
    assert named
    for library, *number in named:
        installed = version("torch" if library == "PyTorch" else "transformers").split(".")
        assert [int(part) for part in installed[:2]] >= [int(part) for part in number]
