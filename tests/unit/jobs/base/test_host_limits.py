"""What a container may use is not what its host has."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from jobs.base.host_limits import HostLimits

GIB = 1 << 30
CORES = len(os.sched_getaffinity(0))
PRINT = (
    "import json, sys; from jobs.base.host_limits import HostLimits; sys.stdin.read(); found = HostLimits();"
    "print(json.dumps([found.cores(), found.memory_available(1 << 60), found.processor_time()]))"
)


def limits(folder: Path, membership: str, files: dict[str, str]) -> HostLimits:
    """A process with this membership, in groups with these files."""
    (folder / "membership").write_text(membership)
    (folder / "groups").mkdir()
    for name, text in files.items():
        file = folder / "groups" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return HostLimits(folder / "groups", folder / "membership")


def test_without_limits_it_is_what_the_host_has(tmp_path: Path) -> None:
    found = limits(
        tmp_path, "0::/user.slice\n", {"user.slice/cpu.max": "max 100000", "user.slice/memory.max": "max"}
    )
    assert found.cores() == CORES
    assert found.memory_available(7 * GIB) == 7 * GIB
    assert found.processor_time() is None


def test_without_control_groups_too(tmp_path: Path) -> None:
    found = HostLimits(tmp_path / "nowhere", tmp_path / "nothing")
    assert (found.cores(), found.memory_available(GIB), found.processor_time()) == (CORES, GIB, None)


def test_in_a_container(tmp_path: Path) -> None:
    files = {
        "cpu.max": "150000 100000",
        "cpu.stat": "usage_usec 2500000\nuser_usec 2000000",
        "memory.max": str(8 * GIB),
        "memory.current": str(5 * GIB),
        "memory.stat": f"anon {4 * GIB}\ninactive_file {GIB}\nactive_file 0",
    }
    found = limits(tmp_path, "0::/\n", files)
    assert found.cores() == 1
    assert found.processor_time() == 2.5
    assert found.memory_available(60 * GIB) == 4 * GIB, "the file cache that nobody uses is not counted"
    assert found.memory_available(3 * GIB) == 3 * GIB, "the host may have less than the container is allowed"


def test_the_narrowest_of_the_groups_around_counts(tmp_path: Path) -> None:
    files = {
        "weir.slice/cpu.max": "50000 100000",
        "weir.slice/cpu.stat": "usage_usec 9000000",
        "weir.slice/memory.max": str(4 * GIB),
        "weir.slice/memory.current": str(3 * GIB),
        "weir.slice/worker.service/cpu.max": "400000 100000",
        "weir.slice/worker.service/cpu.stat": "usage_usec 1000000",
        "weir.slice/worker.service/memory.max": "max",
        "weir.slice/worker.service/memory.current": str(GIB),
    }
    found = limits(tmp_path, "0::/weir.slice/worker.service\n", files)
    assert (found.cores(), found.processor_time()) == (1, 9.0)
    assert found.memory_available(60 * GIB) == GIB


def test_more_than_the_limit_may_be_in_use(tmp_path: Path) -> None:
    found = limits(tmp_path, "0::/\n", {"memory.max": str(GIB), "memory.current": str(2 * GIB)})
    assert found.memory_available(GIB) == 0


def test_in_a_container_of_version_1_that_does_not_see_its_own_name(tmp_path: Path) -> None:
    files = {
        "cpu/cpu.cfs_quota_us": "200000",
        "cpu/cpu.cfs_period_us": "100000",
        "cpu/cpu.stat": "nr_periods 3",
        "cpuacct/cpuacct.usage": "7000000000",
        "memory/memory.limit_in_bytes": str(2 * GIB),
        "memory/memory.usage_in_bytes": str(2 * GIB),
        "memory/memory.stat": f"inactive_file 0\ntotal_inactive_file {GIB}",
    }
    membership = "5:memory:/docker/4f2c\n4:cpu,cpuacct:/docker/4f2c\n0::/\n"
    found = limits(tmp_path, membership, files)
    assert found.cores() == min(2, CORES)
    assert found.processor_time() == 7.0
    assert found.memory_available(60 * GIB) == GIB


def test_a_host_of_version_1_without_limits(tmp_path: Path) -> None:
    files = {
        "cpu/cpu.cfs_quota_us": "-1",
        "cpu/cpu.cfs_period_us": "100000",
        "memory/memory.limit_in_bytes": "9223372036854771712",
        "memory/memory.usage_in_bytes": str(GIB),
    }
    found = limits(tmp_path, "4:memory:/\n3:cpu:/\n", files)
    assert (found.cores(), found.memory_available(7 * GIB), found.processor_time()) == (CORES, 7 * GIB, None)


@pytest.fixture
def group() -> Iterator[list[Path]]:
    """The folders of a new control group of this host, which limits whoever is in it."""
    root, name = Path("/sys/fs/cgroup"), f"weir-test-{os.getpid()}"
    together = (root / "cgroup.controllers").exists()
    folders = [root / name] if together else [root / each / name for each in ("cpu", "cpuacct", "memory")]
    made = []
    try:
        for folder in folders:
            folder.mkdir()
            made.append(folder)
        if together:
            (folders[0] / "cpu.max").write_text("50000 100000")
            (folders[0] / "memory.max").write_text(str(GIB))
        else:
            (folders[0] / "cpu.cfs_quota_us").write_text("50000")
            (folders[2] / "memory.limit_in_bytes").write_text(str(GIB))
        yield folders
    except OSError as error:
        pytest.skip(f"control groups can't be made here: {error}")
    finally:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()


def test_in_a_real_group(group: list[Path]) -> None:
    with subprocess.Popen([sys.executable, "-c", PRINT], stdin=-1, stdout=-1, text=True) as process:
        for folder in group:
            (folder / "cgroup.procs").write_text(str(process.pid))
        said, _ = process.communicate("")
    cores, available, used = json.loads(said)
    assert cores == 1
    assert GIB / 2 < available < GIB
    assert 0 <= used < 60
