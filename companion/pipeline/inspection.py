"""What is wrong with a tokenizer: each finding is tried on its files, and none of them is run."""

import json
import operator
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from companion._checks import shortened
from companion._files import bundled_json, kind_of
from companion.bpe.alphabet import SIGN_TO_BYTE
from companion.pipeline.classes import with_stages
from companion.pipeline.files import TokenizerFiles
from companion.pipeline.models import merges_of
from companion.pipeline.parts import field
from companion.pipeline.pipeline import Pipeline

_CONTROL = re.compile(  # <|im_end|>, <tool_call>, [INST], </s>
    r"<[|｜].+[|｜]>|</?[a-z]+_\w+>|\[/?[A-Z_]+\]|</?(?:s|bos|eos|pad|unk|mask|cls|sep|think)>"
)
_TABLE = re.compile(
    r"(?:.*\.)?(?:wte|embed_tokens|word_embeddings|shared|tok_embeddings|embed_in)\.weight"
)
# An expression, a statement, a comment, or the text between; and what an expression begins with.
_TEMPLATE = re.compile(
    r"\{\{(.*?)(?:\}\}|\Z)|\{%(.*?)(?:%\}|\Z)|\{#.*?(?:#\}|\Z)|((?:(?!\{[{%#]).)+)", re.DOTALL
)
_OPERAND = re.compile(r"""[-+]?[\s(]*(?:'([^']*)'|"([^"]*)"|([\w.]+))""")
_START = 100_000  # characters of a chat template, in which it writes something
# To cut a token may take time with the square of its length: in all some 15 million for 250,000
# tokens of a published vocabulary. Of one with more than this, the shortest are looked at.
_MOST_WORK = 50_000_000


class Finding(NamedTuple):
    """What is wrong, with its code, its level, why it matters, and a way out.

    The level is "fault" (wrong ids, or an error), "risk" (wrong in some uses) or "note".
    """

    code: str
    level: str
    what: str
    why: str
    way_out: str


def inspect_tokenizer(path: str | os.PathLike[str]) -> list[Finding]:
    """Say what is wrong with a tokenizer: a folder with its files, or a `tokenizer.json`.

    Beside the tokenizer's files, those are read that lie there of `tokenizer_config.json`,
    `special_tokens_map.json`, `config.json`, `generation_config.json`, `chat_template.jinja`, and
    of `*.safetensors` the names and shapes. No code and no template of them is run. Of each code
    there is at most one finding, with all causes.

    Faults come first, then risks, then notes. A `ValueError` says that the files are those of no
    tokenizer, or of one that `Pipeline` does not support; one that it refuses for a fault with a
    code is reported.

    >>> import json, pathlib, tempfile
    >>> from companion.pipeline import inspect_tokenizer
    >>> model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tokenizer.json")
    ...     _ = path.write_text(json.dumps({"model": model}), encoding="utf-8")
    ...     [(each.code, each.what) for each in inspect_tokenizer(folder)]
    [('merge-without-token', "1 of 1 merges: 'a' and 'b' need 'ab', which is no token")]
    """
    return findings(TokenizerFiles(path))


def findings(files: TokenizerFiles) -> list[Finding]:
    """Return what is wrong with the files of a tokenizer."""
    if files.pipeline is None:
        try:
            if not (_merge_without_token(files) or _two_names(files)):
                raise ValueError(files.refusal)
        except (AttributeError, LookupError, TypeError, ValueError):  # another part is wrong too
            raise ValueError(files.refusal) from None
    found = {code: check(files) for code, check in _READ.items()}
    if files.pipeline is not None:
        found |= {code: check(files, files.pipeline) for code, check in _TRIED.items()}
    codes = bundled_json("findings.json")["codes"].items()
    rows = [(code, level, found.get(code), *rest) for code, (level, *rest) in codes]
    return [Finding(*row) for row in rows if row[2]]


def _listed(values: Iterable[object], limit: int = 4) -> str:
    """Name the first of some values, and how many there are beside."""
    shown = [shortened(value, 40) for value in values]
    more = f" and {len(shown) - limit:,} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + more


# What the files say


