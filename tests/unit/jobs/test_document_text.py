import pytest

from jobs.document_text import MAX_BYTES, locate, read_text

TEXT = """\
format: 1
sources:
  trades: {stream: trades}
steps:
  stats:
    op: aggregate
    by: [symbol, "venue"]
    measures:
      n: count()
      é: 'sum(x)'
"""


def test_values() -> None:
    text = read_text(
        "a: 1\nb: -2.5\nc: true\nd: ~\ne: yes\nf: 10:30\ng: 2026-01-01\nh: 5s\ni: '1'\nj: 007\nk: 1e3\n"
        "l: [1, x]\nm: NO\n1: one\n"
    )
    assert text.problems == ()
    assert text.value == {
        "a": 1,
        "b": -2.5,
        "c": True,
        "d": None,
        "e": "yes",
        "f": "10:30",
        "g": "2026-01-01",
        "h": "5s",
        "i": "1",
        "j": "007",
        "k": "1e3",
        "l": [1, "x"],
        "m": "NO",
        "1": "one",
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1234567890123456.78", "1234567890123456.78"),
        ("-0.30000000000000001", "-0.30000000000000001"),
        ("1.00000000000000000e2", 100.0),
        ("0.1", 0.1),
        ("1.50", 1.5),
        ("0.30000000000000004", 0.30000000000000004),
        ("1.7976931348623157e308", 1.7976931348623157e308),
        ("1.0e400", float("inf")),
        ("-0.0", -0.0),
    ],
)
def test_a_number_of_which_a_double_loses_digits_stays_text(text: str, value: object) -> None:
    assert read_text(f"a: {text}").value == {"a": value}
    assert read_text(f'{{"a": {text}, "b": "\\ud83d\\ude00"}}').value == {"a": value, "b": "😀"}


def test_json_is_read_too() -> None:
    assert read_text('{\n\t"a": "x\\/y\\u00e9", "b": [1, null, true]}').value == {
        "a": "x/yé",
        "b": [1, None, True],
    }
    assert read_text('{"a": "\\ud83d\\ude00"}').value == {"a": "😀"}
    assert read_text('{"a": "\\\\ud83d\\ud83d\\ude00"}').value == {"a": "\\ud83d😀"}


@pytest.mark.parametrize(
    ("text", "message", "span"),
    [
        ('{"a": "\\ud800"}', "half of a surrogate pair", (7, 13)),
        ('{"\\udc00": 1}', "half of a surrogate pair", (2, 8)),
        ('{"a": "\\ud83d\\ude00\\ud83d."}', "half of a surrogate pair", (19, 25)),
        ('{"a": "\\ud83d\\n\\ude00"}', "half of a surrogate pair", (7, 13)),
        ('{"e": "\\ud83d\\ude00", "a": ' + "[" * 500 + "]" * 500 + "}", "nested deeper than 32", None),
        ('{"e": "\\ud83d\\ude00", "a": [' + "1," * 100_000 + "1]}", "more than 100000 values", None),
    ],
)
def test_json_with_escaped_pairs_is_bounded_as_all_else(
    text: str, message: str, span: tuple[int, int] | None
) -> None:
    read = read_text(text)
    assert read.value is None
    assert [message in found.message for found in read.problems] == [True]
    assert read.problems[0].span == span


@pytest.mark.parametrize("number", ["NaN", "Infinity", "123456789012345678901", "1E5"])
def test_numbers_of_such_json_are_those_of_yaml(number: str) -> None:
    assert read_text(f'{{"e": "\\ud83d\\ude00", "a": {number}}}').value["a"] == number
    assert read_text(f"a: {number}").value["a"] == number


@pytest.mark.parametrize(
    ("text", "message", "span"),
    [
        ("a: &x 1\nb: 2", "anchors", (3, 7)),
        ("a: 1\nb: *x", "aliases", (8, 10)),
        ("a: !!python/object:os.system x", "tags", (3, 30)),
        ("a: 1\n---\nb: 2", "more than one YAML document", (5, 8)),
        ("? [a, b]\n: 1", "Keys must be names", (2, 3)),
        ("", "empty", (0, 0)),
        ("# nothing", "empty", (9, 9)),
        ("[" * 40, "deeper", (33, 34)),
    ],
)
def test_what_is_not_allowed_is_refused_at_its_place(text: str, message: str, span: tuple[int, int]) -> None:
    read = read_text(text)
    assert read.value is None
    (problem,) = read.problems
    assert message in problem.message
    assert problem.span == span
    assert problem.path == ()
    assert read.locate((), span) is not None


def test_a_syntax_error_names_line_and_column() -> None:
    (problem,) = read_text("a: 1\nb: {c: d\ne: 2\n").problems
    assert "line 3, column 2" in problem.message


def test_an_alias_bomb_ends_at_once() -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60)]
    (problem,) = read_text("\n".join(lines)).problems
    assert "anchors" in problem.message


@pytest.mark.parametrize("text", ["x" * (MAX_BYTES + 1), "a: " + "é" * MAX_BYTES])
def test_too_large(text: str) -> None:
    (problem,) = read_text(text).problems
    assert problem.code == "PARAMETER_RANGE"
    assert "1,048,576" in problem.message


def test_too_many_values() -> None:
    (problem,) = read_text("a: [" + "1," * 100_001 + "]").problems
    assert "100000" in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "a: \ud800",
        "a: \x00",
        "a: \x07b",
        "\ufeff\ufeff: x",
        "%YAML 9.9\n---\na: 1",
        "@",
        "`",
        "a: b: c",
        "\t- x",
        "- - - -",
    ],
)
def test_odd_texts_never_raise(text: str) -> None:
    read = read_text(text)
    assert read.problems or read.value is not None


def test_duplicate_keys_keep_the_first() -> None:
    read = read_text("a: {x: 1, y: 2, x: 3}")
    assert read.value == {"a": {"x": 1, "y": 2}}
    (problem,) = read.problems
    assert (problem.code, problem.path) == ("NAME_TAKEN", ("a", "x"))
    assert "line 1" in problem.message


@pytest.mark.parametrize(
    ("path", "span", "place"),
    [
        (("format",), None, (1, 9, 1, 10)),
        (("sources", "trades", "stream"), None, (3, 20, 3, 26)),
        (("steps", "stats", "by", "1"), None, (7, 19, 7, 24)),
        (("steps", "stats", "measures", "n"), (0, 5), (9, 10, 9, 15)),
        (("steps", "stats", "measures", "é"), (4, 5), (10, 15, 10, 16)),
        (("steps", "stats", "input"), None, (5, 3, 5, 8)),
        (("steps", "stats", "window", "size"), None, (5, 3, 5, 8)),
        (("outputs",), None, (1, 1, 11, 1)),
    ],
)
def test_locate(
    path: tuple[str, ...], span: tuple[int, int] | None, place: tuple[int, int, int, int]
) -> None:
    assert locate(TEXT, path, span) == place


def test_locate_in_a_text_that_cannot_be_read() -> None:
    assert locate("a: {", ("a",)) is None
