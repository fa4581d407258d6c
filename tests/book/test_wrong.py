"""The page `wrong`: the installed libraries are made to say each message, and each fix is run."""

import codecs
import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any
from unittest import mock

import pytest
import sentencepiece
import tiktoken
import torch
import transformers as hf
from tokenizer_files import added, bytes_of, of, sentencepiece_model, trained, write
from tokenizers import Tokenizer, decoders, models, processors
from torch.nn.functional import cross_entropy
from transformers.trainer_utils import align_special_tokens
from transformers.utils.import_utils import is_protobuf_available
from wrong_page import MESSAGES, PAGE

from companion.bpe import BYTE_TO_UNICODE, gpt2
from companion.embeddings import GPT2Embeddings
from companion.story import load_story
from companion.words import WordTokenizer
from inspector import Pipeline

# Messages of other versions and programs, which their entry names, and one of Python.
ELSEWHERE = {
    "m-backend", "m-setting", "m-special-twice", "m-borrowed", "m-forked", "m-eos-template",
    "m-pre-tokenizer", "m-two-bos", "m-too-large", "m-onnx", "m-mask-length", "m-cuda",
    "m-companion",
}  # fmt: skip

BPE = of("BPE", vocab={c: i for i, c in enumerate([*BYTE_TO_UNICODE.values(), "in"])},
         merges=[["i", "n"]])  # fmt: skip
SAYS = "{% for m in messages %}{{ m['content'] + '' }}{% endfor %}"
HI = [{"role": "user", "content": "a"}]
PAD = {"pad_token": "</s>"}
SMALL: dict[str, Any] = {"vocab_size": 700, "hidden_size": 8, "num_hidden_layers": 1,
                         "num_attention_heads": 2}  # fmt: skip
HOME = TemporaryDirectory()
OPENAI = gpt2().to_tiktoken("gpt2")
RABBIT = OPENAI.encode("a 🐇")
ids = torch.tensor([[5, 6, 7]])
load, fast = hf.AutoTokenizer.from_pretrained, hf.PreTrainedTokenizerFast


def new(files: Any) -> Path:
    return write(Path(mkdtemp(dir=HOME.name)), files)


def folder(config: Any = None, files: Any = None, **changes: Any) -> Path:
    """Write the folder of a byte-level tokenizer with these changes."""
    usual = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>"}
    content = {"version": "1.0", "model": BPE, "pre_tokenizer": bytes_of(), "decoder": bytes_of(),
               "added_tokens": [added("<s>", 257), added("</s>", 258)]} | changes  # fmt: skip
    written = {"tokenizer.json": content, "tokenizer_config": usual | (config or {})}
    return new(written | (files or {}))


def opened(config: Any = None, **changes: Any) -> Any:
    return load(folder(config, **changes))


def chat(template: str | None = SAYS, messages: Any = HI, **wanted: Any) -> Any:
    return opened({"chat_template": template}).apply_chat_template(messages, **wanted)


@cache
def bert_folder() -> Path:
    vocab = trained("WordPiece")["vocab"]
    hf.BertTokenizerFast(vocab=vocab, model_max_length=512).save_pretrained(path := new({}))
    hf.BertModel(hf.BertConfig(**SMALL)).save_pretrained(path)
    return path


def bert(*inputs: Any, **named: Any) -> Any:
    return hf.AutoModel.from_pretrained(bert_folder())(*inputs, **named)


def words(*texts: Any, **wanted: Any) -> Any:
    return load(bert_folder())(*texts, **wanted)


def gpt(**config: Any) -> Any:
    sizes = {"vocab_size": 300, "n_embd": 4, "n_head": 1, "n_layer": 1, "n_positions": 16}
    usual = {"eos_token_id": 258, "bos_token_id": 257, "pad_token_id": 0}
    return hf.GPT2LMHeadModel(hf.GPT2Config(**sizes, **usual | config))


def written(rows: Any = ids, model: Any = None, **wanted: Any) -> Any:
    return (model or gpt()).generate(rows, **{"max_new_tokens": 1} | wanted)


def with_row(value: float) -> Any:
    """Return a model with one value in a whole row."""
    model = gpt()
    with torch.no_grad():
        model.get_input_embeddings().weight[5] = value
    return model