def _merge_without_token(files: TokenizerFiles) -> str:
    part = files.content["model"]
    prefix = field(part, "continuing_subword_prefix", str, "")
    vocab = {token for token, _ in files.model_vocab}
    lost = []
    for left, right in merges_of(field(part, "merges", list, [])):
        needed = (left, right, left + right[len(prefix) :])
        lost += [(left, right, token) for token in needed if token not in vocab][:1]
    for merge in lost:
        left, right, token = map(shortened, merge)
        first = f"{left} and {right} need {token}, which is no token"
        return f"{len(lost):,} of {len(part['merges']):,} merges: {first}"
    return ""


def _two_names(files: TokenizerFiles) -> str:
    # tokenizers does not read the id of an added token: the model's counts, or the next free one.
    gets = dict(files.model_vocab)
    free = len(gets)
    for token, _ in files.added:
        free = max(free, gets.setdefault(token, free) + 1)
    pairs = {*files.model_vocab, *files.added, *((token, gets[token]) for token, _ in files.added)}
    of_token, of_id = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    twice: defaultdict[str, list[object]] = defaultdict(list)
    for token, token_id in sorted(p for p in pairs if of_token[p[0]] > 1 or of_id[p[1]] > 1):
        if of_id[token_id] > 1:
            twice[f"id {token_id}"].append(token)
        if of_token[token] > 1:
            twice[shortened(token)].append(token_id)
    named = [f"{name} is {_listed(others)}" for name, others in twice.items()]
    return "; ".join(named[:3]) + (f"; {len(named) - 3:,} more" if len(named) > 3 else "")


def _rows(files: TokenizerFiles, is_wrong: Callable[[int, int], bool]) -> str:
    nested = files.model_config.get("text_config")
    configs = (each for each in (files.model_config, nested) if isinstance(each, dict))
    sizes = [size for each in configs if isinstance(size := each.get("vocab_size"), int)]
    said = (sizes or [files.n_vocab])[0], "vocab_size in config.json"
    rows, where = _rows_of(files.file.parent) or said
    what = f"{files.n_vocab:,} ids, {rows:,} rows ({where})"
    return what if is_wrong(rows, files.n_vocab) else ""


def _rows_of(folder: Path) -> tuple[int, str] | None:
    """Return the rows of the token table in a folder's `*.safetensors`, and where they are."""
    for path in sorted(folder.glob("*.safetensors")):
        with open(path, "rb") as file:
            data = file.read(4096)
            if (kind := kind_of(data)) and kind.name != "a file of weights (safetensors)":
                continue  # such as a pointer of git-lfs
            size = int.from_bytes(data[:8], "little")
            try:
                if size + 8 > min(path.stat().st_size, 100_000_000):
                    raise ValueError(f"a header of {size:,} bytes")
                data += file.read(max(0, size + 8 - len(data)))
                for name, tensor in json.loads(data[8 : 8 + size]).items():
                    if _TABLE.fullmatch(name):
                        return int(tensor["shape"][0]), f"{name} in {path.name}"
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                raise ValueError(f"{path} is not a whole safetensors file: {error}") from None
    return None


def _gaps(files: TokenizerFiles) -> str:
    used = {token_id for _, token_id in [*files.model_vocab, *files.added]}
    first = next((i for i in range(files.n_vocab) if i not in used), None)
    return "" if first is None else f"{files.n_vocab - len(used):,} ids, the first is {first:,}"


def _no_pad(files: TokenizerFiles) -> str:
    padding = files.content.get("padding")
    saved = padding.get("pad_token") if isinstance(padding, dict) else None
    is_alone = not (files.config or files.model_config)
    return "" if is_alone or files.named("pad_token") or saved else "there is no pad_token"


def _pad_is_eos(files: TokenizerFiles) -> str:
    pad = files.named("pad_token")
    return f"pad_token and eos_token are {pad!r}" if pad and pad == files.named("eos_token") else ""


def _eos_differs(files: TokenizerFiles) -> str:
    ids, eos = dict([*files.model_vocab, *files.added]), files.named("eos_token")
    said = {"the tokenizer": {ids[eos]}} if eos in ids else {}
    for name, config in ("config", files.model_config), ("generation_config", files.generation):
        value = config.get("eos_token_id")
        numbers = {i for i in (value if isinstance(value, list) else [value]) if type(i) is int}
        said |= {f"{name}.json": numbers} if numbers else {}
    sets = [*said.values()]
    # Each may name more tokens that end a text than the one before files.
    if all(first <= second for i, first in enumerate(sets) for second in sets[i + 1 :]):
        return ""
    return "; ".join(f"{sorted(numbers)} in {name}" for name, numbers in said.items())


