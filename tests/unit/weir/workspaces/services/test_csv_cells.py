import pytest

from weir.workspaces.services.csv_cells import cell


@pytest.mark.parametrize(
    ("value", "shown"),
    [("=1+1", "'=1+1"), ("+x", "'+x"), ("-x", "'-x"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "'\rx"),
     ("a=b", "a=b"), (-5, "-5"),
     ("-12.50", "-12.50"), ("-7", "-7"), ("-1E-7", "-1E-7"),  # decimals are texts
     ("-1+1", "'-1+1"), ("-1.", "'-1."), ("-5\n", "'-5\n"), ("-\u0665", "'-\u0665"), ("--5", "'--5"),
     (None, ""), (True, "true"), ([1, "a"], '[1, "a"]')],
)  # fmt: skip
def test_cells_are_no_formulas(value: object, shown: str) -> None:
    assert cell(value) == shown
