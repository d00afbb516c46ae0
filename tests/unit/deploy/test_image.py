"""What the image is built from."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
_IMPORT = re.compile(r'from "((?:\.\./)+[^"]+)"')


def test_the_frontend_is_built_from_what_its_stage_copies() -> None:
    """The check of types reads tests, and these import files of other folders."""
    stage = (ROOT / "Dockerfile").read_text("utf-8").split("\nFROM ")[1]
    scripts = json.loads((ROOT / "frontend" / "package.json").read_text("utf-8"))["scripts"]
    commands = [line.removeprefix("RUN ") for line in stage.splitlines() if line.startswith("RUN ")]
    run = [scripts.get(command.removeprefix("npm run "), command) for command in commands]
    assert any("vite build" in command for command in run)
    assert not any("tsc" in command for command in run)
    assert "../docs/openapi.yaml" in stage
    sources = (ROOT / "frontend" / "src").rglob("*.ts*")
    for path in (one for one in sources if ".test." not in one.name):
        for imported in _IMPORT.findall(path.read_text("utf-8")):
            assert (path.parent / imported).resolve().is_relative_to(ROOT / "frontend"), path