def padded(side: str) -> Any:
    tokenizer = opened(PAD)
    tokenizer.padding_side = side
    batch = tokenizer(["a b", "a"], padding=True, return_tensors="pt")
    return gpt(pad_token_id=258).generate(**batch, max_new_tokens=1)


def loaded(sizes: list[int]) -> None:
    """Load a table of 320 rows into a model that was given these sizes, one after another."""
    model, larger = gpt(), gpt()
    larger.resize_token_embeddings(320)
    for rows in sizes:
        model.resize_token_embeddings(rows)
    model.load_state_dict(larger.state_dict())


def two_tables(is_tied: bool) -> None:
    """Save a model whose output has a table of its own, and load it: both are kept."""
    model = gpt(tie_word_embeddings=False)
    model.config.tie_word_embeddings = is_tied
    model.save_pretrained(path := folder())
    found = hf.GPT2LMHeadModel.from_pretrained(path)
    assert torch.equal(found.lm_head.weight, model.lm_head.weight)


def taught(size: int, hard_vocab_limit: bool = True) -> Any:
    """Train a model of SentencePiece on few characters."""
    file = sentencepiece_model(sentence_iterator=iter(["a b c d e"]), vocab_size=size,
                               hard_vocab_limit=hard_vocab_limit)  # fmt: skip
    return sentencepiece.SentencePieceProcessor(model_proto=file)


def marked() -> Path:
    """Write a folder that has only a `tokenizer.model`."""
    model = sentencepiece_model(model_type="bpe")
    return new(
        {"tokenizer.model": model, "tokenizer_config": {"tokenizer_class": "LlamaTokenizer"}}
    )


def of_protobuf(is_missing: bool) -> Any:
    """Open it, also as on a machine without `protobuf`; the library remembers what it has found."""
    is_protobuf_available.cache_clear()
    with mock.patch.dict(sys.modules, {"google.protobuf": None} if is_missing else {}):
        try:
            return load(marked())
        finally:
            is_protobuf_available.cache_clear()


def of_mistral(**wanted: Any) -> Any:
    vocab = {**BPE["vocab"], **{f"x{i}": i for i in range(257, 100_001)}}
    config = {"model_type": "mistral", "transformers_version": "4.57.3"}
    path = folder(files={"config": config}, model=BPE | {"vocab": vocab}, added_tokens=[])
    return load(path, **wanted)


def streamed(is_new: bool) -> None:
    """Pass on ids that end as no character, then one that ends the run of bytes."""
    vocab = {p: i for i, p in enumerate(["<unk>", "▁a", "b", "▁", "<0xF0>", "<0x9F>"])}
    tokenizer = Tokenizer(models.BPE(vocab, [], byte_fallback=True))
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Fuse()])
    stream = decoders.DecodeStream()
    for token_id in (4, 5, 5, 5, 4, 0):
        stream = decoders.DecodeStream() if is_new and token_id == 0 else stream
        stream.step(tokenizer, token_id)


def offline(fetch: Callable[[], Any]) -> Any:
    with mock.patch("socket.getaddrinfo", side_effect=OSError), \
         mock.patch.dict(os.environ, TIKTOKEN_CACHE_DIR=HOME.name):  # fmt: skip
        return fetch()


def pictured(n_places: int) -> None:
    """Give a model one image, two vectors of it, and so many places for them."""
    sizes = SMALL | {"intermediate_size": 8}
    vision = hf.CLIPVisionConfig(**sizes, image_size=4, patch_size=2, num_channels=1)
    text = hf.LlamaConfig(**sizes)
    config = hf.LlavaConfig(vision_config=vision, text_config=text, image_token_id=5)
    places = torch.full((1, 2 * n_places), 5)
    hf.LlavaForConditionalGeneration(config)(places, pixel_values=torch.zeros(1, 1, 4, 4))


HALF = "a \ud83d"
REMOTE = {"config.json": {"model_type": "zorb"}, "c.py": "raise SystemExit"}
OWN = {"tokenizer_class": "Z", "auto_map": {"AutoTokenizer": ["c.T", None]}}
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
MADE = json.dumps({"version": "1.0", "added_tokens": [], "model": BPE})
MARKED = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}"


