"""What is wrong with a tokenizer: each finding is tried on its files, and none of them is run."""

import json
import operator
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from companion._checks import shortened
from companion._filekinds import JSON, TOKENIZER_JSON, VOCAB_JSON, text_of
from companion._files import bundled
from companion.bpe import BYTE_TO_UNICODE
from companion.pipeline.models import merges_of
from companion.pipeline.parts import field
from companion.pipeline.pipeline import Pipeline
from companion.pipeline.reading import Repeated, read, read_json
from companion.pipeline.weights import rows_of

_CLASSES_SHA256 = "8b946b1b45d2a84750908aaf525cb90ff2a24e9fca2b5f78de2585a8320ace4d"
_CONTROL = re.compile(  # <|im_end|>, <tool_call>, [INST], </s>
    r"<[|｜].+[|｜]>|</?[a-z]+(?:_\w+)+>|\[/?[A-Z_]+\]|</?(?:s|bos|eos|pad|unk|mask|cls|sep|think)>"
)
_BYTES = {sign: byte for byte, sign in BYTE_TO_UNICODE.items()}
# On these texts, two ways to cut differ that differ on what people write.
_TEXTS = (
    "It was in 2019, at 10:30.", " Two  spaces and\n\na line.", "Don't SHOUT, we'll HEAR IT'S ok",
    "Café, naïve, Ünïcode", "Cafe\u0301 ﬁne ½ Ａ", "x_1 = foo(bar[2]) # 100%", "今天 天气很好。",
    "नमस्ते दुनिया", "👩‍👧 ok …", "tab\there", "end ",
)  # fmt: skip
_ALIKE = {
    "case": ("Hat", "hat"), "accents": ("résumé", "resume"),
    "composed and decomposed letters": ("é", "e\u0301"),
    "runs of spaces": ("a  b", "a b"), "line breaks": ("a\nb", "a b"),
    "spaces at the end": ("a ", "a"), "compatible characters": ("ﬁ ２", "fi 2"),
}  # fmt: skip
_CHARACTERS = "aZ9é日ह🙂\u200d¶"


class Finding(NamedTuple):
    """What is wrong, with its code, its level, why it matters, and a way out.

    The level is "fault" (wrong ids, or an error), "risk" (wrong in some uses) or "note".
    """

    code: str
    level: str
    what: str
    why: str
    way_out: str


@dataclass(frozen=True)
class Opened:
    """The files of a tokenizer: what they hold, and the `Pipeline`, or why there is none."""

    file: Path
    content: dict[str, Any]
    repeated: Repeated
    pipeline: Pipeline | None
    refusal: str
    config: dict[str, Any]  # tokenizer_config.json, and what special_tokens_map.json has beside
    model_config: dict[str, Any]
    generation: dict[str, Any]
    template: str

    @cached_property
    def model_vocab(self) -> list[tuple[str, int]]:
        """The tokens of the model, with all ids that the file gives them."""
        vocab: Any = self.content["model"].get("vocab")
        if isinstance(vocab, list):
            pairs = [(piece[0], i) for i, piece in enumerate(vocab)]
        else:
            several = [(token, i) for token, ids in self.repeated.items() for i in ids]
            pairs = [*vocab.items(), *several]
        if {(type(token), type(i)) for token, i in pairs} - {(str, int)}:
            raise TypeError("a token is no text, or an id no number")
        return pairs

    @cached_property
    def added(self) -> list[tuple[str, int]]:
        """The added tokens, with the ids that the file gives them."""
        parts = field(self.content, "added_tokens", list, [])
        return [(field(part, "content", str), field(part, "id", int)) for part in parts]

    @cached_property
    def n_vocab(self) -> int:
        """The highest id plus one."""
        return max((i for _, i in [*self.model_vocab, *self.added]), default=-1) + 1

    @property
    def is_alone(self) -> bool:
        """Whether no settings lie beside the tokenizer."""
        return not (self.config or self.model_config)

    @cached_property
    def has_byte_signs(self) -> bool:
        """Whether a stage writes or reads the signs of bytes."""
        parts = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
        return '"ByteLevel"' in json.dumps([self.content.get(name) for name in parts])

    @cached_property
    def rebuilt(self) -> dict[str, Any]:
        """The class for which transformers builds other stages, if the table has it."""
        table, model_type = _classes(), self.model_config.get("model_type")
        names: dict[str, str] = {}
        types = dict.fromkeys(table["from_file"], "from file")
        types |= dict.fromkeys(table["of_other_classes"], "another class")
        for name, entry in table["classes"].items():
            names |= dict.fromkeys([name, *entry["aliases"]], name)
            types |= dict.fromkeys(entry["model_types"], name)
        registered = types.get(model_type) if isinstance(model_type, str) else None
        given = self.config.get("tokenizer_class") or self.model_config.get("tokenizer_class")
        name = given.removesuffix("Fast") if isinstance(given, str) else registered
        is_forced = model_type in table["forced"]
        if name == "LlamaTokenizer" and self.has_byte_signs and not is_forced:
            name = None
        if registered == "from file" or (registered and is_forced):
            name = registered
        if name not in names or "auto_map" in self.config:  # that is code of the folder's own
            return {}
        return {"name": names[name], **table["classes"][names[name]]}

    def named(self, name: str) -> str | None:
        """Return a special token by its name, such as "eos_token"."""
        value = self.config.get(name, self.rebuilt.get("defaults", {}).get(name))
        value = value.get("content") if isinstance(value, dict) else value
        return value if isinstance(value, str) else None


