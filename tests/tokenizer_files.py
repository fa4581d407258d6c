"""Contents of `tokenizer.json` as families of models have them, with small models of this book."""

import base64
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import sentencepiece
import tokenizers
from tiktoken_ext.openai_public import r50k_pat_str
from tokenizers import models, pre_tokenizers, trainers

from companion.bpe.splitting import GPT2_PATTERN, O200K_PATTERN
from companion.story import load_story
from inspector import Pipeline

Content = dict[str, Any]

# What the models have published, in a tokenizer.json or beside their ranks.
_ENDING = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_BEFORE, _UPPER = r"[^\r\n\p{L}\p{N}]?", r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
_LOWER, _NO_HAN = r"\p{Ll}\p{Lm}\p{Lo}\p{M}", r"&&[^\p{Han}]"
PUBLISHED = {
    "GPT-2": GPT2_PATTERN,
    "GPT-2, in tiktoken": r50k_pat_str,
    "GPT-4": r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    "GPT-4o": O200K_PATTERN,
    "Llama 3": rf"{_ENDING}|{_BEFORE}\p{{L}}+|\p{{N}}{{1,3}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}",
    "Qwen 3.5": rf"{_ENDING}|{_BEFORE}[\p{{L}}\p{{M}}]+|\p{{N}}"
    rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}",
    "DeepSeek-V3, Chinese and Japanese": "[一-龥぀-ゟ゠-ヿ]+",
    "DeepSeek-V3": r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
    rf"|[^\r\n\p{{L}}\p{{P}}\p{{S}}]?[\p{{L}}\p{{M}}]+| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_SPACES}",
    "DeepSeek-Coder": r"\s?\p{P}+",
    "Falcon": r"[\p{P}\$\+<=>\^~\|`]+",
    "CLIP": r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d"
    r"|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "Bloom": r" ?[^(\s|[.,!?…。，、।۔،])]+",
    "Kimi K2": rf"[\p{{Han}}]+|{_BEFORE}[{_UPPER}{_NO_HAN}]*[{_LOWER}{_NO_HAN}]+{_ENDING}?"
    rf"|{_BEFORE}[{_UPPER}{_NO_HAN}]+[{_LOWER}{_NO_HAN}]*{_ENDING}?|\p{{N}}{{1,3}}"
    rf"| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_SPACES}",
    "SuperBPE": r"(?=(\d{3})+(?!\d))",
    "Cohere, digits": r"\d{1,3}(?=(?:\d{3})*\b)",
    "Chameleon": r"(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z",
    "Chameleon, signs": r"[\p{P}!-/:-@\[-`{-~]",
    "Laguna": r"(?:\r?\n)+(?!\r?\n)",
}  # fmt: skip
LLAMA3 = PUBLISHED["Llama 3"]
DEEPSEEK = (
    "[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+",
)  # fmt: skip
CLIP = r"<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
CODES = [f"<0x{byte:02X}>" for byte in range(256)]
BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
# Pipeline applies neither.
TRUNCATION = {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0}
PADDING = {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
           "pad_type_id": 0, "pad_token": "[UNK]"}  # fmt: skip


def added(content: str, token_id: int, **switches: bool) -> Content:
    """Return an added token as a file has it: special, and found in the raw text."""
    usual = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {"id": token_id, "content": content, "special": True, **usual, **switches}


def of(kind: str, **fields: Any) -> Content:
    return {"type": kind, **fields}


def split(pattern: str, behavior: str = "Isolated", **fields: Any) -> Content:
    return of("Split", pattern={"Regex": pattern}, behavior=behavior, **{"invert": False} | fields)


def replace(pattern: str, content: str, kind: str = "String") -> Content:
    return of("Replace", pattern={kind: pattern}, content=content)


def bytes_of(**fields: bool) -> Content:
    return of("ByteLevel", **{"add_prefix_space": False, "trim_offsets": True} | fields)


def sequence(**parts: Sequence[Content]) -> Content:
    ((name, of_it),) = parts.items()
    return {"type": "Sequence", name: list(of_it)}


def template(single: str, pair: str, ids: dict[str, int]) -> Content:
    """Return the `TemplateProcessing` for items with their segments, "<s>:0 A:0"."""

    def items(text: str) -> list[Content]:
        named = (item.rsplit(":", 1) for item in text.split())
        return [
            {"Sequence" if name in ("A", "B") else "SpecialToken": {"id": name, "type_id": int(n)}}
            for name, n in named
        ]

    specials = {name: {"id": name, "ids": [i], "tokens": [name]} for name, i in ids.items()}
    return of("TemplateProcessing", single=items(single), pair=items(pair), special_tokens=specials)


def sentencepiece_model(**options: Any) -> bytes:
    """Return a model that SentencePiece trains on the story."""
    file = io.BytesIO()
    usual: Content = {"vocab_size": 300, "hard_vocab_limit": False}
    usual["sentence_iterator"] = iter(load_story().splitlines())
    sentencepiece.SentencePieceTrainer.train(model_writer=file, minloglevel=2, **usual | options)
    return file.getvalue()


