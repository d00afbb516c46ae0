"""Reads SQL text into statements; each statement's problem is reported, not the first alone."""

from typing import Final

from jobs.base.problems import Problem
from jobs.sql.queries import query
from jobs.sql.reader import Reader
from jobs.sql.statements import CreateOutput, CreateSource, CreateView, SetOption, Statement
from jobs.sql.tokens import Name, SqlError, statements
from jobs.sql.values import options

RESULT: Final = "result"
"""Name of the output that a query alone makes."""
_FORMS: Final = "Statements: SET, CREATE SOURCE, CREATE VIEW, CREATE MATERIALIZED VIEW, CREATE SINK, SELECT."


def parse(text: str) -> tuple[list[Statement], list[Problem]]:
    """The statements that could be read, and the problems of the others (`SQL_INVALID`)."""
    try:
        written = statements(text)
    except SqlError as error:
        return [], [error.problem]
    found: list[Statement] = []
    problems: list[Problem] = []
    for one in written:
        try:
            found.append(_statement(Reader(one)))
        except SqlError as error:
            problems.append(error.problem)
    return found, problems


def _statement(reader: Reader) -> Statement:
    start = reader.here
    if reader.take("SET"):
        return _set(reader, start)
    if reader.take("CREATE"):
        return _create(reader, start)
    if not (reader.at("SELECT") or reader.at("WITH") or reader.at("(")):
        raise reader.error("This statement isn't available.", _FORMS)
    found = query(reader)
    reader.finish()
    return CreateOutput(Name(RESULT, start), found, start, is_named=False)


def _set(reader: Reader, start: tuple[int, int]) -> SetOption:
    option = reader.text("a setting")
    reader.expect("=")
    value = reader.text("a value")
    end = reader.read_to
    reader.finish("Example: SET 'mode' = 'realtime';")
    return SetOption(option.lower(), value, (start[0], end))


def _create(reader: Reader, start: tuple[int, int]) -> Statement:
    if reader.take("SOURCE"):
        return _source(reader)
    if reader.take("VIEW"):
        name = reader.name("the view's name")
        reader.expect("AS")
        found = query(reader)
        reader.finish()
        return CreateView(name, found)
    is_sink = reader.take("SINK")
    if not is_sink and not reader.take("MATERIALIZED", "VIEW"):
        raise reader.error("Expected SOURCE, VIEW, MATERIALIZED VIEW or SINK.", _FORMS)
    name = reader.name("a name")
    reader.expect("AS")
    found = query(reader)
    given = options(reader) if is_sink and reader.take("WITH") else {}
    if is_sink and "topic" not in given:
        raise reader.error("A sink needs a topic.", "Add WITH (topic = 'alerts').", name.span)
    reader.finish()
    return CreateOutput(name, found, start, is_sink, options=given)


def _source(reader: Reader) -> CreateSource:
    name = reader.name("the source's name")
    reader.expect("FROM", hint="Example: CREATE SOURCE a FROM STREAM trades;")
    is_table = reader.take("TABLE")
    if not is_table:
        reader.expect("STREAM", hint="Example: CREATE SOURCE a FROM STREAM trades;")
    registered = reader.name("the registered stream or table")
    given = options(reader) if reader.take("WITH") else {}
    reader.finish()
    return CreateSource(name, "table" if is_table else "stream", registered, given)