def _no_limit(files: TokenizerFiles) -> str:
    limit = files.config.get("model_max_length")
    is_set = isinstance(limit, int | float) and limit < 10**9
    if is_set or not (files.config or files.model_config):
        return ""
    positions = files.model_config.get("max_position_embeddings")
    have = f"; the model has {positions:,} positions" if isinstance(positions, int) else ""
    return f"model_max_length is {'not there' if limit is None else 'beyond any text'}{have}"


def _guessed_stages(files: TokenizerFiles) -> str:
    kind = files.content["model"]["type"]
    taken = "GPT-2's" if kind == "BPE" else "BERT's"
    is_named = files.rebuilt.get("stages", {"model": {}})["model"].get("type") == kind
    what = f"no file says which stages {files.file} goes with; {taken} were taken"
    return what if files.is_older and not is_named else ""


def _saved(files: TokenizerFiles, name: str) -> str:
    return shortened(files.content[name], 120) if files.content.get(name) else ""


# What transformers makes of them


def as_class(files: TokenizerFiles) -> Pipeline:
    """Return the `Pipeline` with the stages of the class that transformers builds."""
    return Pipeline(with_stages(files.content, files.rebuilt, files.config, files.ids))


def _class_overrides_file(files: TokenizerFiles, mine: Pipeline) -> str:
    if not files.rebuilt or files.is_older:
        return ""
    version = bundled_json("transformers-classes.json")["version"]
    how = f"transformers {version} builds {files.rebuilt['name']}"
    kind = files.rebuilt["stages"]["model"]["type"]
    if (own := files.content["model"].get("type", kind)) != kind:
        return f"{how}, a {kind}, where the file has a {own}"
    try:
        theirs = as_class(files)
    except ValueError:
        return ""
    for text in bundled_json("findings.json")["texts"]:
        if mine.encode(text) != theirs.encode(text):
            both = [shortened(each.encode_pair(text).tokens, 120) for each in (theirs, mine)]
            return f"{how}: {text!r} becomes {both[0]}, by the file {both[1]}"
    return ""


def _first_written(template: str) -> str:
    """Return what the source of a template writes first: a text, or the name of a variable."""
    values: dict[str, str] = {}
    in_macro = False
    for expression, statement, text in _TEMPLATE.findall(template[:_START]):
        statement = statement.strip("-+ \t\r\n")
        in_macro = statement.startswith("macro") or (in_macro and statement != "endmacro")
        if value := re.match(r"set\s+([\w.]+)\s*=(.*)", statement, re.DOTALL):
            values[value[1]] = value[2]
        first = _OPERAND.match(expression)
        for _ in range(9):  # a name may stand for another
            if first and first[3] in values:
                first = _OPERAND.match(values[first[3]])
        named = "".join(filter(None, first.groups())) if first else ""
        written = text.strip() or (named if named != "raise_exception" else "")
        if written and not in_macro:
            return str(written)
    return ""


def _bos_twice(files: TokenizerFiles, mine: Pipeline) -> str:
    written, around = _first_written(files.template), mine.encode_pair("")
    begins = files.named("bos_token") or "" if written == "bos_token" else written
    if not around.ids or not begins.startswith(token := around.tokens[0]):
        return ""
    ids = mine.encode(f"{token}a")
    what = f"the template begins with {token!r}, which the post-processor writes too: {ids[:3]}"
    return what if ids[:2] == around.ids[:1] * 2 else ""


# What texts show


def _forgeable(files: TokenizerFiles, mine: Pipeline) -> str:
    found = [
        token.content
        for token_id, token in mine.added_tokens.items()
        if token_id in mine.encode(token.content, add_special_tokens=False)
    ]
    control = [content for content in found if _CONTROL.fullmatch(content)]
    like = f"; {len(control):,} look like control tokens: {_listed(control)}" if control else ""
    return f"{len(found):,} added tokens are found in plain text{like}" if found else ""


def _control_not_special(files: TokenizerFiles, mine: Pipeline) -> str:
    found = [
        token.content
        for token_id, token in mine.added_tokens.items()
        if _CONTROL.fullmatch(token.content) and mine.decode([token_id], skip_special_tokens=True)
    ]
    return f"{len(found):,} with special: false: {_listed(found)}" if found else ""


