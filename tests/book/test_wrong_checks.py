"""The checks of the page `wrong`: each is run on right and on wrong programs.

The right ones are three whole programs: a small file, and the vocabularies of GPT-2 and of BERT,
each with a model. Each wrong one has one mistake.
"""

import copy
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
import tokenizer_files as files
import torch
import transformers as hf
from chapter_code import of_chapter, run_cell
from tokenizer_files import BERT, FAMILIES, added, bytes_of, of, sequence, template, write
from tokenizers import Tokenizer
from torch.nn.functional import cosine_similarity
from transformers.models.gemma3n.modeling_gemma3n import Gemma3nTextScaledWordEmbedding
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from wrong_page import CHECKS, PAGE

from companion.bpe import BYTE_TO_UNICODE, gpt2, o200k, train_bpe
from companion.positions import rotate
from companion.wordpiece import bert_uncased
from inspector import Pipeline
from inspector.inspection import CHECKS as OF_INSPECTION

Names = dict[str, Any]


# The programs

SMALL = of("BPE", vocab={sign: i for i, sign in enumerate([*BYTE_TO_UNICODE.values(), "in", "20"])},
           merges=[["i", "n"], ["2", "0"]])  # fmt: skip
ROLES = {"<s>": 258, "</s>": 259, "<pad>": 260, "<|user|>": 261, "<|assistant|>": 262}
SAYS = "<s>{% for m in messages %}<|{{ m.role }}|>{{ m.content }}</s>{% endfor %}"
CHAT = SAYS.replace("{{ m.content }}", "{% generation %}{{ m.content }}{% endgeneration %}")
# Here the user's turn ends where the answer begins, so that no prompt is needed.
INSTRUCTS = ("{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]"
             "{% else %} {{ m.content }}</s>{% endif %}{% endfor %}")  # fmt: skip
SETTINGS: Names = {
    "bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "model_max_length": 16,
    "chat_template": CHAT + "{% if add_generation_prompt %}<|assistant|>{% endif %}",
    "tokenizer_class": "PreTrainedTokenizerFast",
}  # fmt: skip
GPT2_CLASS = {"tokenizer_class": "GPT2Tokenizer"}
OF_BERT: Names = dict.fromkeys(("bos_token", "eos_token", "chat_template"))
OF_BERT |= {"pad_token": "[PAD]", "tokenizer_class": "BertTokenizer"}
LOAD = hf.AutoTokenizer.from_pretrained
SIZES: Names = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2,
                "max_position_embeddings": 16}  # fmt: skip


def small_file() -> Names:
    """Return a file of RoBERTa's kind, whose pre-tokenizer splits off digits."""
    digits = sequence(pretokenizers=[of("Digits", individual_digits=True), bytes_of()])
    ends = template("<s>:0 A:0 </s>:0", "<s>:0 A:0 </s>:0 B:0 </s>:0", ROLES)
    return {"model": SMALL, "pre_tokenizer": digits, "decoder": bytes_of(), "post_processor": ends}


def gpt2_file() -> Names:
    with TemporaryDirectory() as folder:
        gpt2().save_tokenizer_json(path := Path(folder, "tokenizer.json"))
        return dict(json.loads(path.read_text(encoding="utf-8")))


def bert_file() -> Names:
    tokenizer: Any = hf.BertTokenizerFast(vocab=bert_uncased().vocab)
    return dict(json.loads(tokenizer.backend_tokenizer.to_str()))


# The file of each, what its settings have otherwise, and its model.
PROGRAMS: dict[str, tuple[Callable[[], Names], Names, Any, Any]] = {
    "small": (small_file, {}, hf.GPT2Config, hf.GPT2LMHeadModel),
    "GPT-2": (gpt2_file, GPT2_CLASS, hf.GPT2Config, hf.GPT2LMHeadModel),
    "BERT": (bert_file, OF_BERT, hf.BertConfig, hf.BertModel),
}


