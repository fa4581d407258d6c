"""Findings in the chat template, and in what begins and ends a text or a turn."""

from collections.abc import Iterable

from inspector.check import Change, Evidence, NotChecked, check, known, lacking
from inspector.check_ids import ids_apart
from inspector.opened import Opened
from inspector.showing import CONTROL, listed, visible
from inspector.templates import first_written, opens_answer, turn_end, written_markers


@check(
    "fault",
    "What the template writes begins with BOS twice when it is encoded.",
    "Encode it with `tokenizer(text, add_special_tokens=False)`.",
)
def bos_twice(it: Opened) -> Evidence | None:
    if not (written := first_written(it.template)):
        lacking("a chat template whose beginning can be read")
    around = it.pipeline.encode_pair("")
    begins = it.special("bos_token") if written == "bos_token" else written
    if not around.ids or not begins.startswith(token := around.tokens[0]):
        return None
    whole = it.pipeline.encode_pair(f"{token}a")
    what = f"the template begins with {visible(token)}, which the post-processor writes too"
    is_twice = whole.ids[:2] == around.ids[:1] * 2
    return Evidence(f"{what}: {visible(whole.tokens[:3])}") if is_twice else None


@check(
    "fault",
    "Generation does not see the end of a turn and goes on to max_new_tokens.",
    "It goes on still? Then the end had no label in training: look at "
    "`tokenizer.decode(ids[labels != -100])`.",
)
def never_stops(it: Opened) -> Evidence | None:
    last, written = _turn_end(it)
    if not last:
        lacking("a chat template that ends a turn with a special token")
    # generate() takes the first of these that there is.
    places = ("generation_config.json", "config.json", '"text_config" of config.json')
    where = next((place for place in places if place in it.ends), next(iter(it.ends)))
    ids = {it.table.ids[token] for token in written if token in it.table.ids}
    if last == it.special("bos_token") or it.ends[where] & ids:
        return None
    end = it.table.ids[last]
    what = f"the template ends a turn with {_with_texts(it, {end})}, and generation stops at "
    what += f"{_with_texts(it, it.ends[where])} in {where}"
    changes = []
    for place, config in it.configs():
        if str(place) in it.ends and end not in (ids := it.ends[str(place)]):
            wanted = [*sorted(ids & {*it.table.ids.values()}), end]
            changes.append(Change(place, "eos_token_id", config.get("eos_token_id"), wanted))
    if not changes:
        home, now = it.home("eos_token"), it.special("eos_token")
        changes = [Change(home, "eos_token", now, last)]
    return Evidence(what, changes)


@check(
    "fault",
    "No id begins or ends a turn, and generation cannot stop there: the template is another "
    "model's, or the tokenizer is.",
    "Take the chat template of the model that the weights come from. Trained on these words as "
    'plain text? Then `generate(..., stop_strings=["..."], tokenizer=tokenizer)`.',
)
def template_without_tokens(it: Opened) -> Evidence | None:
    markers = sorted(written_markers(it.template))
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


@check(
    "note",
    "A user's text can write control tokens, such as the end of a turn.",
    "Encode such text with `pipeline.encode(text, split_added_tokens=True)`, where pipeline is "
    "`inspector.Pipeline.from_file(folder)`; in transformers from 5.20 on "
    "apply_chat_template(..., sanitize_control_tokens=True).",
)
def forgeable(it: Opened) -> Evidence | None:
    found = [
        token.content
        for token_id, token in it.pipeline.added_tokens.items()
        if token_id in it.pipeline.encode(token.content, add_special_tokens=False)
    ]
    if not found:
        return None
    control = [content for content in found if CONTROL.fullmatch(content)]
    like = f"; {len(control):,} look like control tokens: {listed(control)}" if control else ""
    are = "token is" if len(found) == 1 else "tokens are"
    return Evidence(f"{len(found):,} added {are} found in plain text{like}")


@check(
    "risk",
    "Generation waits for another token than the end of texts in training.",
    "In generation_config.json, eos_token_id lists all ids that end an answer.",
)
def eos_differs(it: Opened) -> Evidence | None:
    sets = [*it.ends.values()]
    if len(sets) < 2:
        lacking("EOS in two of tokenizer_config.json, config.json and generation_config.json")
    if known(lambda: never_stops.run(it)):
        raise NotChecked("it is the same fault as never-stops")
    if it.special("eos_token") in (known(lambda: ids_apart(it)) or {}):
        raise NotChecked("it is the same fault as ids-differ")
    # Each may name more tokens that end a text than the one before it.
    if all(first <= second for i, first in enumerate(sets) for second in sets[i + 1 :]):
        return None
    what = "; ".join(f"{_with_texts(it, ids)} in {where}" for where, ids in it.ends.items())
    # An id of another model may be any word here: only what ends a text or a turn is proposed.
    last, _ = known(lambda: _turn_end(it)) or ("", set())
    own = {last, it.special("eos_token")} & it.table.ids.keys()
    ids = {it.table.ids[token] for token in own}
    if ids <= (more := it.ends.get("generation_config.json", set())):
        ids |= more & {it.table.ids[token.content] for token in it.special_tokens}
    if not ids:
        return Evidence(f"EOS is {what}")
    wanted = min(ids) if len(ids) == 1 else sorted(ids)
    changes = [
        Change(place, "eos_token_id", config["eos_token_id"], wanted)
        for place, config in it.configs()
        if str(place) in it.ends and it.ends[str(place)] != ids
    ]
    return Evidence(f"EOS is {what}", changes, f"These are {_with_texts(it, ids)}")


@check(
    "risk",
    "The model may go on with the user's turn.",
    "End the template with `{% if add_generation_prompt %}{{ '...' }}{% endif %}`, where the "
    "beginning of the assistant's turn takes the place of the dots.",
)
def no_generation_prompt(it: Opened) -> Evidence | None:
    if "add_generation_prompt" in it.template or opens_answer(it.template):
        return None
    return Evidence("the chat template never looks at add_generation_prompt")


@check(
    "note", "transformers reads the first; older programs do not.", "Keep the one of the training."
)
def two_templates(it: Opened) -> Evidence | None:
    sources = it.templates
    if len({*sources.values()}) < 2:
        return None
    return Evidence(f"{' and '.join(sources)} have different chat templates")


def _turn_end(it: Opened) -> tuple[str, set[str]]:
    names = {name: it.special(name) for name in ("bos_token", "eos_token")}
    names = {name: token for name, token in names.items() if token in it.table.ids}
    return turn_end(it.template, [token.content for token in it.special_tokens], names)


def _with_texts(it: Opened, ids: Iterable[int]) -> str:
    """Name ids with the tokens that they are."""
    texts = {i: visible(token) for token, i in it.table.ids.items() if i in ids}
    return " and ".join(f"{i} {texts.get(i, '(no token)')}" for i in sorted(ids))
