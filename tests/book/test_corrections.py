"""The one-line tests of the page `corrections`: each is run on a right and on a wrong program.

A program is what it leaves in the names of the line; what is not said of it is right.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from chapter_code import of_chapter, run_cell
from tokenizer_files import BERT, FAMILIES, added, bytes_of, library, of, sequence, template

from companion._files import bundled_json
from companion.bpe import BYTE_TO_UNICODE, gpt2, train_bpe
from companion.pipeline import Pipeline
from companion.positions import rotate
from companion.wordpiece import bert_uncased

PAGE = Path(__file__).parents[2] / "book" / "corrections.md"
Names = dict[str, Any]


def lines() -> dict[str, list[str]]:
    """Return the lines of each row, by its code or by its first words in bold."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## Often read")[0]
    rows = re.findall(r"(?m)^\| (?:\[`([\w-]+)`\]\{#\1\}: )?\*\*(.+?)\*\*(.*) \| (`.+`) \|$", text)
    assert len(rows) == text.count("\n| ") - text.count("\n|---|")
    said = {code or re.sub(r"\]\(.+?\)|[\[\]`.]", "", bold): line for code, bold, _, line in rows}
    return {key: re.findall(r"`(.+?)`", line) for key, line in said.items()}


SIGNS = [*BYTE_TO_UNICODE.values()]
VOCAB = {token: i for i, token in enumerate([*SIGNS, "in", "20"])}
ROLES = {"<s>": 258, "</s>": 259, "<|user|>": 260}
BPE = of("BPE", vocab=VOCAB, merges=[["i", "n"], ["2", "0"]])
BEGIN = template("<s>:0 A:0", "<s>:0 A:0 B:0", ROLES)
DIGITS = sequence(pretokenizers=[of("Digits", individual_digits=True), bytes_of()])
CHAT = "<s>{% for m in messages %}<|user|>{{ m.content }}</s>{% endfor %}"
TRUNCATION = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
PADDING = {
    "strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 259,
    "pad_type_id": 0, "pad_token": "</s>",
}  # fmt: skip
WORDS = of("WordLevel", vocab={"[UNK]": 0, "a": 1, ",": 2, "b": 3}, unk_token="[UNK]")