def inspect_tokenizer(path: str | os.PathLike[str]) -> list[Finding]:
    """Say what is wrong with a tokenizer: a folder with its files, or a `tokenizer.json`.

    Beside the tokenizer's files, those are read that lie there of `tokenizer_config.json`,
    `special_tokens_map.json`, `config.json`, `generation_config.json`, `chat_template.jinja`, and
    of `*.safetensors` the names and shapes. No code and no template of them is run. Of each code
    there is at most one finding, with all causes.

    Parameters
    ----------
    path : path-like
        What `Pipeline.from_file` reads, or refuses for a fault that has a code.

    Returns
    -------
    list of Finding
        Faults first, then risks, then notes.

    Raises
    ------
    ValueError
        The files are those of no tokenizer, or of one that `Pipeline` does not support.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from companion.pipeline import inspect_tokenizer
    >>> model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tokenizer.json")
    ...     _ = path.write_text(json.dumps({"model": model}), encoding="utf-8")
    ...     [(each.code, each.what) for each in inspect_tokenizer(folder)]
    [('merge-without-token', "1 of 1 merges: 'a' and 'b' need 'ab', which is no token")]
    """
    return findings(opened(path))


def opened(path: str | os.PathLike[str]) -> Opened:
    """Read the files of a tokenizer, also of one that `Pipeline` refuses."""
    repeated: Repeated = {}
    file, content = read(path, repeated)
    pipeline, refusal = None, ""
    try:
        if repeated:
            raise ValueError(f"{min(repeated)!r} has several ids")
        pipeline = Pipeline(content)
    except (ValueError, RecursionError) as error:
        refusal = f"{file}: {error}"

    def beside(name: str) -> dict[str, Any]:
        path = file.with_name(f"{name}.json")
        return (
            read_json(path, f"a {name}", JSON, TOKENIZER_JSON, VOCAB_JSON) if path.exists() else {}
        )

    config = beside("special_tokens_map") | beside("tokenizer_config")
    template = config.get("chat_template")
    if isinstance(template, list):  # several, each with its name
        named = {str(e.get("name")): e.get("template") for e in template if isinstance(e, dict)}
        template = named.get("default", next(iter(named.values()), ""))
    if (jinja := file.with_name("chat_template.jinja")).exists():
        template = text_of(jinja, (), "a chat template")
    template = template if isinstance(template, str) else ""
    others = beside("config"), beside("generation_config")
    return Opened(file, content, repeated, pipeline, refusal, config, *others, template)


