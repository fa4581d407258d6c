"""Post-processors: which special tokens stand around one text, or two, and in which segment."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from companion._checks import shortened
from companion.pipeline.parts import Part, field, made
from companion.wordpiece import PairEncoding


class Item(NamedTuple):
    """What stands at a place, with its segment: a text, "A" or "B", or special tokens."""

    segment_id: int
    text: str = ""
    specials: Sequence[tuple[str, int]] = ()


class Layout(NamedTuple):
    """What stands around one text, and around two."""

    single: Sequence[Item] = (Item(0, "A"),)
    pair: Sequence[Item] = (Item(0, "A"), Item(1, "B"))

    def filled(self, *texts: list[tuple[str, int]]) -> PairEncoding:
        """Put the tokens of one text or two, with their ids, into their places."""
        result = PairEncoding([], [], [])
        for item in self.pair if len(texts) == 2 else self.single:
            for token, token_id in texts[item.text == "B"] if item.text else item.specials:
                result.ids.append(token_id)
                result.segment_ids.append(item.segment_id)
                result.tokens.append(token)
        return result


def post_processor(part: object) -> Layout:
    """Return the layout of a file's post-processor; null adds nothing."""
    return made("post-processor", part, _MAKERS) if part is not None else Layout()


def _end(part: Part, name: str) -> Item:
    match part.get(name):
        case [str(token), int(token_id)]:
            return Item(0, "", [(token, token_id)])
        case other:
            raise ValueError(f"{name!r} is {shortened(other)}; it must be a token and its id")


def _bert(part: Part) -> Layout:
    single = [_end(part, "cls"), Item(0, "A"), _end(part, "sep")]
    return Layout(single, [*single, Item(1, "B"), single[2]._replace(segment_id=1)])


def _roberta(part: Part) -> Layout:
    start, end = _end(part, "cls"), _end(part, "sep")
    return Layout([start, Item(0, "A"), end], [start, Item(0, "A"), end, end, Item(0, "B"), end])


def _template(part: Part) -> Layout:
    specials = field(part, "special_tokens", dict)

    def item(piece: Any) -> Item:
        match piece:
            case {"Sequence": {"id": "A" | "B" as name, "type_id": int(segment_id)}}:
                return Item(segment_id, name)
            case {"SpecialToken": {"id": str(name), "type_id": int(segment_id)}}:
                special = field(specials, name, dict)
                ids, tokens = field(special, "ids", list), field(special, "tokens", list)
                if {*map(type, ids)} == {int} and {*map(type, tokens)} == {str}:
                    return Item(segment_id, "", [*zip(tokens, ids, strict=True)])
        raise ValueError(f"{shortened(piece)} is no item of a template")

    layout = Layout(*([*map(item, field(part, name, list))] for name in ("single", "pair")))
    if any(each.text == "B" for each in layout.single):
        raise ValueError("its 'single' places a second text")
    if {each.text for each in layout.pair} < {"A", "B"}:
        raise ValueError("its 'pair' does not place both texts")
    return layout


def _sequence(part: Part) -> Layout:
    layouts = map(post_processor, field(part, "processors", list))
    adding = [layout for layout in layouts if layout != Layout()] or [Layout()]
    if len(adding) > 1:
        raise ValueError(f"{len(adding)} of its processors place the texts; one can")
    return adding[0]


# `ByteLevel` changes no token, only offsets.
_MAKERS: Mapping[str, Callable[[Part], Layout]] = {
    "TemplateProcessing": _template,
    "BertProcessing": _bert,
    "RobertaProcessing": _roberta,
    "ByteLevel": lambda part: Layout(),
    "Sequence": _sequence,
}