def opened(config: Any = None, name: str = "small", load: Any = LOAD, **changes: Any) -> Any:
    """Write a folder, and return what a program has of it."""
    content, known = PROGRAMS[name][0](), PROGRAMS[name][1]
    tokens = content.setdefault("added_tokens", [])
    ids = content["model"]["vocab"] | {token["content"]: token["id"] for token in tokens}
    roles = [role for role in ROLES if role not in ids and name != "BERT"]
    tokens += [added(role, max(ids.values()) + 1 + i) for i, role in enumerate(roles)]
    content |= changes
    settings = SETTINGS | known | (config or {})
    with TemporaryDirectory() as folder:
        write(Path(folder), {"tokenizer": content, "tokenizer_config": settings})
        library = Tokenizer.from_file(f"{folder}/tokenizer.json")
        tokenizer = load(folder)
    vocab, merges = tokenizer.get_vocab(), content["model"].get("merges", [])
    return SimpleNamespace(
        tokenizer=tokenizer, library=library, vocab=vocab, file=content,
        settings=settings, decoder=settings.get("added_tokens_decoder", {}),
        templates=[tokenizer.chat_template] * 2,
        long={t for t in content["model"]["vocab"] if len(t) > 1} - {t["content"] for t in tokens},
        merges=[pair.split(" ") if isinstance(pair, str) else pair for pair in merges],
        pairs={*vocab.items()} | {(token["content"], token["id"]) for token in tokens},
        text="It was in 2019, a  Café by the river", decode=library.decode,
        encode=lambda text: library.encode(text, add_special_tokens=False).ids,
        first=library.encode("a", add_special_tokens=False).tokens[0],
        end_id=tokenizer.eos_token_id, ends=[tokenizer.eos_token_id], end=tokenizer.eos_token,
    )  # fmt: skip


@cache
def right(name: str) -> Any:
    """Return a program of which each row must be true."""
    p = opened(name=name)
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
    p.model.eval().requires_grad_(False)
    return p


# What a program has done, rightly or not

LOST = {"added_tokens_decoder": {"258": added("<s>", 258) | {"id": None}}}
BOTH = ("additional_special_tokens", "extra_special_tokens")
TOOL = added("<tool_call>", 263, special=False)
PAD_IS_EOS = {"pad_token": "</s>"}
BLOCKS = torch.eye(2).kron(torch.ones(4, 4).tril()).bool()[None, None]
LEFT, COLUMNS = torch.tensor([[0, 0, 0, 1, 1, 1, 1]]), torch.arange(7)[None]
RIGHT = LEFT.flip(1)
COUNTED = [Counter("aab"), Counter("bc")]
ASKED = [{"role": "user", "content": "a"}]
ANSWERED = [*ASKED, {"role": "assistant", "content": "Hello"}]
LAST_ALONE = "{% for m in messages %}{{ m.content if loop.last }}</s>{% endfor %}"


def chat(p: Any, template: str | None = None, messages: Any = ANSWERED, **wanted: Any) -> Any:
    return p.tokenizer.apply_chat_template(messages, chat_template=template, **wanted)


def asked(p: Any, template: str | None) -> Names:
    """Render what the model is given, and the same with an answer."""
    rendered = chat(p, template, ASKED, tokenize=False, add_generation_prompt=True)
    return {"rendered": rendered, "full": chat(p, template, tokenize=False), "answer": "Hello"}


def older(p: Any, model_type: str) -> Names:
    """Save the model's older files; its authors' ids are those of the program."""
    saved = {"vocab": p.vocab, "merges.txt": "\n".join(map(" ".join, p.merges))}
    with TemporaryDirectory() as folder:
        write(Path(folder), saved | {"config": {"model_type": model_type}})
        pipeline = Pipeline.from_file(folder)
    return {"pipeline": pipeline, "text": "in", "reference": p.tokenizer.encode("in")}


def labelled(p: Any, by_mask: bool = True) -> Names:
    """Pad a batch; the padding gets no label."""
    end = p.tokenizer.eos_token
    batch = p.tokenizer([f"a{end}", f"a a a{end}"], padding=True, return_tensors="pt")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    labels = ids.masked_fill(mask == 0 if by_mask else ids == p.tokenizer.pad_token_id, -100)
    return {"labels": labels, "targets": labels, "mask": mask, "end_id": p.end_id}


def learned(*documents: str) -> Names:
    return {"tokens": [token.decode(errors="replace") for token in train_bpe(documents, 280).vocab]}


def hidden(p: Any, *ids: Any, **given: Any) -> Any:
    return p.base(*ids, **given).last_hidden_state