@cache
def charsmap() -> str:
    """Return SentencePiece's table for NFKC, in base64, from a model that it trains."""
    _, _, rest = sentencepiece_model().partition(b"\n\x08nmt_nfkc\x12")
    # A length comes first, seven bits a byte.
    size = (rest[0] & 0x7F) | (rest[1] & 0x7F) << 7 | rest[2] << 14
    return base64.b64encode(rest[3 : 3 + size]).decode()


@cache
def trained(kind: str) -> Content:
    """Return a model of at most 700 tokens that the library learns from the story."""
    usual: Any = {"vocab_size": 700, "show_progress": False}
    mark, mark_bytes = pre_tokenizers.Metaspace(), pre_tokenizers.ByteLevel()
    kinds: dict[str, Any] = {
        "WordPiece": (models.WordPiece(unk_token="[UNK]"), pre_tokenizers.BertPreTokenizer(),
                      [*BERT], trainers.WordPieceTrainer),
        "Unigram": (models.Unigram(), mark, ["<pad>", "</s>", "<unk>"],
                    partial(trainers.UnigramTrainer, unk_token="<unk>")),
        "BPE": (models.BPE(), mark, ["<unk>", "<s>", "</s>", *CODES], trainers.BpeTrainer),
        "bytes": (models.BPE(), mark_bytes, ["<s>", "<pad>", "</s>", "<mask>"],
                  partial(trainers.BpeTrainer, initial_alphabet=mark_bytes.alphabet())),
    }  # fmt: skip
    model, cut, specials, teacher = kinds[kind]
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = cut
    tokenizer.train_from_iterator([load_story()], teacher(special_tokens=specials, **usual))
    found: Content = json.loads(tokenizer.to_str())["model"]
    return found


def _bytes(pre_tokenizer: Content, more_tokens: Sequence[str] = (), **parts: Any) -> Content:
    """Return a byte-level file; the added tokens come after the model's 700."""
    model = trained("bytes") | parts.pop("model", {})
    more = [added(token, 700 + i, special=i % 2 == 0) for i, token in enumerate(more_tokens)]
    specials = [added(token, i) for i, token in enumerate(("<s>", "<pad>", "</s>"))]
    specials = parts.pop("added_tokens", specials)
    return {
        "model": model,
        "added_tokens": [*specials, *more],
        "pre_tokenizer": pre_tokenizer,
        "decoder": bytes_of(),
    } | parts


def _cut(*patterns: str, **fields: Any) -> Content:
    return sequence(
        pretokenizers=[*(split(each, **fields) for each in patterns), bytes_of(use_regex=False)]
    )


def _marked(**parts: Any) -> Content:
    """Return a file of a SentencePiece BPE model, which falls back to bytes."""
    model = trained("BPE") | {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True}
    specials = [added(token, i) for i, token in enumerate(("<unk>", "<s>", "</s>"))]
    back = [replace("▁", " "), of("ByteFallback"), of("Fuse")]
    llama = {
        "model": model | parts.pop("model", {}), "added_tokens": specials,
        "post_processor": template("<s>:0 A:0", "<s>:0 A:0 <s>:1 B:1", {"<s>": 1}),
        "decoder": sequence(decoders=[*back, of("Strip", content=" ", start=1, stop=0)]),
    }  # fmt: skip
    return llama | parts


def _unigram() -> Content:
    model = trained("Unigram")
    specials = [added(token, i) for i, token in enumerate(("<pad>", "</s>", "<unk>"))]
    more = [added("<extra_id_0>", len(model["vocab"])), added("<sep>", len(model["vocab"]) + 1)]
    mark = of("Metaspace", replacement="▁", prepend_scheme="always", split=True)
    return {
        "model": model, "added_tokens": [*specials, *more], "decoder": mark,
        "normalizer": of("Precompiled", precompiled_charsmap=charsmap()),
        "pre_tokenizer": sequence(pretokenizers=[of("WhitespaceSplit"), mark]),
        "post_processor": template("A:0 </s>:0", "A:0 </s>:0 B:0 </s>:0", {"</s>": 1}),
        "truncation": TRUNCATION, "padding": PADDING,
    }  # fmt: skip


def _bert(**change: bool) -> Content:
    specials = [added(token, i) for i, token in enumerate(BERT)]
    usual = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
             "lowercase": True}  # fmt: skip
    ids = {"[CLS]": 2, "[SEP]": 3}
    return {
        "model": trained("WordPiece"), "added_tokens": specials,
        "normalizer": of("BertNormalizer", **usual | change),
        "pre_tokenizer": of("BertPreTokenizer"),
        "post_processor": template(
            "[CLS]:0 A:0 [SEP]:0", "[CLS]:0 A:0 [SEP]:0 B:1 [SEP]:1", ids
        ),
        "decoder": of("WordPiece", prefix="##", cleanup=True),
    }  # fmt: skip


