"""The one-line tests of the page `corrections`: each is run on right and on wrong programs.

The right ones are four whole programs: a small file, the vocabularies of GPT-2 and of BERT, and a
file like Llama 2's, each with a model. Each wrong one has one mistake.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from chapter_code import of_chapter, run_cell
from tokenizer_files import FAMILIES, Content, added, bytes_of, of, sequence, template
from tokenizers import Tokenizer
from transformers import (
    AutoTokenizer,
    BertConfig,
    BertModel,
    BertTokenizerFast,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
)
from transformers.models.gemma3n.modeling_gemma3n import Gemma3nTextScaledWordEmbedding
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from companion._files import bundled_json
from companion.bpe import BYTE_TO_UNICODE, gpt2, train_bpe
from companion.pipeline import Pipeline
from companion.positions import rotate
from companion.wordpiece import bert_uncased

PAGE = Path(__file__).parents[2] / "book" / "corrections.md"
Names = dict[str, Any]
Recipe = Callable[[Any], Iterable[Names]]


def lines() -> dict[str, list[str]]:
    """Return the lines of each row, by its code or by its first words in bold."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## Often read")[0]
    rows = re.findall(r"(?m)^\| (?:\[`([\w-]+)`\]\{#\1\}: )?\*\*(.+?)\*\*(.*) \| (`.+`) \|$", text)
    assert len(rows) == text.count("\n| ") - text.count("\n|---|")
    said = {code or re.sub(r"\]\(.+?\)|[\[\]`.]", "", bold): line for code, bold, _, line in rows}
    return {key: re.findall(r"`(.+?)`", line) for key, line in said.items()}


# The programs

SIGNS = [*BYTE_TO_UNICODE.values()]
SMALL = of("BPE", vocab={sign: i for i, sign in enumerate([*SIGNS, "in", "20"])},
           merges=[["i", "n"], ["2", "0"]])  # fmt: skip
DIGITS = sequence(pretokenizers=[of("Digits", individual_digits=True), bytes_of()])
ROLES = {"<s>": 258, "</s>": 259, "<pad>": 260, "<|user|>": 261, "<|assistant|>": 262}
SAYS = "<s>{% for m in messages %}{{ m.content }}</s>{% endfor %}"
CHAT = SAYS.replace("{{ m.content }}", "{% generation %}{{ m.content }}{% endgeneration %}")
SETTINGS: Names = {
    "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "model_max_length": 16,
    "chat_template": CHAT + "{% if add_generation_prompt %}<|assistant|>{% endif %}",
    "tokenizer_class": "PreTrainedTokenizerFast",
}  # fmt: skip
OF_BERT: Names = dict.fromkeys(("bos_token", "eos_token", "chat_template"))
OF_BERT |= {"pad_token": "[PAD]", "tokenizer_class": "BertTokenizer"}
SIZES: Names = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
                "max_position_embeddings": 16}  # fmt: skip


def small_file() -> Content:
    """Return a file of RoBERTa's kind, whose pre-tokenizer splits off digits."""
    ends = template("<s>:0 A:0 </s>:0", "<s>:0 A:0 </s>:0 B:0 </s>:0", ROLES)
    return {"model": SMALL, "pre_tokenizer": DIGITS, "decoder": bytes_of(), "post_processor": ends}


def gpt2_file() -> Content:
    with TemporaryDirectory() as folder:
        gpt2().save_tokenizer_json(path := Path(folder, "tokenizer.json"))
        content: Content = json.loads(path.read_text(encoding="utf-8"))
    return content


def bert_file() -> Content:
    tokenizer: Any = BertTokenizerFast(vocab=bert_uncased().vocab)
    content: Content = json.loads(tokenizer.backend_tokenizer.to_str())
    return content


