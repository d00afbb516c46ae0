"""What binding raises inside; `check` turns it into a problem. It never leaves this package."""


class ExpressionError(Exception):
    """One reason why a text is not an expression."""

    def __init__(self, code: str, message: str, hint: str = "", span: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.span = span
