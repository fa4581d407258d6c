"""Findings in the ids of the files, and in the numbers beside them: a function for each code."""

from collections import defaultdict

from companion.checks import shortened
from inspector.files import TokenizerFiles
from inspector.models import merges_of
from inspector.parts import field
from inspector.showing import NotChecked, Seen, entry, listed, setting, shown


def merge_without_token(files: TokenizerFiles) -> Seen | None:
    part = files.content["model"]
    prefix = field(part, "continuing_subword_prefix", str, "")
    vocab = {token for token, _ in files.model_vocab}
    lost = []
    for left, right in merges_of(field(part, "merges", list, [])):
        needed = (left, right, left + right[len(prefix) :])
        lost += [(left, right, token) for token in needed if token not in vocab][:1]
    if not lost:
        return None
    left, right, token = map(shown, lost[0])
    first = f"{left} and {right} need {token}, which is no token"
    return Seen(f"{len(lost):,} of {len(files.merges):,} merges: {first}")


def two_names(files: TokenizerFiles) -> Seen | None:
    numbers = [(token.content, i) for token, *both in files.added for i in both]
    ids, tokens = defaultdict[str, list[int]](list), defaultdict[int, list[str]](list)
    for token, token_id in sorted({*files.model_vocab, *numbers}):
        ids[token].append(token_id)
        tokens[token_id].append(token)
    twice = [f"{shown(token)} is {listed(those)}" for token, those in ids.items() if those[1:]]
    twice += [f"id {i} is {listed(those)}" for i, those in tokens.items() if those[1:]]
    if not twice:
        return None
    fix = f"The next free id is {next(i for i in range(len(tokens) + 1) if i not in files.used)}"
    for added, given, gets in files.added:
        if given != gets:
            fix = f"tokenizers gives {shown(added.content)} the id {gets}: if the model was trained"
            where = f"{entry(added.content)} {files.file.name}"
            fix += f" with it, {setting('id', gets, where)}"
    more = f"; {len(twice) - 3:,} more" if len(twice) > 3 else ""
    return Seen("; ".join(twice[:3]) + more, fix)


def gaps(files: TokenizerFiles) -> Seen | None:
    if two_names(files):
        raise NotChecked("it needs one id for each token (see two-names)")
    n = files.n_vocab - len(files.used)
    first = next((i for i in range(files.n_vocab) if i not in files.used), 0)
    return Seen(f"{n:,} ids, the first is {first:,}") if n else None


def table_short(files: TokenizerFiles) -> Seen | None:
    fix = f"Your own model: `model.resize_token_embeddings({files.n_vocab})`"
    return Seen(_table(files), fix) if files.rows.value < files.n_vocab else None


def table_long(files: TokenizerFiles) -> Seen | None:
    n, rows = files.n_vocab, files.rows.value
    fix = f"If such ids come: `model.generate(**batch, suppress_tokens=[*range({n}, {rows})])`"
    return Seen(_table(files), fix) if rows > n else None


def _table(files: TokenizerFiles) -> str:
    return f"{files.n_vocab:,} ids, {files.rows.value:,} rows ({files.rows.where})"


def id_without_row(files: TokenizerFiles) -> Seen | None:
    rows, where = files.rows
    texts = {i: shown(token) for token, i in files.ids.items()}
    wrong, fixes = [], []
    for place, config in files.configs():
        for name, values in config.items():
            if not name.endswith(("_token_id", "_token_index")):
                continue
            token = files.named(name.removesuffix("_id"))
            right = files.ids.get(token, rows)
            for value in values if isinstance(values, list) else [values]:
                if type(value) is int and value >= rows:
                    wrong.append(f"{name} in {place} is {value} {texts.get(value, '(no token)')}")
                    fixes += [setting(name, right, place)] if right < rows else []
    what = f"{'; '.join(wrong[:4])}, and the table has {rows:,} rows ({where})"
    return Seen(what, "; ".join(fixes)) if wrong else None


def limit_above_positions(files: TokenizerFiles) -> Seen | None:
    positions, where = files.positions
    rotates = any("rope" in key for _, config in files.configs() for key in config)
    what = f"model_max_length in {files.settings} is {files.limit:,}, and {where} is {positions:,}"
    fix = setting("model_max_length", positions, files.settings)
    # Positions that are computed have no table to end.
    return Seen(what, fix, "risk" if rotates else "") if files.limit > positions else None


def no_limit(files: TokenizerFiles) -> Seen | None:
    if files.limit:
        return None
    is_said = files.config.get("model_max_length") is not None
    beyond = f"model_max_length in {files.settings} is beyond any text"
    positions = files.positions.value
    fix = setting("model_max_length", positions, files.settings) if positions else ""
    return Seen(beyond if is_said else f"no model_max_length: {files.lack}", fix)


def guessed_stages(files: TokenizerFiles) -> Seen | None:
    kind = files.content["model"]["type"]
    whose, name = ("GPT-2's", "GPT2") if kind == "BPE" else ("BERT's", "Bert")
    if files.named_class.get("stages", {"model": {}})["model"].get("type") == kind:
        return None
    what = f"no file says which stages {files.file.name} goes with; {whose} were taken"
    kept = setting("tokenizer_class", f"{name}Tokenizer", files.settings)
    other = ", RobertaTokenizer perhaps: <s> is its first token" * (files.ids.get("<s>") == 0)
    return Seen(what, f"If the model was trained with these, {kept}; else name its class{other}")


def saved_dropout(files: TokenizerFiles) -> Seen | None:
    dropout, name = files.content["model"].get("dropout"), files.file.name
    fix = setting("dropout", None, f'"model" of {name}')
    return Seen(f"dropout in 'model' of {name} is {shortened(dropout)}", fix) if dropout else None


def saved_truncation(files: TokenizerFiles) -> Seen | None:
    return _saved(files, "truncation")


def saved_padding(files: TokenizerFiles) -> Seen | None:
    return _saved(files, "padding")


def _saved(files: TokenizerFiles, name: str) -> Seen | None:
    value, where = files.content.get(name), files.file.name
    what = f"{name} in {where} is {shortened(value, 120)}"
    return Seen(what, setting(name, None, where)) if value else None