# The file of each, what its settings have otherwise, and its model.
PROGRAMS: dict[str, tuple[Callable[[], Content], Names, Any, Any]] = {
    "small": (small_file, {}, GPT2Config, GPT2LMHeadModel),
    "GPT-2": (gpt2_file, {"tokenizer_class": "GPT2Tokenizer"}, GPT2Config, GPT2LMHeadModel),
    "BERT": (bert_file, OF_BERT, BertConfig, BertModel),
    "Llama 2": (FAMILIES["Llama 2"], {}, LlamaConfig, LlamaForCausalLM),
}


def opened(name: str = "small", config: Names | None = None, **changes: Any) -> Any:
    """Write a folder, and return what a program has of it."""
    content, known = PROGRAMS[name][0](), PROGRAMS[name][1]
    tokens = content.setdefault("added_tokens", [])
    ids = content["model"]["vocab"] | {token["content"]: token["id"] for token in tokens}
    roles = [role for role in ROLES if role not in ids and name != "BERT"]
    tokens += [added(role, max(ids.values()) + 1 + i) for i, role in enumerate(roles)]
    content |= changes
    settings = SETTINGS | known | (config or {})
    with TemporaryDirectory() as folder:
        for file, value in ("tokenizer", content), ("tokenizer_config", settings):
            Path(folder, f"{file}.json").write_text(json.dumps(value), encoding="utf-8")
        library = Tokenizer.from_file(f"{folder}/tokenizer.json")
        tokenizer = AutoTokenizer.from_pretrained(folder)
    vocab, merges = tokenizer.get_vocab(), content["model"].get("merges", [])
    return SimpleNamespace(
        tokenizer=tokenizer, library=library, vocab=vocab, file=content,
        merges=[pair.split(" ") if isinstance(pair, str) else pair for pair in merges],
        pairs={*vocab.items()} | {(token["content"], token["id"]) for token in tokens},
        text="It was in 2019, a  Café by the river", decode=library.decode,
        encode=lambda text: library.encode(text, add_special_tokens=False).ids,
        first=library.encode("a", add_special_tokens=False).tokens[0],
        end_id=tokenizer.eos_token_id, ends=[tokenizer.eos_token_id], end=tokenizer.eos_token,
    )  # fmt: skip


@cache
def right(name: str) -> Any:
    """Return a program of which each row must be true.

    Its model is new (small, BERT), tied and trained with weight decay (GPT-2), or trained with it
    and not tied (Llama 2): then rows have moved whose ids never occurred.
    """
    p = opened(name)
    torch.manual_seed(0)
    *_, config, model = PROGRAMS[name]
    ids = {f"{n}_token_id": getattr(p.tokenizer, f"{n}_token_id") for n in ("bos", "eos", "pad")}
    p.config = config(vocab_size=max(p.vocab.values()) + 1, **SIZES, **ids)
    p.model = model(p.config)
    p.base, p.d = p.model.base_model, p.config.hidden_size
    p.named = [i for key, i in p.config.to_dict().items() if key in ids and i is not None]
    p.kind = "roberta" if name == "small" else p.config.model_type
    p.E, p.P, *_ = p.base.parameters()
    p.ids = torch.tensor(p.encode(p.text)[:8]).view(2, 4)
    p.unseen = next(i for i in range(len(p.E)) if i not in p.ids)
    if name in ("GPT-2", "Llama 2"):
        before = p.E.detach().clone()
        optimizer = torch.optim.AdamW(p.model.parameters(), weight_decay=0.1)
        p.model(p.ids, labels=p.ids).loss.backward()
        optimizer.step()
        assert (p.E[p.unseen] != before[p.unseen]).any()
    p.model.eval().requires_grad_(False)
    return p


# What a program has done, rightly or not

TRUNCATION = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
PADDING = {
    "strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 259,
    "pad_type_id": 0, "pad_token": "</s>",
}  # fmt: skip
KNOWN = {"258": added("<s>", 258) | {"id": None}}  # <|user|> is missing
BLOCKS = torch.eye(2).kron(torch.ones(4, 4).tril()).bool()[None, None]


