"""What is wrong with a tokenizer: each finding is tried on its files, and none of them is run."""

import json
import os
import re
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from companion._checks import shortened
from companion._files import bundled_json, kind_of
from companion.bpe.alphabet import SIGN_TO_BYTE
from companion.pipeline.classes import named, with_stages
from companion.pipeline.files import TokenizerFiles
from companion.pipeline.limits import within
from companion.pipeline.models import merges_of
from companion.pipeline.parts import field
from companion.pipeline.pipeline import Pipeline
from companion.pipeline.reading import SPECIALS, beside

_CONTROL = re.compile(  # <|im_end|>, <tool_call>, [INST], </s>
    r"<[|｜].+[|｜]>|</?[a-z]+_\w+>|\[/?[A-Z_]+\]|</?(?:s|bos|eos|pad|unk|mask|cls|sep|think)>"
)
_ROLE = re.compile(r"(?i)user|assistant|system|\binst\b|im_(?:start|end)|turn|eo[st]_id")
_TABLE = re.compile(
    r"(?:.*\.)?(?:wte|embed_tokens|word_embeddings|shared|tok_embeddings|embed_in)\.weight"
)
# An expression, a statement, a comment, or the text between; and what an expression begins with.
_TEMPLATE = re.compile(
    r"\{\{(.*?)(?:\}\}|\Z)|\{%(.*?)(?:%\}|\Z)|\{#.*?(?:#\}|\Z)|((?:(?!\{[{%#]).)+)", re.DOTALL
)
_OPERAND = re.compile(r"""[-+]?[\s(]*+(?:'([^']*)'|"([^"]*)"|([\w.]+))""")
_START = 100_000  # characters of a chat template that are read
_BUDGET = 10.0  # seconds for a check
_READABLE = "a file that Pipeline reads"
_LONGEST = 1_000  # characters of a token that is given to the model: the cost may be cubic


class Finding(NamedTuple):
    """What is wrong, with its code, its level, why it matters, and a fix.

    The level is "fault" (wrong ids, or an error), "risk" (wrong in some uses) or "note".
    """

    code: str
    level: str
    what: str
    why: str
    way_out: str


class Seen(NamedTuple):
    """What a check has seen: nothing, if `what` is empty; a fix with values; another level."""

    what: str = ""
    fix: str = ""
    level: str = ""


# None if the files do not hold what a check needs.
Check: TypeAlias = Callable[[TokenizerFiles], Seen | None]


class Report(NamedTuple):
    """The findings, the codes that were checked, and why each of the others was not."""

    findings: list[Finding]
    checked: list[str]
    not_checked: dict[str, str]


def inspect_tokenizer(path: str | os.PathLike[str]) -> list[Finding]:
    """Say what is wrong with a tokenizer: a folder with its files, or a `tokenizer.json`.

    Beside the tokenizer's files, those are read that lie there of `tokenizer_config.json`,
    `special_tokens_map.json`, `config.json`, `generation_config.json`, `chat_template.jinja`, and
    of `*.safetensors` the names and shapes. No code and no template of them is run. Of each code
    there is at most one finding, with all causes.

    Faults come first, then risks, then notes. A `ValueError` says that the files are those of no
    tokenizer, or of one that `Pipeline` does not support; one that it refuses for a fault with a
    code is reported. A check that takes longer than ten seconds is given up.

    >>> import json, pathlib, tempfile
    >>> from companion.pipeline import inspect_tokenizer
    >>> model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "tokenizer.json")
    ...     _ = path.write_text(json.dumps({"model": model}), encoding="utf-8")
    ...     [(each.code, each.what) for each in inspect_tokenizer(folder)]
    [('merge-without-token', "1 of 1 merges: 'a' and 'b' need 'ab', which is no token")]
    """
    return report(TokenizerFiles(path)).findings