def opened(config: Names | None = None, **changes: Any) -> Names:
    """Write a folder, and return what the programs of the first table have of it."""
    from tokenizers import Tokenizer
    from transformers import AutoTokenizer

    markers = [*map(added, ROLES, ROLES.values())]
    content: Names = {
        "model": BPE, "pre_tokenizer": bytes_of(), "decoder": bytes_of(), "added_tokens": markers,
        "post_processor": BEGIN,
    } | changes  # fmt: skip
    usual = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>", "eos_token": "</s>"}
    with TemporaryDirectory() as folder:
        for name, value in ("tokenizer", content), ("tokenizer_config", usual | (config or {})):
            Path(folder, f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
        library = Tokenizer.from_file(f"{folder}/tokenizer.json")
        tokenizer = AutoTokenizer.from_pretrained(folder)
    model = content["model"]
    return {
        "tokenizer": tokenizer, "library": library, "vocab": tokenizer.get_vocab(),
        "merges": pairs_of(model.get("merges", [])), "text": "It was in 2019, a  Café",
        "encode": lambda text: library.encode(text, add_special_tokens=False).ids,
        "decode": library.decode,
        "first": library.encode("a", add_special_tokens=False).tokens[0],
    }  # fmt: skip


def pairs_of(merges: Sequence[Any]) -> list[Any]:
    return [pair.split(" ") if isinstance(pair, str) else pair for pair in merges]


@cache
def whole(name: str) -> Names:
    """Return what the programs of the first table have of a whole vocabulary."""
    if name == "GPT-2":
        signs = {token: "".join(BYTE_TO_UNICODE[b] for b in token) for token in gpt2().vocab}
        vocab = {signs[token]: i for token, i in gpt2().vocab.items()}
        pairs = [f"{signs[a]} {signs[b]}" for a, b in gpt2().merges]  # as older files have them
        content: Names = FAMILIES["GPT-2"]() | {
            "model": of("BPE", vocab=vocab, merges=pairs),
            "added_tokens": [added("<|endoftext|>", 50256)],
        }  # fmt: skip
    elif name == "BERT":
        model = of("WordPiece", vocab=bert_uncased().vocab, unk_token="[UNK]",
                   continuing_subword_prefix="##", max_input_chars_per_word=100)  # fmt: skip
        special = [added(token, bert_uncased().vocab[token]) for token in BERT]
        ids = {token: bert_uncased().vocab[token] for token in ("[CLS]", "[SEP]")}
        content = FAMILIES["BERT"]() | {"model": model, "added_tokens": special} | {
            "post_processor": template("[CLS]:0 A:0 [SEP]:0", "[CLS]:0 A:0 [SEP]:0 B:1", ids)
        }  # fmt: skip
    else:
        content = FAMILIES[name]()
    tokenizer = library(content)
    vocab, markers = tokenizer.get_vocab(), [token["content"] for token in content["added_tokens"]]
    return {
        "library": tokenizer, "vocab": vocab, "pairs": {*vocab.items()}, "E": range(len(vocab)),
        "merges": pairs_of(content["model"].get("merges", [])),
        "first": tokenizer.encode("a", add_special_tokens=False).tokens[0],
        "tokens": [token for token in vocab if not token.startswith(("##", "<0x"))
                   and token not in markers],
    }  # fmt: skip


def table(rows: int, **changes: Any) -> Names:
    return opened(**changes) | {"E": torch.zeros(rows, 2)}


def ids_of_chat(rendered: bool, **changes: Any) -> Names:
    """Encode a conversation, by the template or as a text that it has rendered."""
    names = opened(**changes)
    messages, tokenizer = [{"role": "user", "content": "a"}], names["tokenizer"]
    made = tokenizer.apply_chat_template(
        messages, chat_template=CHAT, tokenize=not rendered, return_dict=not rendered
    )
    return names | {"ids": tokenizer.encode(made) if rendered else made["input_ids"]}


def named(pairs: Sequence[tuple[str, int]]) -> Names:
    return {"pairs": {*pairs}}


def of_user(text: str, **switches: bool) -> Names:
    names = opened()
    return names | {
        "text": text,
        "added": set(names["tokenizer"].added_tokens_decoder),
        "plain": lambda text: names["tokenizer"].encode(text, add_special_tokens=False, **switches),
    }


def marked(special: bool) -> Names:
    tokens = [*map(added, ROLES, ROLES.values()), added("<tool_call>", 261, special=special)]
    return opened(added_tokens=tokens) | {"i": 261}


def labelled(by_mask: bool) -> Names:
    tokenizer = opened({"pad_token": "</s>"})["tokenizer"]
    batch = tokenizer(["a</s>", "a a a</s>"], padding=True, return_tensors="pt")
    hidden = batch["attention_mask"] == 0 if by_mask else batch["input_ids"] == 259
    return {"tokenizer": tokenizer, "labels": batch["input_ids"].masked_fill(hidden, -100)}


def limited(config: Names) -> Names:
    return opened(config) | {"P": torch.zeros(512, 2)}


def ended(ends: list[int], end_id: int = 259) -> Names:
    return {"tokenizer": SimpleNamespace(eos_token_id=259), "ends": ends, "end_id": end_id}


def word_level(**changes: Any) -> Names:
    plain: Names = {"added_tokens": [], "post_processor": None, "pre_tokenizer": of("Whitespace")}
    return opened({"bos_token": None, "eos_token": None}, **plain | {"model": WORDS} | changes)


def listed(*tokens: str) -> Names:
    """Return the program for a token, where the settings list some of the added ones."""
    switches = dict.fromkeys(("normalized", "lstrip", "rstrip", "single_word"), False)
    decoder = {str(ROLES[t]): {"content": t, "special": True} | switches for t in tokens}
    config = {"tokenizer_class": "GPT2Tokenizer", "added_tokens_decoder": decoder}
    return opened(config) | {"token": "<|user|>"}


def older(config: Names) -> Names:
    """Return the program for older files, of which the authors' ids are RoBERTa's."""
    with TemporaryDirectory() as folder:
        Path(folder, "vocab.json").write_text(json.dumps(VOCAB | ROLES), encoding="utf-8")
        Path(folder, "merges.txt").write_text("i n\n2 0\n", encoding="utf-8")
        Path(folder, "config.json").write_text(json.dumps(config), encoding="utf-8")
        pipeline = Pipeline.from_file(folder)
    return {"pipeline": pipeline, "text": "in", "reference": [258, VOCAB["in"], 259]}


def prompted(template: str) -> Names:
    tokenizer = opened()["tokenizer"]
    messages, wanted = [{"role": "user", "content": "a"}], {"tokenize": False}
    made = [tokenizer.apply_chat_template(messages, chat_template=template,
            add_generation_prompt=on, **wanted) for on in (True, False)]  # fmt: skip
    return {"prompts": made}


CLEANING = of("WordPiece", prefix="##", cleanup=True)
WITH_A_HOLE = {**VOCAB, "Ġb": 300}


# A tokenizer that is trained


def learned(documents: list[str]) -> Names:
    vocab = train_bpe(documents, 280).vocab
    return {"tokens": [token.decode(errors="replace") for token in vocab]}


def cut(pre_tokenizer: Any) -> Names:
    pipeline = Pipeline({"model": BPE, "pre_tokenizer": pre_tokenizer})
    return {"pre_tokens": pipeline.stages("It was in 2019. It was.").pre_tokens}


def joined(add: Callable[[Any, Any], None]) -> Names:
    per_file, counts = [Counter("aab"), Counter("bc")], Counter[str]()
    for counted in per_file:
        add(counts, counted)
    return {"per_file": per_file, "counts": counts}


# What a model gets

ids = torch.tensor([[5, 6, 7, 8], [9, 5, 6, 7]])
E, P = torch.randn(20, 8, generator=torch.Generator().manual_seed(0)), torch.randn(16, 8)
X, W = torch.randn(4, 8), torch.randn(8, 8)
BLOCKS = torch.eye(2).kron(torch.ones(4, 4).tril()).bool()[None, None]


def masked(template: str) -> Names:
    tokenizer = opened()["tokenizer"]
    messages = [{"role": "assistant", "content": "a"}]
    wanted = {"return_dict": True, "return_assistant_tokens_mask": True}
    encoded = tokenizer.apply_chat_template(messages, chat_template=template, **wanted)
    return {"assistant_masks": encoded["assistant_masks"]}


def small_gpt2() -> Any:
    from transformers import GPT2Config, GPT2Model

    torch.manual_seed(0)
    return GPT2Model(
        GPT2Config(vocab_size=20, n_positions=16, n_embd=8, n_layer=2, n_head=2)
    ).eval()


def stepped(new_id: int) -> Names:
    """Train a tied model with weight decay for a step: all rows change, those of no label too."""
    table: Any = torch.nn.Parameter(E.clone())
    optimizer = torch.optim.AdamW([table], weight_decay=0.1)
    logits = (table[ids] @ table.T).flatten(0, 1)
    torch.autograd.backward(torch.nn.functional.cross_entropy(logits, ids.flatten()))
    optimizer.step()
    assert (table[new_id] != E[new_id]).any()
    return {"labels": ids, "new_id": new_id}


def packed(restarts: bool = True, **settings: Any) -> Names:
    """Read a document alone, and after another one in the same row.

    Without a mask, transformers finds documents by their positions, as the chapter `windows` says.
    """
    model, row = small_gpt2(), torch.cat([ids[1:], ids[:1]], dim=1)
    positions = (torch.arange(4).repeat(2) if restarts else torch.arange(8))[None]
    with torch.no_grad():
        in_row = model(row, position_ids=positions, **settings).last_hidden_state
        return {"in_row": in_row[:, 4:], "alone": model(ids[:1]).last_hidden_state}


def left_padded(by_mask: bool) -> Names:
    """Call GPT-2 with a text that has padding before it, and alone."""
    model = small_gpt2()
    batch = torch.cat([torch.zeros(2, 3).long(), ids], dim=1)
    mask = (torch.arange(7) >= 3).long().expand(2, 7)
    positions = (mask.cumsum(1) - 1).clamp(min=0) if by_mask else None
    with torch.no_grad():
        in_batch = model(batch, attention_mask=mask, position_ids=positions).last_hidden_state
        alone = model(ids).last_hidden_state
    return {"in_batch": in_batch[0, 3:], "alone": alone[0]}


def from_vectors(are_finished: bool) -> Names:
    model = small_gpt2()
    with torch.no_grad():
        x = model.wte(ids) + (model.wpe.weight[:4] if are_finished else 0)
        made = model(inputs_embeds=x).last_hidden_state
        return {"from_vectors": made, "from_ids": model(ids).last_hidden_state}


def turned(layout: Any) -> Names:
    def scores(layout: Any) -> torch.Tensor:
        return rotate(X @ W, layout=layout) @ rotate(X, layout=layout).T

    return {"reference": scores("half"), "scores": scores(layout)}


def yarn(way: str) -> Names:
    """Compute YaRN's frequencies as a cell of the chapter `relative-positions` does."""
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    names = of_chapter("relative-positions", "wavelengths")
    names["exact"] = torch.float64
    run_cell("relative-positions", '"YaRN, paper"', names)
    rope = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": float(names["factor"]),
            "original_max_position_embeddings": names["length"]}  # fmt: skip
    config = LlamaConfig(head_dim=128, rope_parameters=rope)
    mine = 2 * torch.pi * names["ways"][way].float()  # it counts turns
    return {"mine": mine, "rotary": LlamaRotaryEmbedding(config)}