def other(config: Names | None = None, **changes: Any) -> Names:
    """Return what a program has of a folder with a mistake."""
    return dict(vars(opened(config=config, **changes)))


def chat(p: Any, template: str | None = None, **wanted: Any) -> Any:
    said = [{"role": "assistant", "content": "in"}]
    return p.tokenizer.apply_chat_template(said, chat_template=template, **wanted)


def prompted(p: Any, template: str | None = None) -> Names:
    """Render with the generation prompt and without it, and mask what the assistant says."""
    both = (chat(p, template, tokenize=False, add_generation_prompt=on) for on in (True, False))
    encoded = chat(p, template, return_dict=True, return_assistant_tokens_mask=True)
    return {"prompts": [*both], "assistant_masks": encoded["assistant_masks"]}


def of_user(p: Any, **switches: bool) -> Names:
    """Encode a text that has all added tokens in it."""
    known = p.tokenizer.added_tokens_decoder
    return {
        "text": "a".join(map(str, known.values())), "added": {*known} - {p.tokenizer.unk_token_id},
        "plain": lambda text: p.tokenizer.encode(text, add_special_tokens=False, **switches),
    }  # fmt: skip


def older(p: Any, model_type: str) -> Names:
    """Save the model's older files; its authors' ids are those of the program."""
    files = {"vocab.json": json.dumps(p.vocab), "merges.txt": "\n".join(map(" ".join, p.merges))}
    if not p.merges:
        files = {"vocab.txt": "\n".join(sorted(p.vocab, key=p.vocab.__getitem__))}
    with TemporaryDirectory() as folder:
        for name, text in (files | {"config.json": json.dumps({"model_type": model_type})}).items():
            Path(folder, name).write_text(text, encoding="utf-8")
        pipeline = Pipeline.from_file(folder)
    return {"pipeline": pipeline, "text": "in", "reference": p.tokenizer.encode("in")}


def labelled(p: Any, by_mask: bool = False) -> Names:
    """Pad a batch; the padding gets no label."""
    end = p.tokenizer.eos_token
    batch = p.tokenizer([f"a{end}", f"a a a{end}"], padding=True, return_tensors="pt")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    labels = ids.masked_fill(mask == 0 if by_mask else ids == p.tokenizer.pad_token_id, -100)
    return {"labels": labels, "targets": labels, "mask": mask, "tokenizer": p.tokenizer}


def learned(*documents: str) -> Names:
    return {"tokens": [token.decode(errors="replace") for token in train_bpe(documents, 280).vocab]}


def cut(**content: Any) -> Names:
    return {"pre_tokens": Pipeline(content).stages("It was in 2019. It was.").pre_tokens}


def joined(add: Callable[[Any, Any], None]) -> Names:
    per_file, counts = [Counter("aab"), Counter("bc")], Counter[str]()
    for counted in per_file:
        add(counts, counted)
    return {"per_file": per_file, "counts": counts}


def hidden(p: Any, *ids: Any, **given: Any) -> Any:
    return p.base(*ids, **given).last_hidden_state


def packed(p: Any, restarts: bool = True, **settings: Any) -> Names:
    """Read a document alone, and after another one in the same row.

    Without a mask, transformers finds documents by their positions, as the chapter `windows` says.
    """
    positions = (torch.arange(4).repeat(2) if restarts else torch.arange(8))[None]
    row = torch.cat([p.ids[1:], p.ids[:1]], dim=1)
    in_row = hidden(p, row, position_ids=positions, **settings)
    return {"in_row": in_row[:, 4:], "alone": hidden(p, p.ids[:1])}


def left_padded(p: Any, by_mask: bool) -> Names:
    """Call the model with a text that has padding before it, and alone."""
    mask = (torch.arange(7) >= 3).long().expand(2, 7)
    positions = (mask.cumsum(1) - 1).clamp(min=0) if by_mask else torch.arange(7)[None]
    batch = torch.cat([torch.zeros(2, 3).long(), p.ids], dim=1)
    in_batch = hidden(p, batch, attention_mask=mask, position_ids=positions)
    return {"in_batch": in_batch[0, 3:], "alone": hidden(p, p.ids)[0]}


