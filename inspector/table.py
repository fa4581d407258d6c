"""The tokens of a file with their ids: what it says, and what the package `tokenizers` makes of it.

`Pipeline` refuses what is wrong here, and the inspection names it.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from companion.checks import checked_vocab
from inspector.added_tokens import AddedToken, numbered
from inspector.models import results_of, scored
from inspector.parts import Part, field

LARGEST_ID = 2**32 - 1  # the library has 32 bits for an id


class Table:
    """The tokens of the model, the added ones, and the merges."""

    limit = f"the largest that the package tokenizers can read is {LARGEST_ID:,}"

    def __init__(self, content: Part) -> None:
        part = field(content, "model", dict)
        if isinstance(vocab := part.get("vocab"), list):
            self.pairs = [(piece, i) for i, (piece, _) in enumerate(scored(vocab))]
        else:
            self.pairs = [*field(part, "vocab", dict).items()]
        if {(type(token), type(i)) for token, i in self.pairs} - {(str, int)}:
            self.checked_vocab()
        self.added = [*numbered(content, dict(self.pairs))]
        self.markers = [token.content for token, _, _ in self.added]
        self.ids = dict(self.pairs) | {token.content: i for token, i, _ in self.added}
        self.tokens = {i: token for token, i in self.ids.items()}
        self.used = {i for _, i in self.pairs} | self.tokens.keys()
        self.n_vocab = max(self.used, default=-1) + 1
        self.prefix = field(part, "continuing_subword_prefix", str, "")
        self.merges = field(part, "merges", list, [])

    def checked_vocab(self) -> dict[str, int]:
        """Return the ids of the model's tokens; each has one of its own."""
        try:
            vocab, tokens = checked_vocab(self.pairs)
        except TypeError as error:
            raise ValueError(str(error)) from None
        if max(tokens, default=0) > LARGEST_ID:
            token_id = max(tokens)
            raise ValueError(f"token {tokens[token_id]!r} has the id {token_id}; {self.limit}")
        return vocab

    def checked_added(self) -> dict[int, AddedToken]:
        """Return the added tokens by their ids, which must be those that the library gives."""
        found: dict[int, AddedToken] = {}
        tokens = {token_id: token for token, token_id in self.pairs}
        for token, given, gets in self.added:
            other = tokens.setdefault(gets, token.content)
            if given != gets or other != token.content:
                of = "" if other == token.content else f", which is that of {other!r}"
                raise ValueError(
                    f"the added token {token.content!r} has the id {given} in the file, but gets "
                    f"{gets}{of}: the model's id for this text, or the next free one; load the "
                    "file with the package tokenizers and save it, if those are the ids that the "
                    "model was trained on"
                )
            found[gets] = token
        return found

    @cached_property
    def twice(self) -> tuple[dict[str, list[int]], dict[int, list[str]]]:
        """The tokens that have several ids, and the ids that several tokens have."""
        ids, tokens = defaultdict[str, list[int]](list), defaultdict[int, list[str]](list)
        numbers = {(token.content, i) for token, *both in self.added for i in both}
        for token, token_id in sorted(numbers.union(self.pairs)):
            ids[token].append(token_id)
            tokens[token_id].append(token)
        return {k: v for k, v in ids.items() if v[1:]}, {k: v for k, v in tokens.items() if v[1:]}

    def results(self) -> Iterator[tuple[str, str, str]]:
        """Return the two tokens of each merge, and what it makes of them."""
        return results_of(self.merges, self.prefix)