def _unreachable(files: TokenizerFiles, mine: Pipeline) -> str:
    part = files.content["model"]
    inner = part.get("continuing_subword_prefix") or "##"
    suffix = part.get("end_of_word_suffix") or ""
    words = []
    for token, token_id in files.model_vocab:
        word = token.removesuffix(suffix)
        is_inner = token.startswith(inner) or not token.endswith(suffix) or not word
        is_byte = re.fullmatch(r"<0x\w\w>", token) or (files.has_byte_signs and _is_part(token))
        is_control = token_id in mine.added_tokens or _CONTROL.fullmatch(token)
        if not (is_inner or is_byte or is_control):
            words.append((word, token_id))
    words.sort(key=lambda pair: len(pair[0]))
    work = accumulate(len(word) ** 2 for word, _ in words)
    looked_at = [pair for pair, so_far in zip(words, work, strict=True) if so_far <= _MOST_WORK]
    lost = [w for w, token_id in looked_at if [i for _, i in mine.model(w)] != [token_id]]
    if not lost:
        return ""
    of = f" of the {len(looked_at):,} shortest" if len(looked_at) < len(words) else ""
    cut = shortened([token for token, _ in mine.model(lost[0])], 80)
    return f"{len(lost):,} tokens{of}; the text of one, {shortened(lost[0])}, becomes {cut}"


def _is_part(token: str) -> bool:
    """Tell whether a token of byte signs is a byte, or no whole characters."""
    try:
        return len(token) == 1 or not bytes(SIGN_TO_BYTE[sign] for sign in token).decode()
    except (KeyError, UnicodeDecodeError):
        return True


def _lossy(files: TokenizerFiles, mine: Pipeline) -> str:
    part = files.content["model"]
    unknown = {part.get("unk_id"), mine.vocab.get(part.get("unk_token"))}

    def ids_of(text: str) -> list[int]:
        ids = mine.encode(text, add_special_tokens=False)
        return [] if unknown & {*ids} else ids

    what = [
        f"{name} ({first!r} and {second!r} have the same ids)"
        for name, (first, second) in bundled_json("findings.json")["alike"].items()
        if ids_of(first) and ids_of(first) == ids_of(second)
    ]
    lost = [sign for sign in bundled_json("findings.json")["characters"] if not ids_of(sign)]
    return "; ".join([*what, f"characters: {_listed(lost)}"] if lost else what)


def _decode_changes(files: TokenizerFiles, mine: Pipeline) -> str:
    causes = []
    ids, spaced = (mine.encode(text, add_special_tokens=False) for text in ("a b", "a ."))
    whole, parts = mine.decode(ids), "".join(mine.decode([token_id]) for token_id in ids)
    if whole != parts:
        back = "is unchanged" if whole == "a b" else f"comes back as {whole!r}"
        causes.append(f"'a b' {back}, but its tokens one by one become {parts!r}")
    if mine.decode(spaced) == "a.":
        causes.append("'a .' comes back as 'a.'")
    if files.config.get("clean_up_tokenization_spaces") is True:
        causes.append("clean_up_tokenization_spaces is true")
    return "; ".join(causes)


def _prefix_space(files: TokenizerFiles, mine: Pipeline) -> str:
    one, two = (mine.encode(text, add_special_tokens=False) for text in ("a", " a"))
    return f"'a' and ' a' become {one}" if one and one == two else ""


# What is read in the files alone.
_READ: Mapping[str, Callable[[TokenizerFiles], str]] = {
    "table-short": lambda files: _rows(files, operator.lt),
    "merge-without-token": _merge_without_token,
    "two-names": _two_names,
    "no-pad": _no_pad,
    "pad-is-eos": _pad_is_eos,
    "eos-differs": _eos_differs,
    "no-limit": _no_limit,
    "guessed-stages": _guessed_stages,
    "saved-truncation": lambda files: _saved(files, "truncation"),
    "saved-padding": lambda files: _saved(files, "padding"),
    "table-long": lambda files: _rows(files, operator.gt),
    "gaps": _gaps,
}
# What is tried, if there is a `Pipeline`.
_TRIED: Mapping[str, Callable[[TokenizerFiles, Pipeline], str]] = {
    "bos-twice": _bos_twice,
    "class-overrides-file": _class_overrides_file,
    "forgeable": _forgeable,
    "control-not-special": _control_not_special,
    "unreachable": _unreachable,
    "lossy": _lossy,
    "decode-changes": _decode_changes,
    "prefix-space": _prefix_space,
}