def findings(it: Opened) -> list[Finding]:
    """Return what is wrong with the files of a tokenizer."""
    if it.pipeline is None:
        try:
            if not (_merge_without_token(it) or _two_names(it)):
                raise ValueError(it.refusal)
        except (AttributeError, LookupError, TypeError, ValueError):  # another part is wrong too
            raise ValueError(it.refusal) from None
    rows = [(code, level, check(it), why, out) for code, (level, check, why, out) in _CODES.items()]
    return [Finding(*row) for row in rows if row[2]]


def _listed(values: Iterable[object], limit: int = 4) -> str:
    """Name the first of some values, and how many there are beside."""
    shown = [shortened(value, 40) for value in values]
    more = f" and {len(shown) - limit:,} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + more


# What the files say


def _merge_without_token(it: Opened) -> str:
    part = it.content["model"]
    prefix = field(part, "continuing_subword_prefix", str, "")
    vocab = {token for token, _ in it.model_vocab}
    merges = [*merges_of(part)] if "merges" in part else []
    lost = {
        (left, right): token
        for left, right in merges
        for token in (left + right[len(prefix) :], right, left)
        if token not in vocab
    }
    for (left, right), token in lost.items():
        first = f"{left!r} and {right!r} need {token!r}, which is no token"
        return f"{len(lost):,} of {len(merges):,} merges: {first}"
    return ""


def _two_names(it: Opened) -> str:
    tokens: defaultdict[int, dict[str, None]] = defaultdict(dict)
    ids: defaultdict[str, dict[int, None]] = defaultdict(dict)
    # tokenizers does not read the id of an added token: the model's counts, or the next free one.
    gets = dict(it.model_vocab)
    free = len(gets)
    for token, _ in it.added:
        free = max(free, gets.setdefault(token, free) + 1)
    for token, token_id in [*it.model_vocab, *it.added, *((t, gets[t]) for t, _ in it.added)]:
        tokens[token_id][token] = ids[token][token_id] = None
    twice = [f"id {i} is {_listed(names)}" for i, names in tokens.items() if len(names) > 1]
    twice += [f"{token!r} is {_listed(ns)}" for token, ns in ids.items() if len(ns) > 1]
    return "; ".join(twice[:3]) + (f"; {len(twice) - 3:,} more" if len(twice) > 3 else "")


def _table(is_wrong: Callable[[int, int], bool]) -> Callable[[Opened], str]:
    def check(it: Opened) -> str:
        nested = it.model_config.get("text_config")
        configs = (each for each in (it.model_config, nested) if isinstance(each, dict))
        sizes = [size for each in configs if isinstance(size := each.get("vocab_size"), int)]
        said = (sizes or [it.n_vocab])[0], "vocab_size in config.json"
        rows, where = rows_of(it.file.parent) or said
        what = f"{it.n_vocab:,} ids, {rows:,} rows ({where})"
        return what if is_wrong(rows, it.n_vocab) else ""

    return check


def _gaps(it: Opened) -> str:
    used = {token_id for _, token_id in [*it.model_vocab, *it.added]}
    first = next((i for i in range(it.n_vocab) if i not in used), None)
    return "" if first is None else f"{it.n_vocab - len(used):,} ids, the first is {first:,}"


def _no_pad(it: Opened) -> str:
    padding = it.content.get("padding")
    saved = padding.get("pad_token") if isinstance(padding, dict) else None
    return "" if it.is_alone or it.named("pad_token") or saved else "there is no pad_token"


def _pad_is_eos(it: Opened) -> str:
    pad = it.named("pad_token")
    return f"pad_token and eos_token are {pad!r}" if pad and pad == it.named("eos_token") else ""


def _eos_differs(it: Opened) -> str:
    ids, eos = dict([*it.model_vocab, *it.added]), it.named("eos_token")
    said = {"the tokenizer": {ids[eos]}} if eos in ids else {}
    for name, config in ("config", it.model_config), ("generation_config", it.generation):
        value = config.get("eos_token_id")
        numbers = {i for i in (value if isinstance(value, list) else [value]) if type(i) is int}
        said |= {f"{name}.json": numbers} if numbers else {}
    sets = [*said.values()]
    # Each may name more tokens that end a text than the one before it.
    if all(first <= second for i, first in enumerate(sets) for second in sets[i + 1 :]):
        return ""
    return "; ".join(f"{sorted(numbers)} in {name}" for name, numbers in said.items())