_ROBERTA = of("RobertaProcessing", sep=["</s>", 2], cls=["<s>", 0], trim_offsets=True,
              add_prefix_space=False)  # fmt: skip
FAMILIES: dict[str, Callable[[], Content]] = {
    "GPT-2": lambda: _bytes(bytes_of(use_regex=True), ["<|endoftext|>"]),
    "Llama 3": lambda: _bytes(
        _cut(LLAMA3), ["<|begin_of_text|>", "<|eot_id|>"], model={"ignore_merges": True},
        post_processor=sequence(processors=[
            bytes_of(), template("<s>:0 A:0", "<s>:0 A:0 <s>:1 B:1", {"<s>": 0})
        ]),
    ),
    "DeepSeek": lambda: _bytes(
        sequence(pretokenizers=[
            *map(split, DEEPSEEK), of("Digits", individual_digits=True), bytes_of(use_regex=False)
        ]), ["<｜User｜>"],
    ),
    "CLIP": lambda: _bytes(
        _cut(CLIP, behavior="Removed", invert=True), post_processor=_ROBERTA,
        normalizer=sequence(
            normalizers=[of("NFC"), replace(r"\s+", " ", "Regex"), of("Lowercase")]
        ),
    ),
    "Llama 2": lambda: _marked(
        normalizer=sequence(normalizers=[of("Prepend", prepend="▁"), replace(" ", "▁")])
    ),
    "Mistral": lambda: _marked(
        pre_tokenizer=of("Metaspace", replacement="▁", prepend_scheme="first", split=False)
    ),
    "envit5": lambda: _marked(
        model={"byte_fallback": False},
        normalizer=sequence(normalizers=[
            of("Precompiled", precompiled_charsmap=charsmap()), replace(" {2,}", " ", "Regex")
        ]),
        pre_tokenizer=of("Metaspace", replacement="▁", add_prefix_space=True),
        decoder=of("Metaspace", replacement="▁", add_prefix_space=True),
    ),
    "T5": _unigram,
    "BERT": _bert,
    "BERT, cased": lambda: _bert(lowercase=False, handle_chinese_chars=False),
}  # fmt: skip


def library(content: Content) -> tokenizers.Tokenizer:
    """Return the library's tokenizer for a file's content."""
    usual = ("normalizer", "pre_tokenizer", "post_processor", "decoder", "truncation", "padding")
    whole = {"version": "1.0", "added_tokens": []} | dict.fromkeys(usual) | content
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(whole))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def write(folder: Path, files: Mapping[str, Any]) -> Path:
    """Write files, JSON but for strings and bytes; a name without an ending gets ".json"."""
    for name, what in files.items():
        data = what if isinstance(what, str | bytes) else json.dumps(what)
        path = folder / (name if "." in name else f"{name}.json")
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


def both(content: Content) -> tuple[Pipeline, tokenizers.Tokenizer]:
    """Return what is compared."""
    return Pipeline(content), library(content)


def differences(
    mine: Pipeline, theirs: tokenizers.Tokenizer, texts: Sequence[str]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield where a `Pipeline` and the library do not agree on texts, pairs and decoded ids."""
    if mine.vocab != theirs.get_vocab(with_added_tokens=True):
        yield "vocab", mine.vocab, theirs.get_vocab()
    for text, second in zip(texts, reversed(texts), strict=True):
        one, two = theirs.encode(text), theirs.encode(text, second)
        bare = theirs.encode(text, add_special_tokens=False)
        compared: list[tuple[Any, Any]] = [
            (mine.encode(text), one.ids),
            (mine.encode(text, add_special_tokens=False), bare.ids),
            (mine.encode_pair(text), (one.ids, one.type_ids, one.tokens)),
            (mine.encode_pair(text, second), (two.ids, two.type_ids, two.tokens)),
            (mine.stages(text)[2:], (bare.tokens, one.ids)),
        ]
        for ids in (two.ids, two.ids[::-1], [i + 2 for i in one.ids]):
            for skips in (False, True):
                decoded = theirs.decode(ids, skip_special_tokens=skips)
                compared.append((mine.decode(ids, skip_special_tokens=skips), decoded))
        yield from ((text, ours, other) for ours, other in compared if ours != other)


SETS = re.compile(
    r'[Ss]et ("\w+": .+?) in ([\w.]+json)(?:, added_tokens, (".+?")|, (\w+))?(?=[;.]|$)'
)


def mended(path: Path, fix: str) -> bool:
    """Set in the files of a folder what a fix says; tell whether there was anything."""
    settings = SETS.findall(fix)
    for line, name, token, inside in settings:
        file = path / name
        content = json.loads(file.read_text()) if file.exists() else {}
        place = content[inside] if inside else content
        if token:
            parts = content["added_tokens"]
            place = next(part for part in parts if part["content"] == json.loads(token))
        place |= json.loads(f"{{{line}}}")
        file.write_text(json.dumps(content))
    return bool(settings)
