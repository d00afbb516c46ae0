"""What an engine's Spark is told about who may speak to it."""

import shlex
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from jobs.connections import ClusterProfile
from jobs.engine import launch
from jobs.engine.launch import MasterSecretError, static_configuration
from tests.support.desired_runs import engine_settings

HOME = ClusterProfile(cluster_id="home", bootstrap="127.0.0.1:9092")
SECRET = "s3cret-" * 6


@pytest.fixture(autouse=True)
def _classes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "weir.jar"
    jar.touch()
    monkeypatch.setattr(launch, "CLASSES_JAR", jar)


def confs(tmp_path: Path, master: str, secret_file: Path | str = "") -> dict[str, str]:
    return static_configuration(
        engine_settings(HOME, tmp_path, master=master, master_secret_file=str(secret_file))
    )


@pytest.fixture
def secret_file(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.touch(mode=0o600)
    file.write_text(f"{SECRET}\n")
    return file


def test_a_standalone_master_is_told_the_secret_and_the_wire_is_encrypted(
    tmp_path: Path, secret_file: Path
) -> None:
    found = confs(tmp_path, "spark://host:7077", secret_file)
    assert (
        found["spark.authenticate"]
        == found["spark.network.crypto.enabled"]
        == found["spark.io.encryption.enabled"]
        == "true"
    )
    assert found["spark.network.crypto.saslFallback"] == "false"
    assert found["spark.authenticate.secret"] == SECRET
    assert SECRET not in found["spark.executor.extraJavaOptions"] + found["spark.driver.extraJavaOptions"]


@pytest.mark.parametrize("master", ["yarn", "k8s://https://host:6443"])
def test_other_masters_make_their_own(tmp_path: Path, master: str) -> None:
    found = confs(tmp_path, master)
    assert found["spark.authenticate"] == found["spark.network.crypto.enabled"] == "true"
    assert "spark.authenticate.secret" not in found


def test_a_local_engine_needs_no_secret(tmp_path: Path) -> None:
    found = confs(tmp_path, "local")
    assert found["spark.authenticate"] == "true"
    assert found["spark.driver.bindAddress"] == "127.0.0.1"


def test_without_a_secret_that_can_be_used_no_engine_starts(tmp_path: Path, secret_file: Path) -> None:
    with pytest.raises(MasterSecretError, match="needs SPARK_SECRET_FILE"):
        confs(tmp_path, "spark://host:7077")
    with pytest.raises(MasterSecretError, match="can't be read"):
        confs(tmp_path, "spark://host:7077", tmp_path / "none")
    secret_file.chmod(0o644)
    with pytest.raises(MasterSecretError, match="0600"):
        confs(tmp_path, "spark://host:7077", secret_file)
    secret_file.chmod(0o600)
    for text in ("", "short", "a b" * 20, 'x" -Dy=z ' * 8):
        secret_file.write_text(text)
        with pytest.raises(MasterSecretError, match="must contain") as refused:
            confs(tmp_path, "spark://host:7077", secret_file)
        assert not text or text not in str(refused.value)


def test_a_folder_with_a_space_is_one_option(tmp_path: Path) -> None:
    folder = tmp_path / 'my "own" data'
    options = shlex.split(confs(folder, "local")["spark.driver.extraJavaOptions"])
    (temporary,) = [each for each in options if each.startswith("-Djava.io.tmpdir=")]
    assert temporary.startswith(f"-Djava.io.tmpdir={folder}/")
    assert f"-XX:ErrorFile={folder}/engines/tests/jvm-crash.log" in options
    assert all(each.startswith("-") for each in options)


@pytest.mark.parametrize("folder", ["c#", "a?b", "50%", "c++", "with space"])
def test_the_configuration_of_the_log_is_found_in_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """Log4j reads a text that begins with `file:` as a URL."""
    file = tmp_path / folder / "log4j2.properties"
    monkeypatch.setattr(launch, "LOG_CONFIGURATION", file)
    options = shlex.split(confs(tmp_path, "local")["spark.driver.extraJavaOptions"])
    (given,) = [each.partition("=")[2] for each in options if each.startswith("-Dlog4j2.configurationFile=")]
    assert unquote(urlsplit(given).path) == str(file)
