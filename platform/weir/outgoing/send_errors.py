"""The error of a notification that did not arrive."""


class SendError(Exception):
    """A message did not arrive.

    Attributes:
        permanent: trying again can't help.
    """

    def __init__(self, text: str, *, permanent: bool) -> None:
        super().__init__(text)
        self.permanent = permanent