# What is tried; with the first argument it says the message, the second is the fix.
PROVOKED: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "m-keys": (lambda rows: opened(PAD).pad(rows), [[5, 6]], [{"input_ids": [5, 6]}]),
    "m-protobuf": (of_protobuf, True, False),
    "m-empty": (lambda path: load(path()), lambda: new({}), folder),
    "m-hub": (lambda path: load(path(), local_files_only=True),
              lambda: "no-such-folder", lambda: folder().resolve(strict=True)),
    "m-repo": (lambda path: load(path()), lambda: "./no/such/folder", folder),
    "m-remote": (lambda cls: cls.from_pretrained(folder(OWN, REMOTE)), hf.AutoTokenizer, fast),
    "m-architecture": (lambda cls: cls.from_pretrained(folder(files=REMOTE)), hf.AutoModel, fast),
    "m-mistral": (lambda wanted: of_mistral(**wanted), {}, {"fix_mistral_regex": True}),
    "m-bytelevel": (lambda name: opened({"tokenizer_class": name}),
                    "LlamaTokenizer", "TokenizersBackend"),
    "m-attribute": (lambda name: getattr(opened(), name), "encode_plus", "extra_special_tokens"),
    "m-json": (Tokenizer.from_str, POINTER, MADE),
    "m-eof": (Tokenizer.from_str, MADE[:40], MADE),
    "m-variant": (lambda part: Tokenizer.from_str(json.dumps(json.loads(MADE) | part)),
                  {"normalizer": {"type": "Zorb"}}, {}),
    "m-file": (lambda make: Tokenizer.from_file(str(make())),
               lambda: "a-name", lambda: folder() / "tokenizer.json"),
    "m-class": (lambda name: opened({"tokenizer_class": name}),
                "T5Tokenizer", "PreTrainedTokenizerFast"),
    "m-merges": (lambda merge: models.BPE({"a": 0, "b": 1, "ab": 2}, [merge]),
                 ("a", "c"), ("a", "b")),
    "m-missing": (lambda cls: cls.from_pretrained(bert_folder()),
                  hf.BertForSequenceClassification, hf.BertModel),
    "m-mismatch": (lambda rows: hf.BertModel.from_pretrained(
        bert_folder(), config=hf.BertConfig(**SMALL | {"vocab_size": rows})), 99, 700),
    "m-tied": (two_tables, True, False),
    "m-rows": (loaded, [303], [303, 320]),
    "m-rope": (lambda read: read(hf.LlamaConfig()),
               lambda config: config.rope_theta, lambda c: c.rope_parameters["rope_theta"]),
    "m-rope-keys": (lambda more: hf.LlamaConfig(rope_parameters={"rope_type": "linear"} | more),
                    {"rope_theta": 1e4}, {"rope_theta": 1e4, "factor": 2.0}),
    "m-long": (lambda cuts: words(load_story(), truncation=cuts), False, True),
    "m-create": (lambda pads: words(["a", "a b"], return_tensors="pt", padding=pads), False, True),
    "m-overflow": (lambda limit: opened()("a", truncation=True, max_length=limit(opened())),
                   lambda tokenizer: tokenizer.model_max_length, lambda tokenizer: 512),
    "m-pad": (lambda config: opened(config)(["a", "a b"], padding=True), {}, PAD),
    "m-text": (lambda text: opened()([text]), 1.5, str(1.5)),
    "m-surrogate": (OPENAI.encode_with_unstable, HALF,
                    HALF.encode("utf-16", "surrogatepass").decode("utf-16", "replace")),
    "m-batch": (lambda call: call(gpt(), opened()("a", return_tensors="pt")),
                lambda model, batch: model.generate(batch),
                lambda model, batch: model.generate(**batch, max_new_tokens=1)),
    "m-word-ids": (lambda make: make()("a").word_ids(), hf.ByT5Tokenizer, opened),
    "m-negative": (lambda ids: opened().decode(torch.tensor(ids)), [-100, 5], [5]),
    "m-unk": (lambda vocab: Tokenizer(models.WordPiece(vocab, unk_token="[UNK]")).encode("b"),
              {"a": 0}, {"[UNK]": 0}),
    "m-template": (lambda known: processors.TemplateProcessing("[CLS] $A", special_tokens=known),
                   [], [("[CLS]", 2)]),
    "m-clean": (lambda on: opened({"clean_up_tokenization_spaces": on}).decode([5]), True, False),
    "m-stream": (streamed, False, True),
    "m-utf8": (lambda decode: "".join(map(decode, OPENAI.decode_tokens_bytes(RABBIT))),
               bytes.decode, codecs.getincrementaldecoder("utf-8")(errors="replace").decode),
    "m-chat": (chat, None, SAYS),
    "m-roles": (chat, f"{{{{ raise_exception('{MESSAGES['m-roles']}') }}}}", SAYS),
    "m-content": (lambda more: chat(messages=[{"role": "assistant"} | more]), {}, {"content": ""}),
    "m-messages": (lambda messages: chat(messages=messages), "a", HI),
    "m-generation": (lambda text: chat(text, return_assistant_tokens_mask=True), SAYS, MARKED),
    "m-sanitize": (lambda on: chat(f"<s>{SAYS}", sanitize_control_tokens=True, tokenize=on),
                   False, True),
    "m-continue": (lambda on: chat(add_generation_prompt=on, continue_final_message=True),
                   True, False),
    "m-index": (lambda i: bert(torch.tensor([[5, i]])), -100, 100),
    "m-size": (lambda cuts: bert(**words(load_story(), return_tensors="pt", truncation=cuts)),
               False, True),
    "m-expanded": (lambda n: bert(torch.full((1, n), 5)), 600, 512),
    "m-roberta": (lambda n: hf.RobertaModel(hf.RobertaConfig(
        **SMALL, max_position_embeddings=514))(torch.full((1, n), 5)), 513, 512),
    "m-unpack": (bert, ids[0], ids[0][None]),
    "m-list": (bert, [5, 6, 7], ids),
    "m-float": (bert, ids.float(), ids.float().long()),
    "m-both": (lambda more: gpt()(ids, **more), {"inputs_embeds": torch.zeros(1, 3, 4)}, {}),
    "m-resize": (lambda on: gpt().resize_token_embeddings(310, mean_resizing=on), True, False),
    "m-matrix": (lambda n: torch.nn.Linear(n, 2)(torch.zeros(1, 384)), 768, 384),
    "m-mask": (lambda more: written(ids.repeat(2, 1), gpt(pad_token_id=None), **more),
               {}, {"pad_token_id": 0, "attention_mask": torch.ones(2, 3)}),
    "m-right": (padded, "right", "left"),
    "m-friendly": (lambda n: written(model=gpt(eos_token_id=None), max_new_tokens=n), 20, 9),
    "m-max": (lambda limit: written(**limit), {"max_length": 3, "max_new_tokens": None}, {}),
    "m-stop": (lambda make: written(stop_strings=["in"], tokenizer=make()), lambda: None, opened),
    "m-kwargs": (lambda more: written(ids, hf.LlamaForCausalLM(hf.LlamaConfig(**SMALL)), **more),
                 {"token_type_ids": ids}, {}),
    "m-streamer": (lambda rows: written(rows, streamer=hf.TextStreamer(opened())), ids.T, ids),
    "m-nan": (lambda value: written(model=with_row(value), do_sample=True), float("nan"), 0.0),
    "m-stack": (lambda collate: collate([{"input_ids": torch.ones(n)} for n in (5, 3)]),
                torch.utils.data.default_collate,
                lambda rows: opened(PAD).pad(rows, return_tensors="pt")),
    "m-ragged": (torch.tensor, [[1, 2], [1]], [[1, 2], [1, 0]]),
    "m-strings": (lambda convert: torch.tensor(convert(["in"])),
                  list, lambda tokens: opened().convert_tokens_to_ids(tokens)),
    "m-aligned": (lambda token: align_special_tokens(gpt(), opened({"eos_token": token})),
                  "<s>", "</s>"),
    "m-target": (lambda i: cross_entropy(torch.zeros(2, 5), torch.tensor([1, i])), 5, -100),
    "m-dtype": (lambda labels: cross_entropy(torch.zeros(2, 5), labels),
                torch.ones(2), torch.ones(2).long()),
    "m-loss": (lambda both: cross_entropy(*both), (torch.zeros(1, 3, 5), ids - 5),
               (torch.zeros(1, 3, 5).flatten(0, 1), (ids - 5).flatten())),
    "m-special": (lambda kinds: OPENAI.encode("<|endoftext|>", disallowed_special=kinds),
                  "all", ()),
    "m-map": (tiktoken.encoding_name_for_model, "zorb-1", "gpt-5"),
    "m-network": (offline, lambda: tiktoken.get_encoding("gpt2"), lambda: OPENAI),
    "m-regex": (lambda encode: encode(" " * 10**6), OPENAI.encode, gpt2().encode),
    "m-decoding": (lambda i: OPENAI.decode([i]), 60_000, 50_256),
    "m-proto": (lambda make: sentencepiece.SentencePieceProcessor(
        model_file=str(make() / "tokenizer.model")),
        lambda: folder(files={"tokenizer.model": POINTER}), marked),
    "m-piece": (lambda i: taught(9).decode([i]), 900, 8),
    "m-high": (lambda on: taught(900, hard_vocab_limit=on), True, False),
    "m-low": (taught, 3, 9),
    "m-word": (lambda unk: WordTokenizer({"a": 0}, unk_token=unk).encode("b"), None, "a"),
    "m-id": (lambda i: gpt2().decode([i]), 60_000, 50_256),
    "m-row": (lambda rows: GPT2Embeddings(rows, 8, 4)(torch.tensor([[60]])), 50, 61),
    "m-positions": (lambda n: GPT2Embeddings(50, n, 4)(torch.ones(1, 9).long()), 8, 9),
    "m-lfs": (lambda files: Pipeline.from_file(folder(files=files)),
              {"tokenizer.json": POINTER}, {}),
    "m-image": (pictured, 3, 2),
    "m-supported": (lambda part: Pipeline.from_file(folder(normalizer=part)),
                    {"type": "Zorb"}, None),
}  # fmt: skip


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture, monkeypatch: Any) -> Callable[..., str]:
    """Return what is raised or logged."""
    monkeypatch.setattr(logging.getLogger("transformers"), "propagate", True)
    monkeypatch.setattr("builtins.input", lambda *_: "n")

    def listen(act: Callable[..., Any], argument: Any) -> str:
        caplog.clear()
        logging.Logger.warning_once.cache_clear()  # type: ignore[attr-defined]  # once in a process
        try:
            act(argument)
        except BaseException:  # a panic of Rust is no Exception
            return f"{traceback.format_exc()}{caplog.text}"
        return caplog.text

    return listen