def mapped(of: list[bytes]) -> Names:
    """Make a map with the rule of the chapter `more-tables`, of this vocabulary or of another."""
    vocab, compress = (
        [b"a", b" A", b"b"],
        of_chapter("more-tables", "simplified", "compress")["compress"],
    )
    return {"vocab": vocab, "compress": compress, "new_ids": compress(of)}


def in_calls(history: list[int], keeps: bool = True) -> Names:
    """Look up the bigrams of a text, one id a call, after this history."""
    names = of_chapter("more-tables", "row_of", "ngram_at")
    whole: list[int] = ids[0].tolist()

    def rows_of(text: list[int], n_new: int) -> list[int]:
        found = [names["ngram_at"](text, i, 2) for i in range(len(text))]
        return [names["row_of"](ngram, [31, 1_000_003], 1009) for ngram in found][-n_new:]

    parts: list[int] = []
    for token_id in whole:
        parts += rows_of([*history, token_id], 1)
        history = [token_id] if keeps else []
    return {"in_calls": parts, "at_once": rows_of(whole, 4)}


def scaled(factor: float) -> Names:
    from transformers.models.gemma3n.modeling_gemma3n import Gemma3nTextScaledWordEmbedding

    layer: Any = Gemma3nTextScaledWordEmbedding(20, 256, padding_idx=0, embed_scale=256**0.5)
    return {"ids": ids, "layer": layer, "rows": layer.weight[ids] * factor}


