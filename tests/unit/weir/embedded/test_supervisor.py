"""supervisord's configuration, with special characters in names and paths."""

import shlex
from configparser import RawConfigParser
from pathlib import Path

from weir.embedded.layout import read_layout
from weir.embedded.programs import Program, programs
from weir.embedded.supervisor import Supervisor, settings


def test_programs_become_sections(tmp_path: Path) -> None:
    layout = read_layout({"WEIR_DATA_DIR": str(tmp_path / "my data")})
    parser = RawConfigParser()
    parser.read_string(
        settings(layout, [Program("web", ["/a b/o'python", "-m", "x%y"], 500, 8400, stop_seconds=7)])
    )
    web = parser["program:web"]
    assert shlex.split(web["command"].replace("%%", "%")) == ["/a b/o'python", "-m", "x%y"]
    assert web["priority"] == "500"
    assert web["stopwaitsecs"] == "7"
    assert web["autostart"] == "false"
    assert web["stdout_logfile"].endswith("/my data/logs/web.log")
    assert parser["unix_http_server"]["chmod"] == "0700"


def test_a_program_starts_without_passwords_that_it_does_not_need(tmp_path: Path) -> None:
    layout = read_layout({"WEIR_DATA_DIR": str(tmp_path)})
    parser = RawConfigParser()
    parser.read_string(settings(layout, programs(layout)))
    with_passwords = {"web", "worker", "beat", "relay", "demo"}
    for name in parser.sections():
        if name.startswith("program:"):
            given = parser[name].get("environment", "")
            assert ('REDIS_URL=""' in given) == (name.removeprefix("program:") not in with_passwords)


def test_a_missing_supervisor_does_not_answer(tmp_path: Path) -> None:
    assert not Supervisor(tmp_path / "none.sock").answers
