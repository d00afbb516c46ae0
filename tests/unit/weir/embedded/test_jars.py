"""A jar with a wrong checksum is never kept."""

import hashlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from weir.embedded import jars


@pytest.fixture
def jvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(jars, "JVM", tmp_path)
    (tmp_path / "SHA256SUMS").write_text(f"{hashlib.sha256(b'good').hexdigest()}  spark/a-1.jar\n")
    return tmp_path


def _resolves_to(monkeypatch: pytest.MonkeyPatch, jvm: Path, content: bytes) -> None:
    def resolve(java: str, sets: tuple[str, ...], commands: object) -> None:
        (jvm / "lib" / "spark").mkdir(parents=True)
        (jvm / "lib" / "spark" / "a-1.jar").write_bytes(content)

    monkeypatch.setattr(jars, "resolve", resolve)


def test_right_jars_are_kept_and_not_resolved_again(jvm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _resolves_to(monkeypatch, jvm, b"good")
    assert jars.install_jars()
    assert not jars.install_jars()
    assert jars.complete()


def test_a_wrong_jar_is_named_and_removed(jvm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _resolves_to(monkeypatch, jvm, b"changed")
    with pytest.raises(jars.JarError, match=r"spark/a-1\.jar"):
        jars.install_jars()
    assert not list((jvm / "lib").rglob("*.jar"))


def test_a_foreign_jar_in_the_folder_is_removed(jvm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _resolves_to(monkeypatch, jvm, b"good")
    (jvm / "lib" / "spark").mkdir(parents=True)
    (jvm / "lib" / "spark" / "foreign.jar").write_bytes(b"x")
    assert jars.install_jars()
    assert [path.name for path in (jvm / "lib").rglob("*.jar")] == ["a-1.jar"]


def test_every_dependency_is_pinned_to_one_version_and_has_a_sum() -> None:
    dependencies = ElementTree.parse(jars.JVM / "ivy.xml").getroot().findall("./dependencies/dependency")
    files = {
        f"{each.attrib['conf'].partition('->')[0]}/{each.attrib['name']}-{each.attrib['rev']}.jar"
        for each in dependencies
    }
    assert files == set(jars.read_sums(jars.JVM / "SHA256SUMS"))
    assert not [
        each.attrib["rev"]
        for each in dependencies
        if set("[](),+") & set(each.attrib["rev"]) or "latest" in each.attrib["rev"]
    ]


def test_the_brokers_clients_stay_off_sparks_class_path() -> None:
    names = jars.read_sums(jars.JVM / "SHA256SUMS")
    assert [name for name in names if name.startswith("spark/kafka-clients")] == [
        "spark/kafka-clients-3.9.2.jar"
    ]