def packed(p: Any, restarts: bool = True, **settings: Any) -> Names:
    """Read a document alone, and after another one in the same row."""
    positions = (torch.arange(4).repeat(2) if restarts else torch.arange(8))[None]
    row = torch.cat([p.ids[1:], p.ids[:1]], dim=1)
    in_row = hidden(p, row, position_ids=positions, **settings)
    return {"in_row": in_row[:, 4:], "alone": hidden(p, p.ids[:1])}


def turned(p: Any, layout: Any) -> Any:
    """Compute scores with RoPE."""
    return rotate(p.E[:4].flip(0), layout=layout) @ rotate(p.E[:4], layout=layout).T


def yarn(way: str) -> Names:
    """Compute YaRN's frequencies as a cell of the chapter `relative-positions` does."""
    names = of_chapter("relative-positions", "wavelengths")
    names["exact"] = torch.float64
    run_cell("relative-positions", '"YaRN, paper"', names)
    rope = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": float(names["factor"]),
            "original_max_position_embeddings": names["length"]}  # fmt: skip
    rotary = LlamaRotaryEmbedding(hf.LlamaConfig(head_dim=128, rope_parameters=rope))
    return {"mine": 2 * torch.pi * names["ways"][way].float(), "rotary": rotary}  # it counts turns


def mapped(p: Any, *others: bytes) -> Names:
    """Make a map with the rule of the chapter `more-tables`, of this vocabulary or of another."""
    compress = of_chapter("more-tables", "simplified", "compress")["compress"]
    vocab = [token.encode() for token in p.vocab]
    new_ids = compress([*others, *vocab[len(others) :]])
    return {"vocab": vocab, "compress": compress, "new_ids": new_ids}


def in_calls(p: Any, *history: int) -> Names:
    """Look up the n-grams of a text, after this history."""
    names = of_chapter("more-tables", "row_of", "ngram_at", "rows_at")

    def rows(ids: list[int], first: int = 0) -> list[Any]:
        heads, factors = names["HEADS"], names["FACTORS"]
        return [names["rows_at"](ids, i, heads, factors) for i in range(first, len(ids))]

    ids = p.ids[0].tolist()
    return {"in_calls": rows([*history, *ids], len(history)), "at_once": rows(ids)}


def scaled(p: Any, factor: float) -> Names:
    layer: Any = Gemma3nTextScaledWordEmbedding(*p.E.shape, padding_idx=0, embed_scale=8**0.5)
    return {"layer": layer, "rows": layer.weight[p.ids] * factor}


def padded(p: Any, mask: torch.Tensor, n_averaged: int = 4, **given: Any) -> Names:
    """Call the model with a text that has padding in its batch, and alone."""
    here = mask[0].bool()
    batch = torch.zeros_like(mask).masked_scatter(mask.bool(), p.ids[:1])
    result, alone = hidden(p, batch, **{"attention_mask": mask} | given), hidden(p, p.ids[:1])
    return {"in_batch": result[:, here], "mean_in_batch": result[0, :n_averaged].mean(dim=0),
            "alone": alone, "mean_alone": alone[0].mean(dim=0)}  # fmt: skip


def answered(p: Any, keeps: bool) -> Names:
    """Append the next message to the ids that a model has written, or encode all again."""
    seen = [*p.encode("Four"), *(i for sign in " string" for i in p.encode(sign))]
    again = seen if keeps else p.encode(p.decode(seen))
    return {"seen": seen, "sent": [*again, *p.encode("Who?")]}


def of_lines(end: str | None) -> Names:
    """Split the text of a vocabulary at this end of a line, or at all that there are."""
    text = "\n".join([*BERT, "\u2028", "##last"])
    with TemporaryDirectory() as folder:
        tokenizer = hf.BertTokenizerFast.from_pretrained(write(Path(folder), {"vocab.txt": text}))
    return {"tokenizer": tokenizer, "tokens": text.split(end) if end else text.splitlines()}


def in_threads(p: Any, copies: bool) -> Names:
    """Let another thread set its padding between the setting and the encoding of this one."""
    tokenizer = copy.deepcopy(p.tokenizer)
    theirs = copy.deepcopy(tokenizer) if copies else tokenizer
    own = tokenizer.set_truncation_and_padding

    def interrupted(*settings: Any, **named: Any) -> None:
        own(*settings, **named)
        theirs.backend_tokenizer.enable_padding(length=9)

    tokenizer.set_truncation_and_padding = interrupted
    return {"tokenizer": tokenizer, "text": "a", "n": 5}


