"""The names that SQL text has in backticks, which the server and the SQL editor both write.

``python -m tests.support.reserved_words`` writes `frontend/src/composer/sql/reserved-words.json`;
`make generated` does it too.
"""

import json
from pathlib import Path
from typing import Final

from jobs.sql.write_values import RESERVED
from weir.embedded.layout import REPOSITORY

FILE: Final[Path] = REPOSITORY / "frontend" / "src" / "composer" / "sql" / "reserved-words.json"


def text() -> str:
    """The file's text."""
    return json.dumps(sorted(RESERVED), indent=2) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
