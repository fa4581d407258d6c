"""Findings in the chat template, and in what begins and ends a text or a turn.

Of a template the source is read; it is never run.
"""

import re
from collections.abc import Iterator

from inspector.check import Change, Evidence, NotChecked, check, known, lacking
from inspector.check_ids import ids_differ
from inspector.opened import Opened
from inspector.showing import CONTROL, listed, visible

_START = 100_000  # characters that are read
# An expression, a statement, a comment, or the text between; and what an expression begins with.
_PARTS = re.compile(
    r"\{\{(.*?)(?:\}\}|\Z)|\{%(.*?)(?:%\}|\Z)|\{#.*?(?:#\}|\Z)|((?:(?!\{[{%#]).)+)", re.DOTALL
)
_MARKER = re.compile(r"""<\|[^|>\s'"]+\|>|<｜[^｜>\s'"]+｜>|<(?:start|end)_of_\w+>""")
_OPERAND = re.compile(r"""[-+]?[\s(]*+(?:'([^']*)'|"([^"]*)"|([\w.]+))""")


@check("fault", "Encode it with `tokenizer(text, add_special_tokens=False)`.")
def bos_twice(it: Opened) -> Evidence | None:
    """What the template writes begins with BOS twice when it is encoded."""
    if not (written := first_written(it.template)):
        lacking("a chat template whose beginning can be read")
    around = it.pipeline.encode_pair("")
    begins = it.specials["bos_token"] if written == "bos_token" else written
    if not around.ids or not begins.startswith(token := around.tokens[0]):
        return None
    whole = it.pipeline.encode_pair(f"{token}a")
    what = f"the template begins with {visible(token)}, which the post-processor writes too"
    is_twice = whole.ids[:2] == around.ids[:1] * 2
    return Evidence(f"{what}: {visible(whole.tokens[:3])}") if is_twice else None


@check("fault", "Still so? Its end had no label: see `tokenizer.decode(ids[labels != -100])`.")
def never_stops(it: Opened) -> Evidence | None:
    """Generation does not see the end of a turn and goes on to max_new_tokens."""
    last, written = _turn_end(it)
    if not last:
        lacking("a chat template that ends a turn with a special token")
    where, stops = next(iter(it.ends.items()))
    ids = {it.table.ids[token] for token in written if token in it.table.ids}
    if last == it.specials["bos_token"] or stops & ids:
        return None
    end = it.table.ids[last]
    what = f"the template ends a turn with {it.named([end])}, and generation stops at "
    what += f"{it.named(stops)} in {where}"
    changes = [
        Change(place, "eos_token_id", config.get("eos_token_id"),
               [*sorted(it.ends[place] & it.table.tokens.keys()), end])
        for place, config in it.configs()
        if end not in it.ends.get(place, {end})
    ]  # fmt: skip
    of_tokenizer = Change(it.home("eos_token"), "eos_token", it.specials["eos_token"], last)
    return Evidence(what, changes or [of_tokenizer])


@check("fault", "Take the template of the weights, or `generate(..., stop_strings=[...])`.")
def template_without_tokens(it: Opened) -> Evidence | None:
    """No id begins or ends a turn: the template is another model's, or the tokenizer is."""
    texts = _written(it.template[:_START])
    markers = sorted({marker for text in texts for marker in _MARKER.findall(text)})
    cut = {m: it.pipeline.encode_pair(m).tokens for m in markers if m not in it.table.ids}
    if not cut:
        return None
    first, tokens = next(iter(cut.items()))
    own = [token.content for token in it.special_tokens if CONTROL.fullmatch(token.content)]
    have = f"; the tokenizer has {listed(own)}" if own else ""
    what = f"the template writes {listed(cut)}, and none of these is a token: {visible(first)} "
    # An optional marker may be missing; without those of the turns nothing goes right.
    level = "risk" if len(cut) < len(markers) else ""
    return Evidence(f"{what}becomes {visible(tokens, 80)}{have}", level=level)


