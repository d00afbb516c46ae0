from pathlib import Path

from tests.support.file_sharing import ENGINE, group_of

INTEGRATION = Path(__file__).resolve().parents[2] / "integration"


def test_files_that_need_the_same_engine_run_in_one_worker() -> None:
    groups = {group_of(f"tests/integration/engine/test_{name}.py") for name in ENGINE}
    assert len(groups) == 1
    alone = "tests/integration/engine/test_validator.py"
    assert group_of(alone) == alone


def test_each_named_file_exists_once() -> None:
    for name in ENGINE:
        assert len(list(INTEGRATION.rglob(f"test_{name}.py"))) == 1, name
