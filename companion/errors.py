"""The errors that the tokenizers raise."""

__all__ = ["UnknownIdError", "UnknownTokenError"]


class _MessageKeyError(KeyError):
    """A `KeyError` that prints its message as it is; Python's own prints the quoted `repr`."""

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownTokenError(_MessageKeyError):
    """A token is not in the vocabulary; its attribute `token` has it."""

    def __init__(self, message: str, token: str) -> None:
        super().__init__(message, token)
        self.token = token


class UnknownIdError(_MessageKeyError):
    """An id is not in the vocabulary; its attributes are `id` and the number of ids, `n_vocab`."""

    def __init__(self, message: str, id: int, n_vocab: int) -> None:
        super().__init__(message, id, n_vocab)
        self.id = id
        self.n_vocab = n_vocab
