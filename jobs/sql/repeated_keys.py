"""Where an expression over results repeats a key of GROUP BY that is itself an expression."""

from collections.abc import Container, Iterator, Mapping, Sequence

from sqlglot.tokenizer_core import Token, TokenType

from jobs.sql.tokens import CLOSING, OPENING, Slice, is_word, name_of
from jobs.sql.variables import variables_of


def repeated_keys(
    written: Slice,
    keys: Mapping[tuple[str, ...], Sequence[str]],
    lengths: Container[int],
    skipped: Sequence[tuple[int, int]],
) -> list[tuple[int, int, str]]:
    """The outermost parts of an expression that are keys and can be replaced by their names: calls, members,
    and what stands alone in parentheses, in an argument or as the whole. Of `a + b` in `2 * a + b` neither.

    Args:
        written: the expression.
        keys: names of a key by its words.
        lengths: of all keys, in words; what has another length is not compared.
        skipped: parts of the expression, first token and one past the last, that read other rows.

    Returns:
        First token, one past the last, and the key's first name, in order.
    """
    words, variables = written.words, variables_of(written.tokens)
    found: list[tuple[int, int, str]] = []
    free = 0
    for begin, end in sorted(_parts(written.tokens), key=lambda part: (part[0], -part[1])):
        # A key of one word is a field, which has its own rules.
        if begin < free or end - begin < 2 or end - begin not in lengths:
            continue
        names = keys.get(words[begin:end])
        if (
            names is None
            or any(first < end and begin < last for first, last in skipped)
            # What is a field in the key may be a lambda's variable here.
            or any(variables.hide(name_of(written.tokens[at]) or "", at) for at in range(begin, end))
        ):
            continue
        found.append((begin, end, names[0]))
        free = end
    return found


def _parts(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The parts of an expression that mean the same wherever they stand."""
    calls: list[int | None] = []  # of each parenthesis that is open: where its call begins
    starts = [0]
    for at, token in enumerate(tokens):
        if token.token_type in OPENING:
            begins_call = at > 0 and token.token_type == TokenType.L_PAREN and _is_head(tokens, at - 1)
            calls.append(at - 1 if begins_call else None)
            starts.append(at + 1)
        elif token.token_type == TokenType.COMMA:
            yield starts[-1], at
            starts[-1] = at + 1
        elif token.token_type in CLOSING and calls:
            yield starts.pop(), at
            call = calls.pop()
            if call is not None:
                yield call, at + 1
        elif token.token_type == TokenType.DOT:
            begin = at - 1
            while begin > 1 and tokens[begin - 1].token_type == TokenType.DOT:
                begin -= 2
            if begin >= 0 and _is_head(tokens, begin) and not _opens(tokens, at + 2):
                yield begin, at + 2
    yield starts[0], len(tokens)


def _is_head(tokens: Sequence[Token], at: int) -> bool:
    """True for the first name of a call or of members; NOT in `NOT (a) = b` belongs to all of it."""
    return (
        name_of(tokens[at]) is not None
        and not is_word(tokens[at], "NOT")
        and (at == 0 or tokens[at - 1].token_type != TokenType.DOT)
    )


def _opens(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].token_type in OPENING
