"""What is missing or too old is named, with the version found and how to get it."""

import sys
from pathlib import Path

import pytest

from weir.embedded.prerequisites import (
    PYTHON,
    TOOLS,
    Tool,
    java_of_engines,
    missing_modules,
    problems,
    version_of,
)


def _program(folder: Path, output: str) -> tuple[str, ...]:
    file = folder / "program"
    file.write_text(f"#!/bin/sh\necho '{output}'\n")
    file.chmod(0o700)
    return (str(file),)


@pytest.mark.parametrize(
    ("output", "version"),
    [
        ("javac 17.0.15", (17, 0)),
        ("v20.20.2", (20, 20)),
        ("GNU Make 4.3", (4, 3)),
        ("11", (11, 0)),
        ("no number", None),
    ],
)
def test_versions_are_read_as_programs_print_them(
    tmp_path: Path, output: str, version: tuple[int, int] | None
) -> None:
    assert version_of(_program(tmp_path, output)) == version


def test_the_line_of_java_about_its_options_is_no_version(tmp_path: Path) -> None:
    assert version_of(
        _program(tmp_path, "Picked up JAVA_TOOL_OPTIONS: -Xmx4g -Duser.home=/tmp/9.9\njavac 17.0.15")
    ) == (17, 0)


def test_a_missing_program_has_no_version() -> None:
    assert version_of(("weir-has-no-such-program",)) is None


def test_old_and_missing_tools_are_named(tmp_path: Path) -> None:
    old = Tool("JDK", _program(tmp_path, "javac 11.0.2"), (17, 0), "get it there")
    missing = Tool("Node.js", ("weir-has-no-such-program",), (20, 19), "get it elsewhere")
    assert problems((old, missing), (3, 12)) == [
        "JDK 17.0 or newer is needed, found: 11.0. Get it: get it there",
        "Node.js 20.19 or newer is needed, found: none. Get it: get it elsewhere",
    ]


def test_an_old_python_is_named_first() -> None:
    first = problems((), (3, 9))[0]
    assert first.startswith("Python 3.11 or newer is needed")
    assert sys.executable in first
    assert PYTHON.get in first


def test_an_old_java_that_spark_would_take_is_named(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program = Path(*_program(tmp_path / "bin", 'java version "1.8.0_202"'))
    program.rename(program.with_name("java"))
    (said,) = problems(java_of_engines(str(tmp_path)))
    assert said.startswith("Java at JAVA_HOME 17.0 or newer is needed, found: 1.8.")
    assert java_of_engines("") == ()


def test_a_module_that_python_lacks_is_named() -> None:
    assert missing_modules() == []
    (said,) = missing_modules(("zlib", "no_such_module"))
    assert said.startswith(f"Python at {sys.executable} has no module no_such_module.")


def test_this_machine_has_them_all() -> None:
    assert problems(TOOLS) == []
