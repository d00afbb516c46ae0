"""JVM packages of `jvm/`: resolved by the Ivy inside PySpark, each compared with its SHA-256. Standard library only."""

import argparse
import hashlib
import os
import shutil
import sys
from pathlib import Path

from weir.embedded.commands import CommandError, Commands
from weir.embedded.layout import REPOSITORY

JVM = REPOSITORY / "jvm"
SETS = ("spark", "patterns", "kafka")  # what Weir runs on
BENCH_SETS = ("streams",)  # only what bench/ compares with; `make run` does not fetch it


class JarError(Exception):
    """The packages could not be resolved, or one is not what the repository says; the message says which and what to do."""


def jars(name: str) -> Path:
    """The folder of a set: ``spark`` and ``patterns`` for Spark's drivers, ``kafka`` for the broker, ``streams`` for bench/'s peer."""
    return JVM / "lib" / name


def install(java: str = "java", sets: tuple[str, ...] = SETS, commands: Commands | None = None) -> bool:
    """Bring these sets of `jvm/lib` to what `jvm/SHA256SUMS` says.

    Args:
        java: the java command.
        sets: which; the others stay as they are.
        commands: runs Ivy.

    Returns:
        True when something was resolved, False when all was already right.

    Raises:
        JarError: resolution failed, or a jar differs from its sum.
    """
    if complete(sets):
        return False
    wanted = _wanted(sets)
    _remove(sets)
    resolve(java, sets, commands)
    found = sums_of(JVM / "lib", sets)
    wrong = sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))
    if wrong:
        _remove(sets)
        raise JarError(
            f"These jars are missing or don't match jvm/SHA256SUMS: {', '.join(wrong)}. None were kept; check the mirror that they "
            "came from."
        )
    return True


def complete(sets: tuple[str, ...] = SETS) -> bool:
    """True when these sets are there, each jar with its sum."""
    return sums_of(JVM / "lib", sets) == _wanted(sets)


def resolve(java: str, sets: tuple[str, ...], commands: Commands | None = None) -> None:
    """Run Ivy over these sets of `jvm/ivy.xml` into `jvm/lib`.

    Raises:
        JarError: Ivy is not there or did not succeed.
    """
    found = sorted((REPOSITORY / ".venv" / "lib").glob("python3.*/site-packages/pyspark/jars/ivy-2.*.jar"))
    if not found:
        raise JarError("PySpark, which includes Ivy, isn't installed in .venv. Run make run to install it.")
    command = [java, "-jar", str(found[-1]), "-ivy", str(JVM / "ivy.xml"), "-types", "jar", "bundle", "-confs", *sets]
    command += ["-retrieve", str(JVM / "lib" / "[conf]" / "[artifact]-[revision].[ext]")]
    command += ["-settings", os.environ.get("WEIR_IVY_SETTINGS") or str(JVM / "ivysettings.xml")]
    try:
        (commands or Commands()).run(command)
    except CommandError as error:
        raise JarError(f"Ivy couldn't resolve the packages of jvm/ivy.xml. {error}") from error


def read_sums(path: Path) -> dict[str, str]:
    """Jar (with its set, as ``spark/name.jar``) → SHA-256, from a file in the form of sha256sum."""
    lines = (line.split() for line in path.read_text().splitlines() if line.strip())
    return {name: digest for digest, name in lines}


def sums_of(lib: Path, sets: tuple[str, ...]) -> dict[str, str]:
    """The same of what lies in a folder."""
    found = (jar for name in sets for jar in sorted((lib / name).glob("*.jar")))
    return {f"{jar.parent.name}/{jar.name}": hashlib.sha256(jar.read_bytes()).hexdigest() for jar in found}


def _remove(sets: tuple[str, ...]) -> None:
    for name in sets:
        shutil.rmtree(JVM / "lib" / name, ignore_errors=True)


def _wanted(sets: tuple[str, ...]) -> dict[str, str]:
    return {name: digest for name, digest in read_sums(JVM / "SHA256SUMS").items() if name.split("/")[0] in sets}


def main() -> None:
    """Resolve and compare; with ``--write-sums`` resolve and write the sums down instead."""
    parser = argparse.ArgumentParser(description="Install the JVM packages of jvm/ivy.xml")
    parser.add_argument("--write-sums", action="store_true", help="after a version change: rewrite jvm/SHA256SUMS")
    if parser.parse_args().write_sums:
        every = SETS + BENCH_SETS
        _remove(every)
        resolve("java", every)
        (JVM / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sums_of(JVM / "lib", every).items()))
        return
    try:
        print("resolved" if install() else "up to date")
    except JarError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