def report(files: TokenizerFiles) -> Report:
    """Return what is wrong with the files of a tokenizer, and what was looked at."""
    if files.pipeline is None:
        try:
            seen_here = _merge_without_token(files), _two_names(files)
            if not any(seen and seen.what for seen in seen_here):
                raise ValueError(files.refusal)
        except (AttributeError, LookupError, TypeError, ValueError):  # another part is wrong too
            raise ValueError(files.refusal) from None
    rows: list[Finding] = []
    checked: list[str] = []
    not_checked: dict[str, str] = {}
    for code, (level, why, way_out, needs) in bundled_json("findings.json")["codes"].items():
        try:
            with within(_BUDGET):
                if code in _READ:
                    seen = _READ[code](files)
                else:
                    seen = _TRIED[code](files, files.pipeline) if files.pipeline else None
        except TimeoutError as error:
            not_checked[code] = str(error)
            continue
        if seen is None:
            not_checked[code] = (
                f"it needs {needs if files.pipeline or code in _READ else _READABLE}"
            )
            continue
        checked.append(code)
        if seen.what:
            fix = f"{seen.fix}. {way_out}" if seen.fix else way_out
            rows.append(Finding(code, seen.level or level, seen.what, why, fix))
    rows.sort(key=lambda row: ("fault", "risk", "note").index(row.level))
    return Report(rows, checked, not_checked)


def _listed(values: Iterable[object], limit: int = 4) -> str:
    """Name the first of some values, and how many there are beside."""
    texts = [*values]
    more = f" and {len(texts) - limit:,} more" if len(texts) > limit else ""
    return ", ".join(shown(text, 40) for text in texts[:limit]) + more


def shown(value: object, limit: int = 60) -> str:
    """Show a value with visible spaces, and what looks like another character by its code point."""
    text = shortened(value, limit)
    odd = {c for c in text if not c.isascii() and _is_confusable(c)}
    codes = f" ({', '.join(f'U+{ord(c):04X}' for c in sorted(odd)[:4])})" if odd else ""
    return (text.replace(" ", "␣") if isinstance(value, str) else text) + codes


def _is_confusable(character: str) -> bool:
    """Tell whether a character may be taken for another, or for none."""
    kind, name = unicodedata.category(character), unicodedata.name(character, "")
    is_alike = unicodedata.normalize("NFKC", character) != character
    return is_alike or kind in ("Mn", "Cf", "Zs") or name.startswith(("CYRILLIC", "GREEK"))


# What the files say


def _merge_without_token(files: TokenizerFiles) -> Seen | None:
    part = files.content["model"]
    if "merges" not in part:
        return None
    prefix = field(part, "continuing_subword_prefix", str, "")
    vocab = {token for token, _ in files.model_vocab}
    lost = []
    for left, right in merges_of(field(part, "merges", list, [])):
        needed = (left, right, left + right[len(prefix) :])
        lost += [(left, right, token) for token in needed if token not in vocab][:1]
    if not lost:
        return Seen()
    left, right, token = map(shown, lost[0])
    first = f"{left} and {right} need {token}, which is no token"
    return Seen(f"{len(lost):,} of {len(part['merges']):,} merges: {first}")


def _two_names(files: TokenizerFiles) -> Seen:
    # tokenizers does not read the id of an added token: the model's counts, or the next free one.
    gets = dict(files.model_vocab)
    free = len(gets)
    for token, _ in files.added:
        if token not in gets:
            gets[token] = free
            free += 1
    pairs = {*files.model_vocab, *files.added, *((token, gets[token]) for token, _ in files.added)}
    of_token, of_id = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    twice: defaultdict[str, list[object]] = defaultdict(list)
    for token, token_id in sorted(p for p in pairs if of_token[p[0]] > 1 or of_id[p[1]] > 1):
        if of_id[token_id] > 1:
            twice[f"id {token_id}"].append(token)
        if of_token[token] > 1:
            twice[shown(token)].append(token_id)
    named = [f"{name} is {_listed(others)}" for name, others in twice.items()]
    used = {token_id for _, token_id in [*files.model_vocab, *files.added]}
    fix = f"The next free id is {next(i for i in range(len(used) + 1) if i not in used)}"
    for token, token_id in files.added:
        if gets[token] != token_id:
            is_free = ", which is free" if gets[token] not in used else ""
            fix = (
                f"tokenizers gives {shown(token)} the id {gets[token]}{is_free}: write it in "
                "added_tokens if the model was trained with it"
            )
    more = f"; {len(named) - 3:,} more" if len(named) > 3 else ""
    return Seen("; ".join(named[:3]) + more, fix)


