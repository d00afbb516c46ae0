"""The error of a notification that did not arrive."""


class SendError(Exception):
    """A message did not arrive.

    Attributes:
        permanent: trying again can't help.
        retry_after_s: seconds that the receiver asked to wait before the next attempt; None: it did not.
    """

    def __init__(self, text: str, *, permanent: bool, retry_after_s: int | None = None) -> None:
        super().__init__(text)
        self.permanent = permanent
        self.retry_after_s = retry_after_s