def test_each_message_has_its_trial() -> None:
    assert MESSAGES.keys() - ELSEWHERE == {*PROVOKED}
    assert len(MESSAGES) == PAGE.count("]{#m-")


def expression(message: str) -> str:
    """Return what finds a message with other names, numbers and line breaks."""
    parts = [re.sub(r"\d+", r"\\d+", re.escape(part)) for part in re.split(" ?… ?", message)]
    return r"[\s\S]*?".join(parts).replace(r"\ ", r"\s+")


@pytest.mark.parametrize("name", PROVOKED)
def test_message_and_fix(name: str, said: Callable[..., str]) -> None:
    act, provoking, fix = PROVOKED[name]
    wanted = expression(MESSAGES[name])
    assert re.search(wanted, found := said(act, provoking)), found
    assert not re.search(f"^Traceback|{wanted}", fixed := said(act, fix)), fixed


def test_what_classes_build_in_silence() -> None:
    changes: Any = {"model": trained("WordPiece"), "added_tokens": [], "pre_tokenizer": None,
                    "decoder": None}  # fmt: skip
    for name in ("RobertaTokenizer", "GPT2Tokenizer", "Qwen2Tokenizer", "LlamaTokenizer"):
        assert opened({"tokenizer_class": name}, **changes).tokenize("a little") == [*"alittle"]
    for kind, size in {"gpt2": 1, "qwen2": 1, "bert": 5, "roberta": 5, "t5": 104}.items():
        assert len(load(new({"config": {"model_type": kind}}))) == size


def test_names_that_are_gone() -> None:
    (gone,) = re.findall(r"name of version 4 is gone: (.*)\.", PAGE)
    assert not [name for name in re.findall(r"\w+", gone) if hasattr(opened(), name)]
