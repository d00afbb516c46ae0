"""Steps under other names.

Where a name is data it stays: of what a union reads (identities, `source_field`), of a step that gives its
late rows (`late_step`), and of sources, whose names are in every identity and in the order of rows.
"""

from random import Random

from tests.oracle.answers import node_of, references
from tests.oracle.cases import Case
from tests.oracle.relations.variants import changed, document_of, edges, plan_of

WORDS = ("filter", "out", "result", "window", "select", "step", "k", "v")


def steps_renamed(case: Case, random: Random) -> Case | None:
    """All that may be renamed; some get names of operators, outputs or fields."""
    document = document_of(case)
    steps = document["steps"]
    data = {
        node_of(reference)
        for step in steps.values()
        if step["op"] == "union"
        for reference in references(step)
    }
    data |= {name for name, step in steps.items() if step.get("late") == "dead_letter"}
    taken = set(document["sources"]) | set(steps)
    words = [word for word in random.sample(WORDS, len(WORDS)) if word not in taken]
    names = {name: words.pop() if words else f"{name}_again" for name in steps if name not in data}
    if not names:
        return None
    for reference, put in list(edges(document)):
        name, dot, port = reference.partition(".")
        put(f"{names.get(name, name)}{dot}{port}")
    document["steps"] = {names.get(name, name): step for name, step in steps.items()}
    errors = {names.get(name, name): count for name, count in case.errors.items()}
    malformed = {names.get(name, name): count for name, count in case.malformed.items()}
    return (
        changed(case, document, errors=errors, malformed=malformed)
        if plan_of(document, case.contracts).ok
        else None
    )