# A right program as it is, with one mistake.
MISTAKES: dict[str, Callable[[Any], Any]] = {
    "class-overrides-file": lambda p: opened(GPT2_CLASS),
    "template-without-tokens": lambda p: {"end": "<|im_end|>"},
    "added-token-not-decoded": lambda p:
        opened(added_tokens=[*map(added, ROLES, ROLES.values()), added("<café>", 263)]),
    "two-templates": lambda p: {"templates": [p.tokenizer.chat_template, SAYS]},
    "both-keys": lambda p: {"settings": dict.fromkeys(BOTH)},
    "ids-differ": lambda p: {"decoder": {"259": added("<s>", 258)}},
    "merges-missing": lambda p: {"merges": p.merges[::2]},
    "token-not-there": lambda p: opened({"eos_token": "</s> "}),
    "limit-above-positions": lambda p: opened({"model_max_length": 17}),
    "id-without-row": lambda p: {"named": [0, len(p.E)]},
    "saved-dropout": lambda p: opened(model=SMALL | {"dropout": 0.1}),
    "table-long": lambda p: {"E": p.E.repeat(2, 1)},
    "merge-without-token": lambda p: [{"merges": [["i", "s"]]}, {"merges": [["in", "Ġb"]]}],
    "two-names": lambda p: [{"pairs": p.pairs | {pair}} for pair in (("b", 3), ("c", 2))],
    "no-pad": lambda p: opened({"pad_token": None}),
    "no-limit": lambda p: opened({"model_max_length": None}),
    "lossy": lambda p: opened(normalizer=of("Lowercase")),
    "saved-truncation": lambda p: opened(truncation=files.TRUNCATION),
    "saved-padding": lambda p: opened(padding=files.PADDING),
    "gaps": lambda p: {"vocab": p.vocab | {"Ġb": len(p.vocab) + 9}},
    "decode-changes": lambda p: right("BERT"),
    "prefix-space": lambda p: opened(pre_tokenizer=bytes_of(add_prefix_space=True)),
    "m-class": lambda p: opened({"tokenizer_class": "LlamaTokenizer"},
                                load=hf.LlamaTokenizer.from_pretrained),
    "s-nan": lambda p: {"E": torch.cat([p.E, p.E[:1] * torch.nan])},
    "one-seed": lambda p: {"P": p.E[:16].clone()},
    "negative-id": lambda p: {"ids": torch.tensor([[5, -1]])},
    "training-mode": lambda p: {"model": hf.BertModel(hf.BertConfig(**SIZES))},
    "one-dimensional": lambda p: {"ids": p.ids[0]},
}  # fmt: skip
# What a right program does that is `ok`, and a wrong one that is not.
DEEDS: dict[str, Callable[[Any, bool], Any]] = {
    "bos-twice": lambda p, ok:
        {"ids": chat(p)["input_ids"] if ok else p.tokenizer.encode(chat(p, tokenize=False))},
    "added-token-lost": lambda p, ok: [
        vars(opened(LOST if ok else LOST | GPT2_CLASS)) | {"token": "<|user|>"},
        *({"token": token} for token in ROLES if ok)],
    "byte-fallback-off": lambda p, ok: {"vocab": {"<0x41>": 999}} | (
        {"library": files.library(FAMILIES["Llama 2"]())} if ok else {}),
    "guessed-stages": lambda p, ok: older(p, p.kind if ok else ""),
    "frozen-row": lambda p, ok: {"model": p.model.requires_grad_(ok)},
    "table-short": lambda p, ok: [{}, {"E": p.E.repeat(2, 1)}] if ok else [{"E": p.E[:-1]}],
    "forgeable": lambda p, ok: {
        "text": "a".join(map(str, p.tokenizer.added_tokens_decoder.values())),
        "added": {*p.tokenizer.added_tokens_decoder} - {p.tokenizer.unk_token_id},
        "plain": partial(p.tokenizer.encode, add_special_tokens=False, split_special_tokens=ok)},
    "control-not-special": lambda p, ok: (
        [{"i": i} for i in p.tokenizer.added_tokens_decoder] if ok else
        vars(opened(added_tokens=[*map(added, ROLES, ROLES.values()), TOOL])) | {"i": 263}),
    "pad-is-eos": lambda p, ok: labelled(opened(PAD_IS_EOS), by_mask=ok),
    "eos-differs": lambda p, ok: [{}] if ok else [{"ends": [5], "end_id": 5}, {"end_id": 5}],
    "setting-ignored": lambda p, ok: opened(post_processor=None, load=partial(
        LOAD, add_bos_token=True, add_eos_token=True,
    )) if ok else opened({"add_bos_token": True}, post_processor=None),
    "s-thinking": lambda p, ok:
        {"tokenizer": SimpleNamespace(chat_template="{{ enable_thinking }}" if ok else SAYS)},
    "no-generation-prompt": lambda p, ok: [
        asked(p, template) for template in ([None, INSTRUCTS] if ok else [SAYS])],
    "template-changes": lambda p, ok: {
        "shorter": chat(p, None if ok else LAST_ALONE, tokenize=False),
        "longer": chat(p, None if ok else LAST_ALONE, ANSWERED * 2, tokenize=False)},
    "m-stop": lambda p, ok: {
        "ids": torch.tensor([5, *(p.encode("in") if ok else p.encode("i") + p.encode("n"))]),
        "stop_ids": p.encode("in")},
    "m-stream": lambda p, ok: {"tokenizer": gpt2(), "ids": gpt2().encode("a" if ok else "🐇")},
    "m-empty": lambda p, ok: {"settings": {"vocab_size": len(p.E)}}
                              | ({} if ok else {"tokenizer": hf.BertTokenizer()}),
    "m-borrowed": lambda p, ok: in_threads(p, copies=ok),
    "all-hidden": lambda p, ok: labelled(p) if ok else {"labels": torch.full((2, 4), -100)},
    "last-token": lambda p, ok: [
        {"mask": mask, "last": mask.sum(1) - 1} for mask in (RIGHT if ok else LEFT,)],
    "s-cosine": lambda p, ok: {"mean_cosine": cosine_similarity(
        p.E[:10] + (0 if ok else 9), p.E[10:20] + (0 if ok else 9)).mean()},
    "s-theta": lambda p, ok: {"saved": {"rope_parameters": {"rope_theta": 1e6}},
                               "config": SimpleNamespace(rope_theta=1e6 if ok else 1e4)},
    "unreachable": lambda p, ok: [
        {"token": token, "i": i} for token, i in p.file["model"]["vocab"].items()
        if not token.startswith(("##", "<0x", "<mask>"))
        and i not in p.tokenizer.added_tokens_decoder
    ] if ok else vars(opened(model=SMALL | {"merges": []})) | {"token": "in", "i": 256},
    "marker-in-text": lambda p, ok: (
        learned("on an end", "of it") if ok else learned("on an end<|endoftext|>of it")),
    "no-pre-tokenizer": lambda p, ok: {"pre_tokens": Pipeline(
        p.file if ok else {"model": SMALL}).stages("It was in 2019. It was.").pre_tokens},
    "own-text": lambda p, ok: {"documents": ["a", "b" if ok else "c"], "held_out": ["c"]},
    "counts-replace": lambda p, ok: {
        "per_file": COUNTED,
        "counts": sum(COUNTED, Counter()) if ok else Counter({**COUNTED[0], **COUNTED[1]})},
    "another-tokenizer": lambda p, ok:
        {"of_model": p.tokenizer if ok else right("GPT-2").tokenizer},
    "ids-made-again": lambda p, ok: answered(p, ok),
    "mask-zeros": lambda p, ok: chat(p, None if ok else SAYS, return_assistant_tokens_mask=True),
    "shifted-twice": lambda p, ok: {
        "ids": p.ids[:, :2], "labels": p.ids[:, :2] if ok else p.ids[:, 1:3],
        "targets": p.ids[:, 1:3] if ok else p.ids[:, 2:]},
    "padding-targets": lambda p, ok: labelled(p) if ok else {"targets": p.ids, "mask": p.ids * 0},
    "packing": lambda p, ok: [packed(p, attention_mask=BLOCKS)] if ok else [
        packed(p, restarts=False, attention_mask=BLOCKS), packed(p)],
    "left-padding": lambda p, ok:
        padded(p, LEFT, position_ids=(LEFT.cumsum(1) - 1).clamp(min=0) if ok else COLUMNS),
    "arange-l": lambda p, ok:
        {"ids": p.ids[:, :1], "x": p.E[p.ids[:, :1]] + p.P[: 1 if ok else None]},
    "m-resize": lambda p, ok: {"labels": p.ids, "new_id": p.ids[1, 3] if ok else p.unseen},
    "finished-vectors": lambda p, ok: {
        "from_vectors": hidden(p, inputs_embeds=p.E[p.ids] + (0 if ok else p.P[:4])),
        "from_ids": hidden(p, p.ids)},
    "rope-layout": lambda p, ok:
        {"reference": turned(p, "half"), "scores": turned(p, "half" if ok else "interleaved")},
    "yarn-ramp": lambda p, ok: yarn("YaRN, programs" if ok else "YaRN, paper"),
    "ngram-map": lambda p, ok: mapped(p) if ok else mapped(p, b"a", b"A"),
    "ngram-history": lambda p, ok: [
        in_calls(p, last) for last in ([50256] if ok else [0, int(p.ids[1, -1])])],
    "layer-factor": lambda p, ok: scaled(p, 8**0.5 if ok else 1.0),
    "prompt-ends-in-space": lambda p, ok: [
        {"prompt": "The hare", "answer": " ran"},
        {"prompt": "The year is ", "answer": "2024", "encode": o200k().encode},
    ] if ok else [{"prompt": "Four ", "answer": "rabbits", "encode": gpt2().encode}],
    "no-mask": lambda p, ok:
        padded(p, RIGHT) if ok else padded(right("BERT"), RIGHT, attention_mask=torch.ones(1, 7)),
    "mean-padding": lambda p, ok: padded(p, RIGHT, n_averaged=4 if ok else 7),
    "sep-typed": lambda p, ok: [
        right("BERT").tokenizer(*pair, return_tensors="pt")
        for pair in [("what is ai?", "ai is here") if ok else ("what is ai? [SEP] ai is here",)]],
    "case-lost": lambda p, ok: {
        "text": "Polish Café",
        "tokenizer": hf.BertTokenizerFast(vocab=right("BERT").vocab, do_lower_case=ok)},
    "list-differs": lambda p, ok: of_lines("\n" if ok else None),
    "cut-text": lambda p, ok: {"text": "a " * (7 if ok else 17), "limit": 16},
}  # fmt: skip
ROWS = MISTAKES.keys() | DEEDS.keys()
# An encoder ends no turn and has no such labels; it loses and cleans up text on purpose.
RIGHTS = {"small": ROWS, "GPT-2": ROWS, "BERT": ROWS - {
    "bos-twice", "template-without-tokens", "added-token-lost", "eos-differs", "guessed-stages",
    "merges-missing", "mask-zeros", "padding-targets", "all-hidden", "no-generation-prompt",
    "template-changes", "packing", "lossy", "decode-changes",
}}  # fmt: skip


