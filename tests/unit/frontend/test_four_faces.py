"""A thousand random edits in drawing, form, YAML and SQL; the frontend's own tests play sixty."""

import os
import subprocess
from pathlib import Path

import pytest

FRONTEND = Path(__file__).parents[3] / "frontend"


@pytest.mark.long
@pytest.mark.timeout(900)
def test_every_face_gives_back_the_same_document() -> None:
    """Another seed: WEIR_RANDOM_SEED."""
    played = subprocess.run(
        ["npx", "vitest", "run", "src/composer/four-faces.test.ts"],
        cwd=FRONTEND,
        env={"WEIR_EDITS": "1000", **os.environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert played.returncode == 0, played.stdout[-20_000:]
