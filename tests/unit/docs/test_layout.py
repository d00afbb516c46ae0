"""The pictures of the tree and of the layers are those of the folders and of the import contracts."""

import re
import tomllib

from tests.support.repository_files import ROOT, repository_files

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
LAYERS = {contract["name"]: contract["layers"] for contract in CONTRACTS if contract["type"] == "layers"}


def chain(start: str) -> list[list[str]]:
    """Layers as the page has them, each with its modules."""
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    text = " ".join(page.partition(f"- In `{start}`, top to bottom: ")[2].partition(".\n")[0].split())
    return [sorted(layer.split(", ")) for layer in text.split(" → ")]


def test_the_layers_of_jobs() -> None:
    (layers,) = (found for name, found in LAYERS.items() if name.startswith("jobs:"))
    assert chain("jobs") == [[layer.split(" : ")[0]] for layer in layers]


def test_the_layers_of_the_apps() -> None:
    layers = LAYERS["weir: apps in their order"]
    assert chain("platform/weir") == [sorted(layer.replace("weir.", "").split(" | ")) for layer in layers]


def test_the_tree_has_every_folder_of_the_source() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("```\n")[2].partition("```")[0]
    named = set(re.findall(r"\b(\w+)/", text))
    paths = [path.relative_to(ROOT) for path in repository_files("jobs", "platform/weir")]
    folders = {path.parts[1] for path in paths if path.parts[0] == "jobs" and len(path.parts) > 2}
    assert named >= folders | {
        path.parts[2] for path in paths if path.parts[0] == "platform" and len(path.parts) > 3
    }