def _no_limit(it: Opened) -> str:
    limit = it.config.get("model_max_length")
    if it.is_alone or (isinstance(limit, int | float) and limit < 10**9):
        return ""
    positions = it.model_config.get("max_position_embeddings")
    have = f"; the model has {positions:,} positions" if isinstance(positions, int) else ""
    return f"model_max_length is {'not there' if limit is None else 'beyond any text'}{have}"


def _saved(name: str) -> Callable[[Opened], str]:
    return lambda it: shortened(it.content[name], 120) if it.content.get(name) else ""


# What transformers makes of them


@cache
def _classes() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(bundled("transformers-classes.json", _CLASSES_SHA256))
    return table


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    """Put values into a part of the table: "$name", or a choice by whether a value is true."""
    match part:
        case {"if": name, "then": then, "else": other}:
            return _filled(then if values[name] else other, values)
        case dict():
            return {name: _filled(value, values) for name, value in part.items()}
        case list():
            return [_filled(value, values) for value in part]
        case str() if part.startswith("$"):
            return values[part[1:]]
    return part


def as_class(it: Opened, mine: Pipeline) -> Pipeline:
    """Return the `Pipeline` with the stages of the class that transformers builds."""
    own, defaults = it.content["model"], it.rebuilt["defaults"]
    values = defaults | {k: it.config[k] for k in defaults if it.config.get(k) is not None}
    for name in [name for name in defaults if name.endswith("_token")]:
        values[name] = it.named(name)
        values[f"{name}#"] = mine.vocab.get(values[name], mine.n_vocab)  # it adds what is missing
    normalizer = it.content.get("normalizer") or {}
    parts = [normalizer, *normalizer.get("normalizers", [])]
    values["charsmap"] = next((part for part in parts if part.get("type") == "Precompiled"), None)
    values["own"] = it.content.get("post_processor")
    stages = _filled(it.rebuilt["stages"], values)
    stages["model"] |= {key: own[key] for key in ("vocab", "merges") if key in own}
    return Pipeline(it.content | stages)


def _class_overrides_file(it: Opened, mine: Pipeline) -> str:
    if not it.rebuilt:
        return ""
    how = f"transformers {_classes()['version']} builds {it.rebuilt['name']}"
    kind = it.rebuilt["stages"]["model"]["type"]
    if (own := it.content["model"].get("type", kind)) != kind:
        return f"{how}, a {kind}, where the file has a {own}"
    try:
        theirs = as_class(it, mine)
    except ValueError:
        return ""
    for text in _TEXTS:
        if mine.encode(text) != theirs.encode(text):
            both = [shortened(each.encode_pair(text).tokens, 120) for each in (theirs, mine)]
            return f"{how}: {text!r} becomes {both[0]}, by the file {both[1]}"
    return ""


def _first_written(template: str) -> str:
    """Return what the source of a template writes first: a text, or the name of a variable."""
    operand = re.compile(r"""[\s(]*(?:'([^']*)'|"([^"]*)"|([\w.]+))""")
    opening, closing = re.compile(r"\{[{%#]"), {"{{": "}}", "{%": "%}", "{#": "#}"}
    values: dict[str, str] = {}
    in_macro, at = False, 0
    while tag := opening.search(template, at):
        if (text := template[at : tag.start()].strip()) and not in_macro:
            return text
        if (end := template.find(closing[tag[0]], tag.end())) < 0:
            return ""
        source, at = template[tag.end() : end].strip("-+ \t\r\n"), end + 2
        if tag[0] == "{%":
            in_macro = source.startswith("macro") or (in_macro and source != "endmacro")
            if value := re.match(r"set\s+([\w.]+)\s*=(.*)", source, re.DOTALL):
                values[value[1]] = value[2]
        elif tag[0] == "{{" and not in_macro:
            first = operand.match(source)
            for _ in range(9):  # a name may stand for another
                if first and first[3] in values:
                    first = operand.match(values[first[3]])
            if first and first[0] and first[3] != "raise_exception" and first[0].strip(" ('\""):
                return "".join(filter(None, first.groups()))
    return template[at:].strip()