def _configs(files: TokenizerFiles) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the settings of the model, those of its text part, and those of generation."""
    yield "config.json", files.model_config
    if isinstance(nested := files.model_config.get("text_config"), dict):
        yield "text_config in config.json", nested
    yield "generation_config.json", files.generation


def _number(files: TokenizerFiles, *names: str) -> tuple[int, str] | None:
    """Return the first of some numbers in the settings of the model, and where it is."""
    found = (
        (each.get(name), f"{name} in {place}") for place, each in _configs(files) for name in names
    )
    return next(((value, where) for value, where in found if type(value) is int), None)


def _rows(files: TokenizerFiles) -> tuple[int, str] | None:
    """Return the rows of the token table, and where they are said."""
    for path in sorted(files.file.parent.glob("*.safetensors")):
        if not path.is_file():
            continue
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
                        if type(rows := tensor["shape"][0]) is not int or rows < 1:
                            raise ValueError(f"{name} has the shape {shortened(tensor['shape'])}")
                        return rows, f"{name} in {path.name}"
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                raise ValueError(f"{path} is not a whole safetensors file: {error}") from None
    return _number(files, "vocab_size")


def _table_short(files: TokenizerFiles) -> Seen | None:
    if (table := _rows(files)) is None:
        return None
    what = f"{files.n_vocab:,} ids, {table[0]:,} rows ({table[1]})"
    return Seen(what if table[0] < files.n_vocab else "", f"It needs {files.n_vocab:,} rows")


def _table_long(files: TokenizerFiles) -> Seen | None:
    if (table := _rows(files)) is None:
        return None
    what = f"{files.n_vocab:,} ids, {table[0]:,} rows ({table[1]})"
    return Seen(what if table[0] > files.n_vocab else "")


def _id_without_row(files: TokenizerFiles) -> Seen | None:
    if (table := _rows(files)) is None:
        return None
    named_ids = [
        (f"{name} in {place}", value)
        for place, config in _configs(files)
        for name, values in config.items()
        if name.endswith("_token_id") or name in ("image_token_index", "video_token_index")
        for value in (values if isinstance(values, list) else [values])
        if type(value) is int
    ]
    wrong = [f"{w} is {_with_texts(files, [i])}" for w, i in named_ids if i >= table[0]]
    where = f", and the table has {table[0]:,} rows ({table[1]})"
    fix = _spare(files) if "pad_token_id" in "".join(wrong) else ""
    return Seen("; ".join(wrong[:4]) + where if wrong else "", fix) if named_ids else None


def _gaps(files: TokenizerFiles) -> Seen | None:
    if _two_names(files).what:
        return None
    used = {token_id for _, token_id in [*files.model_vocab, *files.added]}
    first = next((i for i in range(files.n_vocab) if i not in used), None)
    n = files.n_vocab - len(used)
    return Seen("" if first is None else f"{n:,} ids, the first is {first:,}")


def _spare(files: TokenizerFiles) -> str:
    """Say which tokens may be used for padding."""
    spare = [token for token, _ in files.added if re.search("(?i)pad|reserved|unused", token)]
    spare += [token for token in ("<pad>", "[PAD]") if token in files.ids and token not in spare]
    name = files.file.name
    return f"{name} has {_listed(spare)}" if spare else f"{name} has no token for padding"


def _no_pad(files: TokenizerFiles) -> Seen | None:
    padding = files.content.get("padding")
    saved = padding.get("pad_token") if isinstance(padding, dict) else None
    if not (files.config or files.model_config):
        return None
    is_there = files.named("pad_token") or saved
    return Seen("" if is_there else "tokenizer_config.json has no pad_token", _spare(files))


def _pad_is_eos(files: TokenizerFiles) -> Seen | None:
    pad = files.named("pad_token")
    if not (files.config or files.model_config):
        return None
    places = {_place(files, name) for name in ("pad_token", "eos_token")}
    ids = f" ({files.ids[pad]})" if pad in files.ids else ""
    what = f"pad_token and eos_token {' and '.join(sorted(places))} are both {shown(pad)}{ids}"
    return Seen(what if pad and pad == files.named("eos_token") else "", _spare(files))


def _place(files: TokenizerFiles, name: str) -> str:
    """Say where a special token is named: in a file, or by the default of a class."""
    # The older file counts, unless the newer one has this list.
    if "added_tokens_decoder" not in files.config and name in beside(
        files.file, "special_tokens_map"
    ):
        return "in special_tokens_map.json"
    if name in files.config:
        return "in tokenizer_config.json"
    path = files.file.with_name("tokenizer_config.json")
    why = f"{path.name} names none" if path.is_file() else f"there is no {path.name}"
    why = f"{path.name} was not read" if path.name in files.unread else why
    return f"by {files.rebuilt.get('name', 'its class')}'s default ({why})"


def _with_texts(files: TokenizerFiles, ids: Iterable[int]) -> str:
    """Name ids with the tokens that they are."""
    texts = {i: shown(token) for token, i in files.ids.items()}
    return " and ".join(f"{i} {texts.get(i, '(no token)')}" for i in sorted(ids))


def _ends(files: TokenizerFiles) -> dict[str, set[int]]:
    """Return the ids of EOS that the tokenizer, the model and its generation name, and where."""
    eos = files.named("eos_token")
    said = {_place(files, "eos_token"): {files.ids[eos]}} if eos in files.ids else {}
    for name, config in _configs(files):
        value = config.get("eos_token_id")
        numbers = {i for i in (value if isinstance(value, list) else [value]) if type(i) is int}
        said |= {f"in {name}": numbers} if numbers else {}
    return said


def _set_ends(said: Mapping[str, set[int]], ids: set[int]) -> str:
    """Say in which files of the model the ids of EOS are to be set."""
    nested = " (also in its text_config)" if "in text_config in config.json" in said else ""
    value = min(ids) if len(ids) == 1 else sorted(ids)
    return f"eos_token_id to {value} in generation_config.json and config.json{nested}"


def _eos_differs(files: TokenizerFiles) -> Seen | None:
    said = _ends(files)
    sets = [*said.values()]
    # Each may name more tokens that end a text than the one before it.
    is_right = all(first <= second for i, first in enumerate(sets) for second in sets[i + 1 :])
    what = "; ".join(f"{_with_texts(files, numbers)} {where}" for where, numbers in said.items())
    # An id of another model may be any word here: only what ends a text or a turn is proposed.
    own = {_turn_end(files)[0], files.named("eos_token") or ""} & files.ids.keys()
    ids = {files.ids[token] for token in own}
    if ids <= (more := said.get("in generation_config.json", set())):
        ids |= more & {token_id for _, token_id in files.added}
    fix = f"Set {_set_ends(said, ids)}: {_with_texts(files, ids)}" if ids else ""
    return None if len(said) < 2 else Seen("" if is_right else f"EOS is {what}", fix)


def _turn_end(files: TokenizerFiles) -> tuple[str, set[str]]:
    """Return the last added token that the template writes in a turn, and all that it writes."""
    _, _, turns = files.template[:_START].partition(" for ")
    turns = turns.partition("add_generation_prompt")[0]
    parts = _TEMPLATE.findall("{% " + turns)
    written = " ".join(
        expression + text + (statement if re.match(r"\W*set\b", statement) else "")
        for expression, statement, text in parts
    )
    places = {token: written.rfind(token) for token, _ in files.added if token in written}
    for name in ("bos_token", "eos_token"):
        if (token := files.named(name)) in files.ids and token and name in written:
            places[token] = max(places.get(token, -1), written.rfind(name))
    return max(places, key=lambda token: (places[token], len(token)), default=""), {*places}


def _never_stops(files: TokenizerFiles) -> Seen | None:
    said = _ends(files)
    if not files.template or not said:
        return None
    last, written = _turn_end(files)
    if not last:
        return None
    # generate() takes the first of these that there is.
    places = ("in generation_config.json", "in config.json", "in text_config in config.json")
    where = next((place for place in places if place in said), next(iter(said)))
    if last == files.named("bos_token") or said[where] & {
        files.ids[token] for token in written if token in files.ids
    }:
        return Seen()
    text, older = json.dumps(last, ensure_ascii=False), "in special_tokens_map.json" in said
    fix = (
        f'Set "eos_token" to {text} in tokenizer_config.json'
        f"{' and special_tokens_map.json' * older}, and {_set_ends(said, {files.ids[last]})}"
    )
    end = f"the template ends a turn with {_with_texts(files, [files.ids[last]])}"
    return Seen(f"{end}, and generation stops at {_with_texts(files, said[where])} {where}", fix)


def _no_generation_prompt(files: TokenizerFiles) -> Seen | None:
    is_there = "add_generation_prompt" in files.template
    what = "the chat template never looks at add_generation_prompt"
    return Seen("" if is_there else what) if files.template else None


def _limit(files: TokenizerFiles) -> float | None:
    """Return how many tokens the settings allow; a number beyond any text is no limit."""
    limits = (files.config.get(name) for name in ("model_max_length", "max_len"))
    numbers = (n for n in limits if isinstance(n, int | float) and not isinstance(n, bool))
    return next((n for n in numbers if n < 10**9), None)


def _positions(files: TokenizerFiles) -> tuple[int, str] | None:
    """Return how many tokens have a position, and where it is said."""
    found = _number(files, "max_position_embeddings", "n_positions")
    # RoBERTa and its like count from pad_token_id + 1 on.
    if found and files.model_config.get("model_type") in bundled_json("findings.json")["from_pad"]:
        pad = files.model_config.get("pad_token_id", 1)
        lost = (pad if type(pad) is int else 1) + 1
        return found[0] - lost, f"{found[1]}, less {lost} for padding,"
    return found


def _no_limit(files: TokenizerFiles) -> Seen | None:
    if not (files.config or files.model_config):
        return None
    set_to = files.config.get("model_max_length")
    value = "not there" if set_to is None else "beyond any text"
    what = f"model_max_length in tokenizer_config.json is {value}"
    positions = _positions(files)
    fix = f"Set it to {positions[0]:,} ({positions[1].rstrip(',')})" if positions else ""
    return Seen("" if _limit(files) is not None else what, fix)


def _limit_above_positions(files: TokenizerFiles) -> Seen | None:
    limit, positions = _limit(files), _positions(files)
    if limit is None or positions is None:
        return None
    rotates = any("rope" in key for _, config in _configs(files) for key in config)
    what = (
        f"model_max_length in tokenizer_config.json is {limit:,}, and {positions[1]} is "
        f"{positions[0]:,}"
    )
    fix = f"Set model_max_length to {positions[0]:,}"
    # Positions that are computed have no table to end.
    return Seen(what if limit > positions[0] else "", fix, "risk" if rotates else "")


def _guessed_stages(files: TokenizerFiles) -> Seen | None:
    if not files.is_older:
        return None
    kind = files.content["model"]["type"]
    taken = "GPT-2's" if kind == "BPE" else "BERT's"
    is_named = files.rebuilt.get("stages", {"model": {}})["model"].get("type") == kind
    what = f"no file says which stages {files.file.name} goes with; {taken} were taken"
    return Seen("" if is_named else what)


def _added_token_lost(files: TokenizerFiles) -> Seen | None:
    listed = files.config.get("added_tokens_decoder")
    if not isinstance(listed, dict) or files.is_older or not files.rebuilt:
        return None
    extra = files.config.get("extra_special_tokens") or files.config.get(
        "additional_special_tokens"
    )
    more = extra.values() if isinstance(extra, dict) else extra or []
    kept = {named({"": token}, "") for token in (*listed.values(), *more)}
    kept |= {files.named(name) for name in SPECIALS}
    lost = [token for token, _ in files.added if token not in kept]
    what = f"added_tokens_decoder in tokenizer_config.json lacks {_listed(lost)}"
    parts = {part["content"]: part for part in files.content.get("added_tokens") or []}
    rows = {
        str(parts[token]["id"]): {k: v for k, v in parts[token].items() if k != "id"}
        for token in lost[:4]
    }
    others = f" and {len(lost) - 4:,} more" if len(lost) > 4 else ""
    fix = f"Add to added_tokens_decoder: {json.dumps(rows, ensure_ascii=False)[1:-1]}{others}"
    return Seen(f"{what}, which {files.rebuilt['name']} cuts into pieces" if lost else "", fix)


def _saved_dropout(files: TokenizerFiles) -> Seen:
    dropout = files.content["model"].get("dropout")
    return Seen(
        f"dropout in 'model' of {files.file.name} is {shortened(dropout)}" if dropout else ""
    )


def _saved(files: TokenizerFiles, name: str) -> Seen:
    value = files.content.get(name)
    return Seen(f"{name} in {files.file.name} is {shortened(value, 120)}" if value else "")


# What transformers makes of them


def as_class(files: TokenizerFiles) -> Pipeline:
    """Return the `Pipeline` with the stages of the class that transformers builds."""
    return Pipeline(with_stages(files.content, files.rebuilt, files.config, files.ids))


def _class_overrides_file(files: TokenizerFiles, mine: Pipeline) -> Seen | None:
    if not files.rebuilt or files.is_older:
        return None
    version = bundled_json("transformers-classes.json")["version"]
    how = f"transformers {version} builds {files.rebuilt['name']}"
    kind = files.rebuilt["stages"]["model"]["type"]
    if (own := files.content["model"].get("type", kind)) != kind:
        return Seen(f"{how}, a {kind}, where {files.file.name} has a {own}")
    try:
        theirs = as_class(files)
    except ValueError:
        return None
    for text in bundled_json("findings.json")["texts"]:
        if mine.encode(text) != theirs.encode(text):
            empty = re.compile(r"Sequence\(\w+=\[\]\)")
            parts = []
            for name in Pipeline.STAGES:
                one, other = (empty.sub("nothing", repr(vars(p)[name])) for p in (theirs, mine))
                parts += [f"{name} {one[:200]} and not {other[:200]}"] if one != other else []
            both = [shown(each.encode_pair(text).tokens, 120) for each in (theirs, mine)]
            difference = f"{shown(text)} becomes {both[0]}, by the file {both[1]}"
            return Seen(f"{how}: {'; '.join(parts)}. {difference}", _switches(files, mine))
    return Seen()


def _switches(files: TokenizerFiles, mine: Pipeline) -> str:
    """Say which settings make the class differ from the file, if it is those."""
    usual, config = files.rebuilt["defaults"], files.config
    set_to = {k: config[k] for k in usual if k in config and config[k] != usual[k]}
    set_to = {k: v for k, v in set_to.items() if not k.endswith("_token")}
    rest = {k: v for k, v in config.items() if k not in set_to}
    try:
        usually = Pipeline(with_stages(files.content, files.rebuilt, rest, files.ids))
    except ValueError:
        return ""
    texts = bundled_json("findings.json")["texts"]
    if not set_to or any(mine.encode(text) != usually.encode(text) for text in texts):
        return ""
    named_keys = ", ".join(f"{k}: {json.dumps(v)}" for k, v in set_to.items())
    return f"Take {named_keys} out of tokenizer_config.json: without them it builds the file's"


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


def _bos_twice(files: TokenizerFiles, mine: Pipeline) -> Seen | None:
    if not files.template:
        return None
    written, around = _first_written(files.template), mine.encode_pair("")
    if not written:
        return None
    begins = files.named("bos_token") or "" if written == "bos_token" else written
    if not around.ids or not begins.startswith(token := around.tokens[0]):
        return Seen()
    whole = mine.encode_pair(f"{token}a")
    what = f"the template begins with {shown(token)}, which the post-processor writes too"
    is_twice = whole.ids[:2] == around.ids[:1] * 2
    return Seen(f"{what}: {shown(whole.tokens[:3])}" if is_twice else "")


# What texts show


def _forgeable(files: TokenizerFiles, mine: Pipeline) -> Seen:
    found = [
        token.content
        for token_id, token in mine.added_tokens.items()
        if token_id in mine.encode(token.content, add_special_tokens=False)
    ]
    control = [content for content in found if _CONTROL.fullmatch(content)]
    like = f"; {len(control):,} look like control tokens: {_listed(control)}" if control else ""
    what = f"{len(found):,} added tokens are found in plain text{like}" if found else ""
    has_roles = files.template or any(map(_ROLE.search, found))
    return Seen(what, level="" if has_roles else "note")


def _control_not_special(files: TokenizerFiles, mine: Pipeline) -> Seen:
    found = [
        token.content
        for token_id, token in mine.added_tokens.items()
        if _CONTROL.fullmatch(token.content) and mine.decode([token_id], skip_special_tokens=True)
    ]
    return Seen(f"{len(found):,} with special: false: {_listed(found)}" if found else "")


def _unreachable(files: TokenizerFiles, mine: Pipeline) -> Seen | None:
    part = files.content["model"]
    inner = part.get("continuing_subword_prefix") or "##"
    suffix = part.get("end_of_word_suffix") or ""
    words = []
    for token, token_id in files.model_vocab:
        word = token.removesuffix(suffix)
        is_inner = token.startswith(inner) or not token.endswith(suffix) or not word
        is_byte = re.fullmatch(r"<0x\w\w>", token) or (files.has_byte_signs and _is_part(token))
        is_control = token_id in mine.added_tokens or _CONTROL.fullmatch(token)
        if not (is_inner or is_byte or is_control) and len(word) <= _LONGEST:
            words.append((word, token_id))
    words.sort(key=lambda pair: len(pair[0]))
    lost, end, seen = [], time.monotonic() + _BUDGET / 2, len(words)
    for i, (word, token_id) in enumerate(words):
        if time.monotonic() > end:
            seen = i
            break
        if [found for _, found in mine.model(word)] != [token_id]:
            lost.append(word)
    if not lost:
        return Seen() if words else None
    of = f" of the {seen:,} shortest" if seen < len(words) else ""
    cut = shown([token for token, _ in mine.model(lost[0])], 80)
    return Seen(f"{len(lost):,} tokens{of}; the text of one, {shown(lost[0])}, becomes {cut}")


def _is_part(token: str) -> bool:
    """Tell whether a token of byte signs is a byte, or no whole characters."""
    try:
        return len(token) == 1 or not bytes(SIGN_TO_BYTE[sign] for sign in token).decode()
    except (KeyError, UnicodeDecodeError):
        return True


def _lossy(files: TokenizerFiles, mine: Pipeline) -> Seen:
    part = files.content["model"]
    unknown = {part.get("unk_id"), mine.vocab.get(part.get("unk_token"))}

    def ids_of(text: str) -> list[int]:
        ids = mine.encode(text, add_special_tokens=False)
        return [] if unknown & {*ids} else ids

    what = [
        f"{name} ({shown(first)} and {shown(second)} have the same ids)"
        for name, (first, second) in bundled_json("findings.json")["alike"].items()
        if ids_of(first) and ids_of(first) == ids_of(second)
    ]
    lost = [sign for sign in bundled_json("findings.json")["characters"] if not ids_of(sign)]
    return Seen("; ".join([*what, f"characters: {_listed(lost)}"] if lost else what))


def _decode_changes(files: TokenizerFiles, mine: Pipeline) -> Seen:
    causes = []
    ids, spaced = (mine.encode(text, add_special_tokens=False) for text in ("a b", "a ."))
    whole, parts = mine.decode(ids), "".join(mine.decode([token_id]) for token_id in ids)
    if whole != parts:
        back = "is unchanged" if whole == "a b" else f"comes back as {shown(whole)}"
        causes.append(f"{shown('a b')} {back}, but its tokens one by one become {shown(parts)}")
    if mine.decode(spaced) == "a.":
        causes.append(f"{shown('a .')} comes back as 'a.'")
    is_bpe = "merges" in files.content["model"]  # transformers 5 ignores the switch for these
    if files.config.get("clean_up_tokenization_spaces") is True and not is_bpe:
        causes.append("clean_up_tokenization_spaces in tokenizer_config.json is true")
    return Seen("; ".join(causes), "Set it to false" if "clean_up" in "".join(causes) else "")


def _prefix_space(files: TokenizerFiles, mine: Pipeline) -> Seen:
    # What the stages before the model put in front, whatever they do with a space of the text.
    begin = "".join(mine.stages("a").pre_tokens)
    return Seen(f"'a' is read as {shown(begin)}" if len(begin) > 1 and begin[-1] == "a" else "")


# What is read in the files alone.
_READ: Mapping[str, Check] = {
    "never-stops": _never_stops,
    "limit-above-positions": _limit_above_positions,
    "added-token-lost": _added_token_lost,
    "id-without-row": _id_without_row,
    "table-short": _table_short,
    "merge-without-token": _merge_without_token,
    "two-names": _two_names,
    "saved-dropout": _saved_dropout,
    "guessed-stages": _guessed_stages,
    "no-generation-prompt": _no_generation_prompt,
    "no-pad": _no_pad,
    "pad-is-eos": _pad_is_eos,
    "eos-differs": _eos_differs,
    "no-limit": _no_limit,
    "saved-truncation": lambda files: _saved(files, "truncation"),
    "saved-padding": lambda files: _saved(files, "padding"),
    "table-long": _table_long,
    "gaps": _gaps,
}
# What is tried, if there is a `Pipeline`.
_TRIED: Mapping[str, Callable[[TokenizerFiles, Pipeline], Seen | None]] = {
    "bos-twice": _bos_twice,
    "class-overrides-file": _class_overrides_file,
    "forgeable": _forgeable,
    "control-not-special": _control_not_special,
    "unreachable": _unreachable,
    "lossy": _lossy,
    "decode-changes": _decode_changes,
    "prefix-space": _prefix_space,
}
