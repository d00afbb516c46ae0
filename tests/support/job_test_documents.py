"""Documents of tests of the job of `run_factories`."""

COUNTED = """\
format: 1
name: {name}
start: 2026-01-01T10:00:00Z
batches:
  - records:
      trades:
        - {{at: 1s, values: {{symbol: A, price: 2.5}}}}
expect:
  outputs:
    live:
      contains:
        - {{window_start: 1s, symbol: A, n: {n}, low: 2.5}}
"""


def counted(name: str = "one trade", n: int = 1) -> str:
    """A test that expects `n` trades where there is one."""
    return COUNTED.format(name=name, n=n)
