"""Names of random documents: plain ones, and in half of the documents some at which things have stumbled.

Odd are words of SQL, columns of Kafka's own, names in another case than a field beside them, names of steps
and sources, and names as a prefix makes them. Fields, steps and sources are three kinds of names: what is odd
about them is mostly that they are equal.
"""

from dataclasses import dataclass, field

from hypothesis import strategies as st

WORDS = (
    "select",
    "order",
    "from",
    "group",
    "end",
    "null",
    "case",
    "not",
    "union",
    "interval",
    "date",
    "true",
    "distinct",
)
"""Words of SQL; those that the language knows are written in backticks in expressions."""
OF_KAFKA = ("key", "value", "topic", "partition", "offset", "timestamp", "headers")
OF_COLUMNS = (
    "window",
    "window_start",
    "count",
    "element",
    "col",
    "pos",
    "rows",
    "t",
    "row",
    "left",
    "id",
    "session_window",
)
NODES = ("s", "r", "q", "step0", "step1", "step2", "out", "result")
AS_PREFIXED = ("q_x", "q_k", "t_x", "t_k", "q_n", "q_text")

KEYS = ("k", "K", "key", "kind", "s", "order")
"""Names of fields with few values, so that rows meet."""
PLAIN = (
    *(
        "x",
        "n",
        "big",
        "y",
        "price",
        "flag",
        "text",
        "raw",
        "at",
        "day",
        "tags",
        "part",
        "more",
        "deep",
        "list",
        "grid",
        "parts",
    ),
    *("v", "name", "rate", "clock"),
)
CASES = ("X", "N", "Big", "Y", "TEXT", "Tags", "V", "Name")
ODD_FIELDS = tuple(sorted({*WORDS, *OF_KAFKA, *OF_COLUMNS, *NODES, *AS_PREFIXED, *CASES} - {*KEYS}))
ODD_STEPS = (
    *WORDS,
    "k",
    "x",
    "n",
    "key",
    "value",
    "K",
    "X",
    "Step1",
    "q_x",
    "count",
    "window_start",
    "text",
    "S",
    "late",
    "rows",
    "t",
)
ODD_SOURCES = ("x", "k", "select", "S", "value", "out", "late")


@dataclass(frozen=True)
class Naming:
    """What the names of one document are.

    Attributes:
        fields: plain name → the one that is used, where it is another.
        steps: in the order in which steps are made; after them they are called by their number.
        source: of the first stream.
    """

    fields: dict[str, str] = field(default_factory=dict)
    steps: tuple[str, ...] = ()
    source: str = "s"

    def field(self, plain: str) -> str:
        """The name of a declared field."""
        return self.fields.get(plain, plain)

    def step(self, number: int) -> str:
        """The name of a step."""
        return self.steps[number] if number < len(self.steps) else f"step{number}"


@st.composite
def namings(draw: st.DrawFn) -> Naming:
    """Plain in half of the documents."""
    if draw(st.booleans()):
        return Naming()
    odd = [
        draw(st.sampled_from(AS_PREFIXED)),
        *draw(st.lists(st.sampled_from(ODD_FIELDS), min_size=2, max_size=8)),
    ]
    odd = list(dict.fromkeys(odd))
    plain = draw(st.permutations(PLAIN))[: len(odd)]
    fields = dict(zip(plain, odd, strict=True)) | {"k": draw(st.sampled_from(KEYS))}
    source = draw(st.sampled_from(["s", "s", *ODD_SOURCES]))
    steps = draw(
        st.lists(st.sampled_from([name for name in ODD_STEPS if name != source]), max_size=5, unique=True)
    )
    return Naming(fields, tuple(steps), source)


def written(name: str) -> str:
    """A field's name in an expression. ``list <`` begins a type there."""
    return f"`{name}`" if name.lower() in (*WORDS, "list") else name
