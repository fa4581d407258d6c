"""Post-processors: which special tokens stand around one text, or two, and in which segment."""

from typing import Any, NamedTuple, TypeAlias

from companion.checks import shortened
from companion.wordpiece import PairEncoding
from inspector.parts import Kinds, Stage, Tokens, field, made

# A text, "A" or "B", or special tokens; their segment; and the special tokens with their ids.
Item: TypeAlias = tuple[str, int, Tokens]


class Layout(NamedTuple):
    """What stands around one text, and around two."""

    single: tuple[Item, ...] = (("A", 0, []),)
    pair: tuple[Item, ...] = (("A", 0, []), ("B", 1, []))

    def __call__(self, *texts: Tokens, adds_specials: bool = True) -> PairEncoding:
        """Put the tokens of one text or two, with their ids, into their places."""
        result = PairEncoding([], [], [])
        for name, segment_id, specials in self.pair if len(texts) == 2 else self.single:
            found = specials or texts[name == "B"]
            if adds_specials or not specials:
                result.ids.extend(token_id for _, token_id in found)
                result.segment_ids.extend(segment_id for _ in found)
                result.tokens.extend(token for token, _ in found)
        return result


def post_processor(part: object) -> Stage:
    """Return the post-processor of a file, whose work is a `Layout`; null adds nothing."""
    stage = made("post-processor", part, _KINDS)
    places = stage.work._asdict() if stage.work != Layout() else {}
    # What prints is shorter than the lists of the file.
    stage.settings = {
        way: " ".join(f"{name}:{segment_id}" for name, segment_id, _ in items)
        for way, items in places.items()
    }
    return stage


def _bert(cls: list[Any], sep: list[Any]) -> Layout:
    # ``[CLS]`` A ``[SEP]``, and for two texts B ``[SEP]`` in the second segment.
    single: tuple[Item, ...] = _special("cls", cls), ("A", 0, []), _special("sep", sep)
    return Layout(single, (*single, ("B", 1, []), _special("sep", sep, 1)))


def _roberta(cls: list[Any], sep: list[Any]) -> Layout:
    # ``<s>`` A ``</s>``, and for two texts ``</s>`` B ``</s>``, all in one segment.
    single = _bert(cls, sep).single
    return Layout(single, (*single, single[2], ("B", 0, []), single[2]))


def _special(name: str, pair: object, segment_id: int = 0) -> Item:
    match pair:
        case [str(token), int(token_id)]:
            return token, segment_id, [(token, token_id)]
        case other:
            raise ValueError(f"{name!r} is {shortened(other)}; it must be a token and its id")


def _template(single: list[Any], pair: list[Any], special_tokens: dict[str, Any]) -> Layout:
    # Put texts and special tokens in the order, and with the segments, that the file lists.
    one, two = (tuple(_item(piece, special_tokens) for piece in each) for each in (single, pair))
    if any(name == "B" and not specials for name, _, specials in one):
        raise ValueError("its 'single' places a second text")
    if {name for name, _, specials in two if not specials} < {"A", "B"}:
        raise ValueError("its 'pair' does not place both texts")
    return Layout(one, two)


def _item(piece: Any, special_tokens: dict[str, Any]) -> Item:
    match piece:
        case {"Sequence": {"id": "A" | "B" as name, "type_id": int(segment_id)}}:
            return name, segment_id, []
        case {"SpecialToken": {"id": str(name), "type_id": int(segment_id)}}:
            special = field(special_tokens, name, dict)
            ids, tokens = field(special, "ids", list), field(special, "tokens", list)
            if {*map(type, ids)} == {int} and {*map(type, tokens)} == {str}:
                return " ".join(tokens), segment_id, [*zip(tokens, ids, strict=True)]
    raise ValueError(f"{shortened(piece)} is no item of a template")


def _sequence(processors: list[Any]) -> Layout:
    # Of several post-processors one can place the texts.
    placing = [each.work for each in processors if each.work != Layout()]
    if len(placing) > 1:
        raise ValueError(f"{len(placing)} of its processors place the texts; one can")
    return placing[0] if placing else Layout()


# `ByteLevel` adds nothing; in the library it changes offsets.
_KINDS: Kinds = {
    "TemplateProcessing": _template, "BertProcessing": _bert, "RobertaProcessing": _roberta,
    "ByteLevel": lambda: Layout(), "Sequence": _sequence, None: lambda: Layout(),
}  # fmt: skip
