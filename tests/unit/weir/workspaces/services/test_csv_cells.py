import csv
import io
import re

import pytest

from weir.workspaces.services.csv_cells import cell


@pytest.mark.parametrize(
    ("value", "shown"),
    [("=1+1", "'=1+1"), ("+x", "'+x"), ("-x", "'-x"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "'\rx"),
     ("a=b", "a=b"), (-5, "-5"),
     ("-12.50", "-12.50"), ("-7", "-7"), ("-1E-7", "-1E-7"),  # decimals are texts
     ("-Infinity", "-Infinity"), ("-Infinity+1", "'-Infinity+1"),
     ("-1+1", "'-1+1"), ("-1.", "'-1."), ("-5\n", "'-5\n"), ("-\u0665", "'-\u0665"), ("--5", "'--5"),
     ("x;=1+1", "x;'=1+1"), ("x\t@y", "x\t'@y"), ("x\r\n+y", "x\r\n'+y"), ("x; \"=y", "x;' \"=y"),
     ({"a": "x;=y"}, '{"a": "x;\'=y"}'), ("a;-5;b;-1.5", "a;-5;b;-1.5"), ("a;-5+x", "a;'-5+x"),
     ("a; b, c=d;'=e", "a; b, c=d;'=e"),
     (None, ""), (True, "true"), ([1, "a"], '[1, "a"]')],
)  # fmt: skip
def test_cells_are_no_formulas(value: object, shown: str) -> None:
    assert cell(value) == shown


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_list_separator_makes_a_formula(separator: str) -> None:
    """A spreadsheet reads a file by the separator of its country, whatever the file was written with."""
    out = io.StringIO()
    texts = ["1", "x;=cmd|' /C calc'!A0", 'x\t"=cmd', "x\n=cmd", '["x;=cmd"]', "a,=cmd"]
    csv.writer(out).writerow([cell(text) for text in texts])
    found = csv.reader(io.StringIO(out.getvalue()), delimiter=separator)
    assert not [read for row in found for read in row if re.match(r'\s*"*[=+@-]', read)]