def from_vectors(p: Any, are_finished: bool) -> Names:
    x = p.E[p.ids] + (p.P[:4] if are_finished else 0)
    return {"from_vectors": hidden(p, inputs_embeds=x), "from_ids": hidden(p, p.ids)}


def turned(p: Any, layout: Any) -> torch.Tensor:
    return rotate(p.E[:4].flip(0), layout=layout) @ rotate(p.E[:4], layout=layout).T


def yarn(way: str) -> Names:
    """Compute YaRN's frequencies as a cell of the chapter `relative-positions` does."""
    names = of_chapter("relative-positions", "wavelengths")
    names["exact"] = torch.float64
    run_cell("relative-positions", '"YaRN, paper"', names)
    rope = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": float(names["factor"]),
            "original_max_position_embeddings": names["length"]}  # fmt: skip
    config = LlamaConfig(head_dim=128, rope_parameters=rope)
    mine = 2 * torch.pi * names["ways"][way].float()  # it counts turns
    return {"mine": mine, "rotary": LlamaRotaryEmbedding(config)}


def mapped(p: Any, *others: bytes) -> Names:
    """Make a map with the rule of the chapter `more-tables`, of this vocabulary or of another."""
    compress = of_chapter("more-tables", "simplified", "compress")["compress"]
    vocab = [token.encode() for token in p.vocab]
    made = compress([*others, *vocab[len(others) :]])
    return {"vocab": vocab, "compress": compress, "new_ids": made}


def in_calls(p: Any, *history: int, keeps: bool = True) -> Names:
    """Look up the bigrams of a text, one id a call, after this history."""
    names = of_chapter("more-tables", "row_of", "ngram_at")

    def row(text: list[int]) -> int:
        ngram = names["ngram_at"](text, len(text) - 1, 2)
        found: int = names["row_of"](ngram, [31, 1_000_003], 1009)
        return found

    ids = p.ids[0].tolist()
    parts = [[*history, ids[0]], *(ids[i - keeps : i + 1] for i in range(1, 4))]
    return {"in_calls": [*map(row, parts)], "at_once": [row(ids[: i + 1]) for i in range(4)]}


def scaled(p: Any, factor: float) -> Names:
    layer: Any = Gemma3nTextScaledWordEmbedding(*p.E.shape, padding_idx=0, embed_scale=8**0.5)
    return {"layer": layer, "rows": layer.weight[p.ids] * factor}


def encoded(p: Any, n_averaged: int = 4, **given: Any) -> Names:
    """Encode a text that has two ids of padding in its batch, and average its vectors."""
    mask = torch.tensor([[1, 1, 1, 1, 0, 0]])
    batch = torch.cat([p.ids[:1], torch.zeros(1, 2).long()], dim=1)
    result, alone = hidden(p, batch, **{"attention_mask": mask} | given), hidden(p, p.ids[:1])
    return {"in_batch": result[:, :4], "mean_in_batch": result[0, :n_averaged].mean(dim=0),
            "alone": alone, "mean_alone": alone[0].mean(dim=0)}  # fmt: skip


def of_lines(split: Callable[[str], list[str]]) -> Names:
    text = "\n".join([*bert_uncased().vocab, "\u2028", "##last"])
    with TemporaryDirectory() as folder:
        Path(folder, "vocab.txt").write_text(text, encoding="utf-8")
        return {"tokenizer": BertTokenizerFast.from_pretrained(folder), "tokens": split(text)}