def are_true(row: str, p: Any, ok: bool) -> set[bool]:
    """Return what the lines of a check are for a program."""
    made = DEEDS[row](p, ok) if row in DEEDS else {} if ok else MISTAKES[row](p)
    found = set()
    for own in made if isinstance(made, list) else [made]:
        names = (
            vars(p) | {"torch": torch} | (vars(own) if isinstance(own, SimpleNamespace) else own)
        )
        found |= {bool(eval(line, {**names})) for line in CHECKS[row]}
    return found


def test_each_check_has_its_programs_and_each_code_of_the_inspection_an_entry() -> None:
    assert CHECKS.keys() == ROWS, "each needs a program in MISTAKES or in DEEDS"
    assert {each.code for each in OF_INSPECTION} <= {*re.findall(r"\{#([\w-]+)\}", PAGE)}


@pytest.mark.parametrize(
    ("name", "row"),
    [(name, row) for name, rows in RIGHTS.items() for row in sorted(rows)],
)
def test_each_line_is_true_of_right_programs(name: str, row: str) -> None:
    assert are_true(row, right(name), ok=True) == {True}


@pytest.mark.parametrize("row", sorted(ROWS))
def test_each_line_is_false_of_wrong_programs(row: str) -> None:
    assert are_true(row, right("small"), ok=False) == {False}
