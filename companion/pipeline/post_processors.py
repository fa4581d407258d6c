"""Post-processors: which special tokens stand around one text, or two, and in which segment."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from companion._checks import shortened
from companion.pipeline.parts import field, made
from companion.wordpiece import PairEncoding


class Item(NamedTuple):
    """What stands at a place, with its segment: a text, "A" or "B", or special tokens."""

    segment_id: int
    text: str = ""
    specials: tuple[tuple[str, int], ...] = ()

    def __repr__(self) -> str:
        return f"{self.text or ' '.join(token for token, _ in self.specials)}:{self.segment_id}"


class Layout(NamedTuple):
    """What stands around one text, and around two."""

    single: tuple[Item, ...] = (Item(0, "A"),)
    pair: tuple[Item, ...] = (Item(0, "A"), Item(1, "B"))

    def filled(self, *texts: list[tuple[str, int]]) -> PairEncoding:
        """Put the tokens of one text or two, with their ids, into their places."""
        result = PairEncoding([], [], [])
        for item in self.pair if len(texts) == 2 else self.single:
            for token, token_id in texts[item.text == "B"] if item.text else item.specials:
                result.ids.append(token_id)
                result.segment_ids.append(item.segment_id)
                result.tokens.append(token)
        return result


_TEXTS_ALONE = Layout()


class PostProcessor(Protocol):
    """What a post-processor has: the layout of its special tokens."""

    layout: Layout


def post_processor(part: object) -> PostProcessor:
    """Return the post-processor of a file; null adds nothing."""
    return made("post-processor", part, _KINDS) if part is not None else ByteLevel()


# ``[CLS]`` A ``[SEP]``, and for two texts B ``[SEP]`` in the second segment.
@dataclass
class BertProcessing:
    cls: list[Any]
    sep: list[Any]

    def __post_init__(self) -> None:
        single = _end("cls", self.cls), Item(0, "A"), _end("sep", self.sep)
        self.layout = Layout(single, (*single, Item(1, "B"), single[2]._replace(segment_id=1)))


# ``<s>`` A ``</s>``, and for two texts ``</s>`` B ``</s>``, all in one segment.
@dataclass
class RobertaProcessing:
    cls: list[Any]
    sep: list[Any]

    def __post_init__(self) -> None:
        start, end = _end("cls", self.cls), _end("sep", self.sep)
        single = start, Item(0, "A"), end
        self.layout = Layout(single, (*single, end, Item(0, "B"), end))


def _end(name: str, pair: object) -> Item:
    match pair:
        case [str(token), int(token_id)]:
            return Item(0, "", ((token, token_id),))
        case other:
            raise ValueError(f"{name!r} is {shortened(other)}; it must be a token and its id")


# Texts and special tokens in the order, and with the segments, that the file lists.
@dataclass
class TemplateProcessing:
    single: list[Any]
    pair: list[Any]
    special_tokens: dict[str, Any]

    def __post_init__(self) -> None:
        self.layout = Layout(*(tuple(map(self._item, each)) for each in (self.single, self.pair)))
        if any(each.text == "B" for each in self.layout.single):
            raise ValueError("its 'single' places a second text")
        if {each.text for each in self.layout.pair} < {"A", "B"}:
            raise ValueError("its 'pair' does not place both texts")

    def __repr__(self) -> str:
        single, pair = (" ".join(map(repr, items)) for items in self.layout)
        return f"TemplateProcessing(single={single!r}, pair={pair!r})"

    def _item(self, piece: Any) -> Item:
        match piece:
            case {"Sequence": {"id": "A" | "B" as name, "type_id": int(segment_id)}}:
                return Item(segment_id, name)
            case {"SpecialToken": {"id": str(name), "type_id": int(segment_id)}}:
                special = field(self.special_tokens, name, dict)
                ids, tokens = field(special, "ids", list), field(special, "tokens", list)
                if {*map(type, ids)} == {int} and {*map(type, tokens)} == {str}:
                    return Item(segment_id, "", (*zip(tokens, ids, strict=True),))
        raise ValueError(f"{shortened(piece)} is no item of a template")


# It adds nothing; in the library it changes offsets.
@dataclass
class ByteLevel:
    def __post_init__(self) -> None:
        self.layout = _TEXTS_ALONE


# Several post-processors, of which one places the texts.
@dataclass
class Sequence:
    processors: list[Any]

    def __post_init__(self) -> None:
        self.processors = [*map(post_processor, self.processors)]
        placing = [p.layout for p in self.processors if p.layout is not _TEXTS_ALONE]
        if len(placing) > 1:
            raise ValueError(f"{len(placing)} of its processors place the texts; one can")
        self.layout = placing[0] if placing else _TEXTS_ALONE


_KINDS = {
    kind.__name__: kind
    for kind in (TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence)
}
