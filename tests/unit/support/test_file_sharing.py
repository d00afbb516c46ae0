from pathlib import Path

from tests.support.file_sharing import ENGINE, SYSTEM, shared_out_as

INTEGRATION = Path(__file__).resolve().parents[2] / "integration"


def test_files_that_need_the_same_are_played_by_one_worker() -> None:
    assert (
        shared_out_as("tests/e2e/test_layout.py")
        == shared_out_as("tests/e2e/test_topics.py")
        != shared_out_as("tests/chaos/test_sigkill.py")
    )
    together = {shared_out_as(f"tests/integration/engine/test_{name}.py") for name in ENGINE}
    assert len(together) == 1
    assert shared_out_as("tests/integration/examples/test_one_pass.py") not in together
    assert shared_out_as("tests/integration/engine/test_validator.py") == "tests/integration/engine/test_validator.py"


def test_each_named_file_is_there_once() -> None:
    for name in (*ENGINE, *SYSTEM):
        assert len(list(INTEGRATION.rglob(f"test_{name}.py"))) == 1, name