def _bos_twice(it: Opened, mine: Pipeline) -> str:
    written = _first_written(it.template)
    begins = it.named("bos_token") or "" if written == "bos_token" else written
    specials = [pair for item in mine._layout.single[:1] for pair in item.specials]
    if not specials or not begins.startswith(specials[0][0]):
        return ""
    token, token_id = specials[0]
    ids = mine.encode(f"{token}a")
    what = f"the template begins with {token!r}, which the post-processor writes too: {ids[:3]}"
    return what if ids[:2] == [token_id] * 2 else ""


# What texts show


def _forgeable(it: Opened, mine: Pipeline) -> str:
    found = [
        token.content
        for token_id, token in mine.added_tokens.items()
        if token_id in mine.encode(token.content, add_special_tokens=False)
    ]
    control = [content for content in found if _CONTROL.fullmatch(content)]
    like = f"; {len(control):,} look like control tokens: {_listed(control)}" if control else ""
    return f"{len(found):,} added tokens are found in plain text{like}" if found else ""


def _control_not_special(it: Opened, mine: Pipeline) -> str:
    found = [
        token.content
        for token_id, token in mine.added_tokens.items()
        if _CONTROL.fullmatch(token.content) and mine.decode([token_id], skip_special_tokens=True)
    ]
    return f"{len(found):,} with special: false: {_listed(found)}" if found else ""


def _unreachable(it: Opened, mine: Pipeline) -> str:
    part = it.content["model"]
    inner, suffix = (
        part.get("continuing_subword_prefix") or "##",
        part.get("end_of_word_suffix") or "",
    )
    lost = []
    for token, token_id in it.model_vocab:
        word = token.removesuffix(suffix)
        is_inner = token.startswith(inner) or not token.endswith(suffix) or not word
        is_byte = re.fullmatch(r"<0x\w\w>", token) or (it.has_byte_signs and _is_part(token))
        is_control = token_id in mine.added_tokens or _CONTROL.fullmatch(token)
        if not (is_inner or is_byte or is_control):
            lost += [word] * ([i for _, i in mine._tokenize(word)] != [token_id])
    if not lost:
        return ""
    cut = [token for token, _ in mine._tokenize(lost[0])]
    return f"{len(lost):,} tokens; the text of one, {lost[0]!r}, becomes {shortened(cut, 80)}"


def _is_part(token: str) -> bool:
    """Tell whether a token of byte signs is a byte, or no whole characters."""
    try:
        return len(token) == 1 or not bytes(_BYTES[sign] for sign in token).decode()
    except (KeyError, UnicodeDecodeError):
        return True


def _lossy(it: Opened, mine: Pipeline) -> str:
    part = it.content["model"]
    unknown = {part.get("unk_id"), mine.vocab.get(part.get("unk_token"))}

    def ids_of(text: str) -> list[int]:
        ids = mine.encode(text, add_special_tokens=False)
        return [] if unknown & {*ids} else ids

    what = [
        f"{name} ({first!r} and {second!r} have the same ids)"
        for name, (first, second) in _ALIKE.items()
        if ids_of(first) and ids_of(first) == ids_of(second)
    ]
    lost = [sign for sign in _CHARACTERS if not ids_of(sign)]
    return "; ".join([*what, f"characters: {_listed(lost)}"] if lost else what)


def _decode_changes(it: Opened, mine: Pipeline) -> str:
    causes = []
    ids, spaced = (mine.encode(text, add_special_tokens=False) for text in ("a b", "a ."))
    whole, parts = mine.decode(ids), "".join(mine.decode([token_id]) for token_id in ids)
    if whole != parts:
        back = "is unchanged" if whole == "a b" else f"comes back as {whole!r}"
        causes.append(f"'a b' {back}, but its tokens one by one become {parts!r}")
    if mine.decode(spaced) == "a.":
        causes.append("'a .' comes back as 'a.'")
    if it.config.get("clean_up_tokenization_spaces") is True:
        causes.append("clean_up_tokenization_spaces is true")
    return "; ".join(causes)


