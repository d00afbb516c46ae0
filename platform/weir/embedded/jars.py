"""JVM packages of `jvm/`: resolved by PySpark's Ivy and verified by SHA-256. Standard library only."""

import argparse
import hashlib
import os
import shutil
import sys
from pathlib import Path

from weir.embedded.commands import CommandError, Commands
from weir.embedded.java_proxies import proxy_options
from weir.embedded.layout import REPOSITORY

JVM = REPOSITORY / "jvm"
SETS = ("spark", "patterns", "kafka")  # needed to run Weir
BENCH_SETS = ("streams",)  # needed by bench/ only; `make run` does not fetch it


class JarError(Exception):
    """The packages could not be resolved, or one differs from its checksum; the message says what to do."""


def jars(name: str) -> Path:
    """The folder of a set.

    Args:
        name: ``spark`` or ``patterns`` (Spark's drivers), ``kafka`` (broker), ``streams`` (peer in bench/).
    """
    return JVM / "lib" / name


def install_jars(java: str = "java", sets: tuple[str, ...] = SETS, commands: Commands | None = None) -> bool:
    """Make these sets of `jvm/lib` match `jvm/SHA256SUMS`.

    Args:
        java: the java command.
        sets: the sets to install; others are left alone.
        commands: runs Ivy.

    Returns:
        False when nothing had to be resolved.

    Raises:
        JarError: resolution failed, or a jar differs from its checksum.
    """
    if complete(sets):
        return False
    expected = _expected_sums(sets)
    _remove(sets)
    resolve(java, sets, commands)
    found = sums_of(JVM / "lib", sets)
    wrong = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if wrong:
        _remove(sets)
        raise JarError(
            f"These jars are missing or don't match jvm/SHA256SUMS: {', '.join(wrong)}. "
            "None were kept; check the mirror that they came from."
        )
    return True


def complete(sets: tuple[str, ...] = SETS) -> bool:
    """True when these sets are installed and every checksum matches."""
    return sums_of(JVM / "lib", sets) == _expected_sums(sets)


def resolve(java: str, sets: tuple[str, ...], commands: Commands | None = None) -> None:
    """Resolve these sets of `jvm/ivy.xml` into `jvm/lib` with Ivy.

    Raises:
        JarError: Ivy is missing or failed.
    """
    found = sorted((REPOSITORY / ".venv" / "lib").glob("python3.*/site-packages/pyspark/jars/ivy-2.*.jar"))
    if not found:
        raise JarError("PySpark, which includes Ivy, isn't installed in .venv. Run make run to install it.")
    command = [java, *proxy_options(), "-jar", str(found[-1]), "-ivy", str(JVM / "ivy.xml")]
    command += ["-types", "jar", "bundle", "-confs", *sets]
    command += ["-retrieve", str(JVM / "lib" / "[conf]" / "[artifact]-[revision].[ext]")]
    command += ["-settings", os.environ.get("WEIR_IVY_SETTINGS") or str(JVM / "ivysettings.xml")]
    try:
        (commands or Commands()).run(command)
    except CommandError as error:
        raise JarError(f"Ivy couldn't resolve the packages of jvm/ivy.xml. {error}") from error


def read_sums(path: Path) -> dict[str, str]:
    """Jar (``<set>/<name>.jar``) → SHA-256, read from a file in sha256sum's format."""
    lines = (line.split() for line in path.read_text().splitlines() if line.strip())
    return {name: digest for digest, name in lines}


def sums_of(lib: Path, sets: tuple[str, ...]) -> dict[str, str]:
    """Jar (``<set>/<name>.jar``) → SHA-256 of the jars in a folder."""
    found = (jar for name in sets for jar in sorted((lib / name).glob("*.jar")))
    return {f"{jar.parent.name}/{jar.name}": hashlib.sha256(jar.read_bytes()).hexdigest() for jar in found}


def _remove(sets: tuple[str, ...]) -> None:
    for name in sets:
        shutil.rmtree(JVM / "lib" / name, ignore_errors=True)


def _expected_sums(sets: tuple[str, ...]) -> dict[str, str]:
    return {
        name: digest for name, digest in read_sums(JVM / "SHA256SUMS").items() if name.split("/")[0] in sets
    }


def main() -> None:
    """The command line: resolve and verify; ``--write-sums`` writes the checksums instead."""
    parser = argparse.ArgumentParser(description="Install the JVM packages of jvm/ivy.xml")
    parser.add_argument(
        "--write-sums", action="store_true", help="after a version change: rewrite jvm/SHA256SUMS"
    )
    if parser.parse_args().write_sums:
        every = SETS + BENCH_SETS
        _remove(every)
        resolve("java", every)
        (JVM / "SHA256SUMS").write_text(
            "".join(f"{digest}  {name}\n" for name, digest in sums_of(JVM / "lib", every).items())
        )
        return
    try:
        print("resolved" if install_jars() else "up to date")
    except JarError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