@check("note", "Encode it with `Pipeline.from_file(folder).encode(text, split_added_tokens=True)`.")
def forgeable(it: Opened) -> Evidence | None:
    """A user's text can write control tokens, such as the end of a turn."""
    found = [
        token.content
        for token_id, token in it.pipeline.added_tokens.items()
        if token_id in it.pipeline.encode(token.content, add_special_tokens=False)
    ]
    control = [content for content in found if CONTROL.fullmatch(content)]
    like = f"; {len(control):,} look like control tokens: {listed(control)}" if control else ""
    what = f"added tokens that are found in plain text: {len(found):,}{like}"
    return Evidence(what) if found else None


@check("risk", "In generation_config.json, eos_token_id lists all ids that end an answer.")
def eos_differs(it: Opened) -> Evidence | None:
    """Generation waits for another token than the end of texts in training."""
    sets = [*it.ends.values()]
    if len(sets) < 2:
        lacking("EOS in two of tokenizer_config.json, config.json and generation_config.json")
    for other in (never_stops, ids_differ):
        if known(other.run, it):
            raise NotChecked(f"it is the same fault as {other.code}")
    # Each may name more tokens that end a text than the one after it.
    if all(first >= second for i, first in enumerate(sets) for second in sets[i + 1 :]):
        return None
    what = "; ".join(f"{it.named(ids)} in {where}" for where, ids in reversed(it.ends.items()))
    # An id of another model may be any word here: only what ends a text or a turn is proposed.
    last, _ = known(_turn_end, it) or ("", set())
    ids = {it.table.ids[t] for t in (last, it.specials["eos_token"]) if t in it.table.ids}
    special = {it.table.ids[token.content] for token in it.special_tokens}
    wanted = ids and ids | special & it.ends.get("generation_config.json", set())
    changes = [
        Change(place, "eos_token_id", config["eos_token_id"], sorted(wanted))
        for place, config in it.configs()
        if wanted and it.ends.get(place, wanted) != wanted
    ]
    return Evidence(f"EOS is {what}", changes)


@check("risk", "Let it end with `{% if add_generation_prompt %}{{ 'assistant...' }}{% endif %}`.")
def no_generation_prompt(it: Opened) -> Evidence | None:
    """The model may go on with the user's turn."""
    # In Llama 2 the user's turn itself ends in what opens the answer.
    if "add_generation_prompt" in it.template or "[/INST]" in it.template:
        return None
    return Evidence("the chat template never looks at add_generation_prompt")


@check("note", "Keep the one of the training.")
def two_templates(it: Opened) -> Evidence | None:
    """Newer programs read the first, older ones the second."""
    if len({*it.templates.values()}) < 2:
        return None
    return Evidence(f"{' and '.join(it.templates)} have different chat templates")


def _turn_end(it: Opened) -> tuple[str, set[str]]:
    # The last token that the template writes in a turn, and all of them. It may write a token by
    # its name, such as `eos_token`.
    _, _, turns = it.template[:_START].partition(" for ")
    written = " ".join(_written("{% " + turns.partition("add_generation_prompt")[0]))
    tokens = (token.content for token in it.special_tokens)
    places = {token: written.rfind(token) for token in tokens if token in written}
    for name in ("bos_token", "eos_token"):
        if name in written and (token := it.specials[name]) in it.table.ids:
            places[token] = max(places.get(token, -1), written.rfind(name))
    return max(places, key=lambda token: (places[token], len(token)), default=""), {*places}


def first_written(template: str) -> str:
    """Return what a template writes first: a text, or the name of a variable."""
    values: dict[str, str] = {}
    in_macro = False
    for expression, statement, text in _PARTS.findall(template[:_START]):
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


def _written(template: str) -> Iterator[str]:
    # Yield the texts of a template, its expressions, and what its statements set.
    for expression, statement, text in _PARTS.findall(template):
        yield expression + text + (statement if re.match(r"\W*set\b", statement) else "")
