"""SQL texts that are as much work to read as somebody can make them."""

from typing import Final

_MANY: Final = 190
_JOINS: Final = " ".join(
    f"JOIN trades t{at} ON t0.symbol = t{at}.symbol AND t{at}.price > t0.price" for at in range(1, _MANY)
)
_CHAIN: Final = ";".join(
    f"CREATE VIEW v{at} AS SELECT a.*, {', '.join(f'a.price + {n} AS f{at}_{n}' for n in range(20))} "
    f"FROM {f'v{at - 1}' if at else 'trades'} a JOIN trades b ON a.symbol = b.symbol"
    for at in range(60)
)

TEXTS: Final = {
    "joins": f"SELECT * FROM trades t0 {_JOINS}",
    "joins of their own columns": _CHAIN,
    "conditions": f"SELECT * FROM trades t WHERE {' AND '.join(['t.price > 1'] * 6_000)}",
    "columns": f"SELECT {', '.join(f't.price + {at} AS c{at}' for at in range(1_000))} FROM trades t",
    "keys": f"SELECT count(*) AS n FROM trades GROUP BY {', '.join(f'price + {at}' for at in range(8_000))}",
    "keys and columns": f"SELECT {', '.join(f'price + {at} AS c{at}' for at in range(1_000))} FROM trades "
    f"GROUP BY {', '.join(f'price + {at}' for at in range(1_000))}",
    "measures": f"SELECT {' + '.join(f'sum(price + {at})' for at in range(5_000))} AS n FROM trades",
    "measures in one another": f"SELECT {'sum(' * 9_000}price{')' * 9_000} AS n FROM trades",
    "stars of a join": f"SELECT {', '.join(['a.*'] * 1_000)} FROM trades a "
    "JOIN trades b ON a.symbol = b.symbol",
    "queries in queries": "SELECT * FROM " + "(SELECT * FROM " * 19 + "trades" + ")" * 19,
    "parentheses": f"SELECT {'(' * 24_000}price{')' * 24_000} AS p FROM trades",
    "parentheses in ON": "SELECT * FROM trades a JOIN trades b ON a.symbol = b.symbol AND "
    f"{'(' * 24_000}a.price > 1{')' * 24_000}",
    "parentheses in GROUP BY": "SELECT count(*) AS n FROM trades "
    f"GROUP BY {'(' * 24_000}symbol{')' * 24_000}",
    "variables of lambdas": f"SELECT {'t) -> ' * 12_000}x AS x FROM trades t",
    "views forward": ";".join(f"CREATE VIEW v{at} AS SELECT * FROM v{at + 1}" for at in range(3_000)),
    "long numbers": f"SET 'retention' = '{'9' * 100_000}'; "
    f"SELECT * FROM SAMPLE(TABLE trades, {'9' * 50_000})",
    "statements": ";".join(["SELECT"] * 25_000),
    "views": ";".join(f"CREATE VIEW v{at} AS SELECT * FROM v{at + 1} WHERE x > 1" for at in range(3_000)),
    "views in a ring": "CREATE VIEW a AS SELECT x FROM b JOIN b AS c ON x = x; "
    "CREATE VIEW b AS SELECT y FROM a",
    "unions": " UNION ALL ".join(["SELECT * FROM trades"] * 5_000),
    "options": f"SET 'name' = '{'x' * 190_000}'",
    "quotes": "SELECT " + "''" * 25_000,
    "commas": "SELECT " + "," * 49_000,
    "dots": "SELECT " + "t." * 24_000 + "x FROM trades t",
}