# An encoder


def bert() -> Any:
    from transformers import BertConfig, BertModel

    torch.manual_seed(0)
    sizes = {"vocab_size": 20, "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2}
    return BertModel(BertConfig(**sizes, intermediate_size=8)).eval()


def encoded(mask: Any) -> Names:
    """Encode a text that has two ids of padding in its batch."""
    batch, real = torch.tensor([[5, 6, 0, 0]]), torch.tensor([[1, 1, 0, 0]])
    with torch.no_grad():
        alone = bert()(batch[:, :2]).last_hidden_state
        result = bert()(batch, attention_mask=mask(real)).last_hidden_state
    return {"in_batch": result[:, :2], "alone": alone, "result": result, "mask": real}


def pooled(leaves_out_padding: bool) -> Names:
    names = encoded(lambda real: real)
    weights = names["mask"][0].float() if leaves_out_padding else torch.ones(4)
    mean = weights @ names["result"][0] / weights.sum()
    return {"mean_in_batch": mean, "mean_alone": names["alone"][0].mean(dim=0)}


def of_bert(text: str, second: str | None = None, **options: Any) -> Names:
    from transformers import BertTokenizerFast

    tokenizer = BertTokenizerFast(vocab=bert_uncased().vocab, model_max_length=16, **options)
    types = tokenizer(text, second, return_tensors="pt")["token_type_ids"]
    return {"tokenizer": tokenizer, "text": text, "token_type_ids": types, "limit": 16}


def of_lines(split: Callable[[str], list[str]]) -> Names:
    from transformers import BertTokenizerFast

    text = "\n".join([*bert_uncased().vocab, "\u2028", "##last"])
    with TemporaryDirectory() as folder:
        Path(folder, "vocab.txt").write_text(text, encoding="utf-8")
        return {"tokenizer": BertTokenizerFast.from_pretrained(folder), "tokens": split(text)}


def ready(is_training: bool) -> Names:
    return {"model": bert().train(is_training)}


GENERATION = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}"
TIED = {"a": 1, "b": 2}
Program = Callable[[], Names]
# The right programs, then the wrong ones; where a row has two lines, each has its own.
PROGRAMS: dict[str, tuple[list[Program], list[Program]]] = {
    "bos-twice": (
        [lambda: ids_of_chat(False),
         lambda: ids_of_chat(False, config={"bos_token": None}, post_processor=None)],
        [lambda: ids_of_chat(True)],
    ),
    "class-overrides-file": (
        [lambda: opened(pre_tokenizer=DIGITS)],
        [lambda: opened({"tokenizer_class": "GPT2Tokenizer"}, pre_tokenizer=DIGITS),
         lambda: opened({"tokenizer_class": "GPT2Tokenizer"}, normalizer=of("Lowercase"))],
    ),
    "never-stops": (
        [lambda: opened() | {"end": "</s>", "ends": [259]}],
        [lambda: opened() | {"end": "<|user|>", "ends": [259]}],
    ),
    "added-token-lost": ([lambda: listed("<|user|>")], [lambda: listed("<s>")]),
    "limit-above-positions": (
        [lambda: limited({"model_max_length": 512}) | {"config": SimpleNamespace(n_positions=512)}],
        [lambda: limited({"model_max_length": 513}) | {"config": SimpleNamespace(n_positions=512)}],
    ),
    "id-without-row": ([lambda: table(261) | {"named": [0, 260]}],
                       [lambda: table(261) | {"named": [0, 261]}]),
    "saved-dropout": ([opened], [lambda: opened(model=BPE | {"dropout": 0.1})]),
    "guessed-stages": ([lambda: older({"model_type": "roberta"})], [lambda: older({})]),
    "no-generation-prompt": (
        [lambda: prompted(CHAT + "{% if add_generation_prompt %}<|user|>{% endif %}")],
        [lambda: prompted(CHAT)],
    ),
    "table-short": ([lambda: table(261), lambda: table(300)], [lambda: table(260)]),
    "table-long": ([lambda: table(261)], [lambda: table(300)]),
    "merge-without-token": (
        [opened],
        [lambda: {"vocab": VOCAB, "merges": [["i", "s"]]},
         lambda: {"vocab": VOCAB, "merges": [["in", "Ġb"]]}],
    ),
    "two-names": (
        [lambda: named([*VOCAB.items(), *ROLES.items()])],
        [lambda: named([*TIED.items(), ("c", 2)]), lambda: named([*TIED.items(), ("b", 3)])],
    ),
    "forgeable": (
        [lambda: of_user("a</s><|user|>", split_special_tokens=True), lambda: of_user("a < b")],
        [lambda: of_user("a</s><|user|>")],
    ),
    "control-not-special": ([lambda: marked(True)], [lambda: marked(False)]),
    "no-pad": ([lambda: opened({"pad_token": "</s>"})], [opened]),
    "pad-is-eos": ([lambda: labelled(True)], [lambda: labelled(False)]),
    "eos-differs": (
        [lambda: ended([259]), lambda: ended([260, 259], end_id=260)],
        [lambda: ended([260]), lambda: ended([259], end_id=260)],
    ),
    "no-limit": ([lambda: limited({"model_max_length": 512})], [lambda: limited({})]),
    "unreachable": (
        [lambda: opened() | {"token": "in", "i": VOCAB["in"]}],
        [lambda: opened(model=BPE | {"merges": []}) | {"token": "in", "i": VOCAB["in"]}],
    ),
    "lossy": ([opened], [lambda: opened(normalizer=of("Lowercase"))]),
    "saved-truncation": ([opened], [lambda: opened(truncation=TRUNCATION)]),
    "saved-padding": ([opened], [lambda: opened(padding=PADDING)]),
    "gaps": ([opened], [lambda: opened(model=BPE | {"vocab": WITH_A_HOLE}, post_processor=None,
                                       added_tokens=[])]),
    "decode-changes": (
        [opened, lambda: word_level(decoder=None)],
        [lambda: word_level(decoder=CLEANING)],
    ),
    "prefix-space": (
        [opened, lambda: whole("GPT-2"), lambda: whole("BERT")],
        [lambda: opened(pre_tokenizer=bytes_of(add_prefix_space=True)), lambda: whole("Llama 2")],
    ),
    "A marker in the training text": (
        [lambda: learned(["on an end", "of it"])],
        [lambda: learned(["on an end<|endoftext|>of it"])],
    ),
    "No pre-tokenizer": ([lambda: cut(bytes_of())], [lambda: cut(None)]),
    "Judged on its own text": (
        [lambda: {"documents": ["a", "b"], "held_out": ["c"]}],
        [lambda: {"documents": ["a", "c"], "held_out": ["c"]}],
    ),
    "Counts that replace one another": (
        [lambda: joined(Counter.update)], [lambda: joined(dict.update)],
    ),
    "Another tokenizer for a trained model": (
        [lambda: opened() | {"of_model": opened()["tokenizer"]}],
        [lambda: opened() | {"of_model": opened(model=BPE | {"merges": []}, added_tokens=[],
                                                post_processor=None)["tokenizer"]}],
    ),
    "Ids made again from a model's text": (
        [lambda: opened() | {"ids": [VOCAB["in"]]}],
        [lambda: opened() | {"ids": [VOCAB["i"], VOCAB["n"]]}],
    ),
    "A mask of the assistant that is all zeros": (
        [lambda: masked(GENERATION)], [lambda: masked(CHAT)],
    ),
    "Targets shifted twice": (
        [lambda: {"ids": ids[:, :-1], "targets": ids[:, 1:], "labels": ids[:, :-1]}],
        [lambda: {"ids": ids[:, :-2], "targets": ids[:, 2:], "labels": ids[:, 1:-1]}],
    ),
    "Padding ids as targets": (
        [lambda: {"targets": torch.tensor([[5, -100]]), "mask": torch.tensor([[1, 0]])}],
        [lambda: {"targets": torch.tensor([[5, 0]]), "mask": torch.tensor([[1, 0]])}],
    ),
    "Packing without a mask": (
        [lambda: packed(attention_mask=BLOCKS), lambda: packed(use_cache=False)],
        [
            lambda: packed(restarts=False, attention_mask=BLOCKS), packed,
            lambda: packed(use_cache=False, attention_mask=torch.ones(1, 8)),
        ],
    ),
    "Left padding with positions from arange": (
        [lambda: left_padded(True)], [lambda: left_padded(False)],
    ),
    "One seed for two tables": (
        [lambda: {"E": E, "P": P}], [lambda: {"E": E, "P": E[:16].clone()}],
    ),
    "Positions from arange(L) instead of arange(n)": (
        [lambda: {"x": E[ids[0]] + P[:4], "ids": ids[0], "d": 8}],
        [lambda: {"x": E[ids[0, :1]] + P, "ids": ids[0, :1], "d": 8}],
    ),
    "A negative id": ([lambda: {"ids": ids}], [lambda: {"ids": torch.tensor([[5, -1]])}]),
    "A new token whose row was never trained": (
        [lambda: stepped(9)], [lambda: stepped(19)],
    ),
    "Finished vectors as inputs_embeds": (
        [lambda: from_vectors(False)], [lambda: from_vectors(True)],
    ),
    "RoPE in the wrong layout": ([lambda: turned("half")], [lambda: turned("interleaved")]),
    "YaRN with the other ramp": ([lambda: yarn("YaRN, programs")], [lambda: yarn("YaRN, paper")]),
    "N-grams with a map of another tokenizer": (
        [lambda: mapped([b"a", b" A", b"b"])], [lambda: mapped([b"a", b"c", b"b"])],
    ),
    "N-grams with a lost history": (
        [lambda: in_calls([]), lambda: in_calls([50256])],
        [lambda: in_calls([], keeps=False), lambda: in_calls(ids[1, -1:].tolist()),
         lambda: in_calls([0])],
    ),
    "Tables per layer without their factor": ([lambda: scaled(16.0)], [lambda: scaled(1.0)]),
    "A space at the end of a prompt": (
        [lambda: {"prompt": "The hare"}, lambda: {"prompt": "Hi<|end|>\n<|assistant|>\n"}],
        [lambda: {"prompt": "The "}],
    ),
    "No attention mask": ([lambda: encoded(lambda real: real)], [lambda: encoded(torch.ones_like)]),
    "A mean over padding": ([lambda: pooled(True)], [lambda: pooled(False)]),
    "Training mode": ([lambda: ready(False)], [lambda: ready(True)]),
    "SEP typed by hand": (
        [lambda: of_bert("what is ai?", "ai is here")], [lambda: of_bert("what is ai? [SEP] ai")],
    ),
    "The wrong case setting": (
        [lambda: of_bert("Polish Café")], [lambda: of_bert("Polish Café", do_lower_case=False)],
    ),
    "Lines of vocabtxt by splitlines()": (
        [lambda: of_lines(lambda text: text.split("\n"))],
        [lambda: of_lines(str.splitlines)],
    ),
    "Cut text": ([lambda: of_bert("a " * 14)], [lambda: of_bert("a " * 15)]),
    "One-dimensional ids": ([lambda: {"ids": ids}], [lambda: {"ids": ids[0]}]),
}  # fmt: skip


def test_each_row_has_its_programs() -> None:
    assert lines().keys() == PROGRAMS.keys()


def test_each_code_of_the_inspection_has_a_row() -> None:
    assert {*bundled_json("findings.json")["codes"]} <= lines().keys()


@pytest.mark.parametrize("row", PROGRAMS)
def test_each_line_tells_right_from_wrong(row: str) -> None:
    right, wrong = PROGRAMS[row]
    names = {"torch": torch}
    for line in lines()[row]:
        assert [bool(eval(line, names | made())) for made in right] == [True] * len(right)
        assert [bool(eval(line, names | made())) for made in wrong] == [False] * len(wrong)


@pytest.mark.parametrize("name", ["GPT-2", "BERT", "Llama 2"])
@pytest.mark.parametrize(
    "row", ["table-short", "table-long", "gaps", "two-names", "merge-without-token", "unreachable"]
)
def test_each_line_is_true_of_whole_vocabularies(row: str, name: str) -> None:
    (line,) = lines()[row]
    code, names = compile(line, row, "eval"), whole(name)
    for token in names["tokens"] if row == "unreachable" else [""]:
        assert eval(code, names | {"token": token, "i": names["vocab"].get(token)}), token