# What the names of a line are in right programs, where it is not what each of them has.
RIGHT: dict[str, Recipe] = {
    "bos-twice": lambda p: [{"ids": chat(p)["input_ids"]}],
    "added-token-lost": lambda p: [
        *({"token": token} for token in ROLES), other({"added_tokens_decoder": KNOWN})
        | {"token": "<|user|>"}
    ],
    "guessed-stages": lambda p: [older(p, p.kind)],
    "no-generation-prompt": lambda p: [prompted(p)],
    "table-short": lambda p: [{}, {"E": torch.zeros(len(p.E) + 9, 8)}],
    "forgeable": lambda p: [of_user(p, split_special_tokens=True)],
    "control-not-special": lambda p: [{"i": i} for i in p.tokenizer.added_tokens_decoder],
    "pad-is-eos": lambda p: [labelled(p), labelled(opened(config={"pad_token": "</s>"}), True)],
    "eos-differs": lambda p: [{}, {"ends": [5, *p.ends], "end_id": 5}],
    "unreachable": lambda p: [
        {"token": token, "i": i} for token, i in p.file["model"]["vocab"].items()
        if not token.startswith(("##", "<0x")) and i not in p.tokenizer.added_tokens_decoder
    ],
    "A marker in the training text": lambda p: [
        learned("on an end", "of it"), {"tokens": p.vocab.keys() - {"<|endoftext|>"}}
    ],
    "No pre-tokenizer": lambda p: [cut(**p.file)],
    "Judged on its own text": lambda p: [{"documents": ["a", "b"], "held_out": ["c"]}],
    "Counts that replace one another": lambda p: [joined(Counter.update)],
    "Another tokenizer for a trained model": lambda p: [{"of_model": p.tokenizer}],
    "Ids made again from a model's text": lambda p: [{"ids": p.encode(p.text)}],
    "A mask of the assistant that is all zeros": lambda p: [prompted(p)],
    "Targets shifted twice": lambda p: [
        {"ids": p.ids[:, :-1], "targets": p.ids[:, 1:], "labels": p.ids[:, :-1]}
    ],
    "Padding ids as targets": lambda p: [labelled(p)],
    "Packing without a mask": lambda p: [
        packed(p, attention_mask=BLOCKS), packed(p, use_cache=False)
    ],
    "Left padding with positions from arange": lambda p: [left_padded(p, by_mask=True)],
    "Positions from arange(L) instead of arange(n)": lambda p: [{"x": p.E[p.ids] + p.P[:4]}],
    "A new token whose row was never trained": lambda p: [{"labels": p.ids, "new_id": p.ids[1, 3]}],
    "Finished vectors as inputs_embeds": lambda p: [from_vectors(p, are_finished=False)],
    "RoPE in the wrong layout": lambda p: [
        {"reference": turned(p, "half"), "scores": turned(p, "half")}
    ],
    "YaRN with the other ramp": lambda p: [yarn("YaRN, programs")],
    "N-grams with a map of another tokenizer": lambda p: [mapped(p)],
    "N-grams with a lost history": lambda p: [in_calls(p), in_calls(p, 50256)],
    "Tables per layer without their factor": lambda p: [scaled(p, 8**0.5)],
    "A space at the end of a prompt": lambda p: [
        {"prompt": "The hare"}, {"prompt": "Hi<|end|>\n<|assistant|>\n"}
    ],
    "No attention mask": lambda p: [encoded(p)],
    "A mean over padding": lambda p: [encoded(p)],
    "SEP typed by hand": lambda p: [p.tokenizer("what is ai?", "ai is here", return_tensors="pt")],
    "The wrong case setting": lambda p: [{"text": "Polish Café"}],
    "Lines of vocabtxt by splitlines()": lambda p: [of_lines(lambda text: text.split("\n"))],
    "Cut text": lambda p: [{"text": "a " * 7, "limit": 16}],
}  # fmt: skip
# And in wrong ones, each with one mistake.
WRONG: dict[str, Recipe] = {
    "bos-twice": lambda p: [{"ids": p.tokenizer.encode(chat(p, tokenize=False))}],
    "class-overrides-file": lambda p: [
        other({"tokenizer_class": "GPT2Tokenizer"}),
        other({"tokenizer_class": "GPT2Tokenizer"}, pre_tokenizer=bytes_of(),
              normalizer=of("Lowercase")),
    ],
    "never-stops": lambda p: [{"end": "<|user|>"}],
    "added-token-lost": lambda p: [
        other({"tokenizer_class": "GPT2Tokenizer", "added_tokens_decoder": KNOWN})
        | {"token": "<|user|>"}
    ],
    "token-not-there": lambda p: [other({"eos_token": "</s> "})],
    "limit-above-positions": lambda p: [other({"model_max_length": 17})],
    "id-without-row": lambda p: [{"named": [0, len(p.E)]}],
    "saved-dropout": lambda p: [other(model=SMALL | {"dropout": 0.1})],
    "guessed-stages": lambda p: [older(p, "")],
    "no-generation-prompt": lambda p: [prompted(p, SAYS)],
    "table-short": lambda p: [{"E": p.E[:-1]}],
    "table-long": lambda p: [{"E": torch.zeros(len(p.E) + 9, 8)}],
    "merge-without-token": lambda p: [{"merges": [["i", "s"]]}, {"merges": [["in", "Ġb"]]}],
    "two-names": lambda p: [{"pairs": p.pairs | {pair}} for pair in (("b", 3), ("c", 2))],
    "forgeable": lambda p: [of_user(p)],
    "control-not-special": lambda p: [
        other(added_tokens=[*map(added, ROLES, ROLES.values()),
                            added("<tool_call>", 263, special=False)]) | {"i": 263}
    ],
    "no-pad": lambda p: [other({"pad_token": None})],
    "pad-is-eos": lambda p: [labelled(opened(config={"pad_token": "</s>"}))],
    "eos-differs": lambda p: [{"ends": [5], "end_id": 5}, {"end_id": 5}],
    "no-limit": lambda p: [other({"model_max_length": None})],
    "unreachable": lambda p: [other(model=SMALL | {"merges": []}) | {"token": "in", "i": 256}],
    "lossy": lambda p: [other(normalizer=of("Lowercase"))],
    "saved-truncation": lambda p: [other(truncation=TRUNCATION)],
    "saved-padding": lambda p: [other(padding=PADDING)],
    "gaps": lambda p: [{"vocab": p.vocab | {"Ġb": len(p.vocab) + 9}}],
    "decode-changes": lambda p: [vars(right("BERT"))],
    "prefix-space": lambda p: [other(pre_tokenizer=bytes_of(add_prefix_space=True)),
                               vars(right("Llama 2"))],
    "A marker in the training text": lambda p: [learned("on an end<|endoftext|>of it")],
    "No pre-tokenizer": lambda p: [cut(model=SMALL), cut(**right("Llama 2").file)],
    "Judged on its own text": lambda p: [{"documents": ["a", "c"], "held_out": ["c"]}],
    "Counts that replace one another": lambda p: [joined(dict.update)],
    "Another tokenizer for a trained model": lambda p: [{"of_model": right("GPT-2").tokenizer}],
    "Ids made again from a model's text": lambda p: [{"ids": [p.vocab["i"], p.vocab["n"]]}],
    "A mask of the assistant that is all zeros": lambda p: [prompted(p, SAYS)],
    "Targets shifted twice": lambda p: [
        {"ids": p.ids[:, :-2], "targets": p.ids[:, 2:], "labels": p.ids[:, 1:-1]}
    ],
    "Padding ids as targets": lambda p: [labelled(p) | {"targets": p.ids, "mask": p.ids * 0}],
    "Packing without a mask": lambda p: [
        packed(p, restarts=False, attention_mask=BLOCKS), packed(p),
        packed(p, use_cache=False, attention_mask=torch.ones(1, 8)),
    ],
    "Left padding with positions from arange": lambda p: [left_padded(p, by_mask=False)],
    "One seed for two tables": lambda p: [{"P": p.E[:16].clone()}],
    "Positions from arange(L) instead of arange(n)": lambda p: [
        {"ids": p.ids[0, :1], "x": p.E[p.ids[0, :1]] + p.P}
    ],
    "A negative id": lambda p: [{"ids": torch.tensor([[5, -1]])}],
    "A new token whose row was never trained": lambda p: [{"labels": p.ids, "new_id": p.unseen}],
    "Finished vectors as inputs_embeds": lambda p: [from_vectors(p, are_finished=True)],
    "RoPE in the wrong layout": lambda p: [
        {"reference": turned(p, "half"), "scores": turned(p, "interleaved")}
    ],
    "YaRN with the other ramp": lambda p: [yarn("YaRN, paper")],
    "N-grams with a map of another tokenizer": lambda p: [mapped(p, b"a", b"A")],
    "N-grams with a lost history": lambda p: [
        in_calls(p, keeps=False), in_calls(p, *p.ids[1, -1:].tolist()), in_calls(p, 0)
    ],
    "Tables per layer without their factor": lambda p: [scaled(p, 1.0)],
    "A space at the end of a prompt": lambda p: [{"prompt": "The "}],
    "No attention mask": lambda p: [encoded(right("BERT"), attention_mask=torch.ones(1, 6))],
    "A mean over padding": lambda p: [encoded(p, 6)],
    "Training mode": lambda p: [{"model": BertModel(BertConfig(**SIZES))}],
    "SEP typed by hand": lambda p: [
        right("BERT").tokenizer("what is ai? [SEP] ai is here", return_tensors="pt")
    ],
    "The wrong case setting": lambda p: [
        {"tokenizer": BertTokenizerFast(vocab=bert_uncased().vocab, do_lower_case=False)}
    ],
    "Lines of vocabtxt by splitlines()": lambda p: [of_lines(str.splitlines)],
    "Cut text": lambda p: [{"text": "a " * 17, "limit": 16}],
    "One-dimensional ids": lambda p: [{"ids": p.ids[0]}],
}  # fmt: skip
# The rows that a right program is not tried on, and why.
NOT_OF: list[tuple[str, str, set[str]]] = [
    ("small, GPT-2, Llama 2", "they are no encoders of pairs",
     {"SEP typed by hand", "The wrong case setting"}),
    ("BERT", "an encoder ends no turn and has no such labels", {
        "bos-twice", "never-stops", "added-token-lost", "no-generation-prompt", "pad-is-eos",
        "eos-differs", "A mask of the assistant that is all zeros", "Padding ids as targets",
        "Packing without a mask"}),
    ("BERT", "it does this on purpose", {"lossy", "decode-changes"}),
    ("Llama 2", "it does this on purpose", {"prefix-space", "No pre-tokenizer"}),
    ("Llama 2", "its older file is SentencePiece's", {"guessed-stages"}),
    ("Llama 2", "it has no position table", {
        "no-limit", "One seed for two tables", "Positions from arange(L) instead of arange(n)"}),
]  # fmt: skip


def are_true(row: str, p: Any, recipe: Recipe) -> set[bool]:
    """Return what the lines of a row are for a program."""
    usual = {"torch": torch} | vars(p)
    codes = [compile(line, row, "eval") for line in lines()[row]]
    return {bool(eval(code, {**usual, **names})) for names in recipe(p) for code in codes}


def test_each_row_has_a_wrong_program_and_each_code_of_the_inspection_a_row() -> None:
    assert lines().keys() == WRONG.keys()
    assert {*bundled_json("findings.json")["codes"]} <= WRONG.keys()


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("row", WRONG)
def test_each_line_is_true_of_right_programs(row: str, name: str) -> None:
    if not any(name in names and row in rows for names, _, rows in NOT_OF):
        assert are_true(row, right(name), RIGHT.get(row, lambda p: [{}])) == {True}


@pytest.mark.parametrize("row", WRONG)
def test_each_line_is_false_of_wrong_programs(row: str) -> None:
    assert are_true(row, right("small"), WRONG[row]) == {False}