def _prefix_space(it: Opened, mine: Pipeline) -> str:
    one, two = (mine.encode(text, add_special_tokens=False) for text in ("a", " a"))
    return f"'a' and ' a' become {one}" if one and one == two else ""


def _tried(check: Callable[[Opened, Pipeline], str]) -> Callable[[Opened], str]:
    return lambda it: check(it, it.pipeline) if it.pipeline is not None else ""


# The level, what finds it, why it matters, and a way out.
_CODES: Mapping[str, tuple[str, Callable[[Opened], str], str, str]] = {
    "bos-twice": ("fault", _tried(_bos_twice),
        "A text that the template writes begins with BOS twice when it is encoded.",
        "Encode it with add_special_tokens=False, or let apply_chat_template make the ids."),
    "class-overrides-file": ("fault", _tried(_class_overrides_file),
        "AutoTokenizer takes other stages than those in tokenizer.json, mostly without a word.",
        "Load the file with PreTrainedTokenizerFast.from_pretrained(folder)."),
    "table-short": ("fault", _table(operator.lt),
        "An id beyond the last row is an IndexError, or an assertion on a GPU.",
        "model.resize_token_embeddings(len(tokenizer)), then train the new rows."),
    "merge-without-token": ("fault", _merge_without_token,
        "Vocabulary and merges come from different models, or one was edited; the file is refused.",
        "Take both from one source."),
    "two-names": ("fault", _two_names,
        "What is encoded as one token is looked up, or decoded, as another.",
        "Give each token one id, that with which the model was trained."),
    "forgeable": ("risk", _tried(_forgeable),
        "A user's text can end a turn, or begin another role's.",
        "encode(text, split_added_tokens=True); in transformers from 5.20 on "
        "apply_chat_template(..., sanitize_control_tokens=True)."),
    "control-not-special": ("risk", _tried(_control_not_special),
        "skip_special_tokens keeps them, and split_special_tokens finds them in a user's text.",
        "Mark them as special where no text needs them, or treat them by name."),
    "no-pad": ("risk", _no_pad,
        "Texts of different lengths make no batch.",
        "Name a reserved token as pad_token; a new one needs a row in the token table."),
    "pad-is-eos": ("risk", _pad_is_eos,
        "Labels that hide padding by its id hide EOS too, and the model learns no end.",
        "Take another token for padding, or hide labels by the attention mask."),
    "eos-differs": ("risk", _eos_differs,
        "Generation waits for another token than the one that ends texts in training.",
        "List all ids that end an answer as eos_token_id in generation_config.json."),
    "no-limit": ("risk", _no_limit,
        "truncation=True cuts nothing.",
        "Set model_max_length to the number of positions, or pass max_length."),
    "unreachable": ("risk", _tried(_unreachable),
        "No text becomes these tokens, so their rows are hardly trained.",
        "Leave them out of prompts and stop words; compare the merges of a BPE, "
        "or the scores of a Unigram, with the original's."),
    "lossy": ("risk", _tried(_lossy),
        "The model cannot see the difference, and decode does not bring it back.",
        "Keep the texts beside the ids; where it matters, take another model."),
    "saved-truncation": ("risk", _saved("truncation"),
        "The package tokenizers cuts texts at this length without a word (Pipeline does not).",
        "Call no_truncation() after loading, and save the file."),
    "saved-padding": ("risk", _saved("padding"),
        "The package tokenizers pads each text (Pipeline does not).",
        "Call no_padding() after loading, and save the file."),
    "table-long": ("note", _table(operator.gt),
        "Tables are often rounded up; an id without a token can still be sampled.",
        "Exclude ids from n_vocab on in generation, if they come."),
    "gaps": ("note", _gaps,
        "len(vocab) is less than the highest id plus one; decode leaves these ids out.",
        "Size tables by n_vocab, the highest id plus one."),
    "decode-changes": ("note", _tried(_decode_changes),
        "A decoded text need not be the one that was encoded.",
        "Decode all ids at once, with clean_up_tokenization_spaces=False; or keep the text."),
    "prefix-space": ("note", _tried(_prefix_space),
        "The first word has the ids of a word after a space, so each part gets one.",
        "Encode a text as a whole, not in parts."),
}  # fmt: skip
