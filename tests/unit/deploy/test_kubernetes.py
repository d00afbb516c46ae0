"""deploy/kubernetes: what Kubernetes would take, and what docker-compose.yml says, too."""

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.support.compose_file import compose_file, image_command

FOLDER = Path(__file__).parents[3] / "deploy" / "kubernetes"
FILES = sorted(FOLDER.glob("*.yaml"))
DOCUMENTS = [document for file in FILES for document in yaml.safe_load_all(file.read_text())]
SETTINGS = (FOLDER.parents[1] / "platform" / "weir" / "project" / "settings.py").read_text()
VERSIONS = ("1.32", "1.37")
ROLES = ("web", "worker", "beat", "relay", "engine-host")
MADE_BY_HAND = {"weir-keys", "weir-addresses", "weir-valkey", "weir-tls"}


def named(kind: str) -> dict[str, Any]:
    return {each["metadata"]["name"]: each for each in DOCUMENTS if each["kind"] == kind}


def pods() -> dict[str, Any]:
    """Pod templates by the name of what makes them."""
    found = {**named("Deployment"), **named("StatefulSet"), **named("Job")}
    return {name: each["spec"]["template"] for name, each in found.items()}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_it_fits_the_schemas_of_the_api(file: Path, version: str) -> None:
    for document in yaml.safe_load_all(file.read_text()):
        kubernetes_validate.validate(document, version, strict=True)


def test_a_fault_would_be_found() -> None:
    spoiled = yaml.safe_load((FOLDER / "worker.yaml").read_text())
    spoiled["spec"]["replica"] = spoiled["spec"].pop("replicas")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(spoiled, VERSIONS[-1], strict=True)


@pytest.mark.parametrize("role", ROLES)
def test_a_role_runs_what_compose_runs(role: str) -> None:
    container = pods()[role]["spec"]["containers"][0]
    queue = re.compile(r"engines\.(engine-host|\$\(POD_NAME\))")
    told = [queue.sub("engines", part) for part in container.get("command", [])]
    assert told == [
        queue.sub("engines", part) for part in compose_file()["services"][role].get("command", [])
    ]


def test_every_setting_of_compose_is_given_and_is_known() -> None:
    told = set(named("ConfigMap")["weir"]["data"])
    assert set(compose_file()["x-weir"]["environment"]) <= told | {
        "DATABASE_URL",
        "RESULTS_DATABASE_URL",
        "REDIS_URL",
        "EMAIL_URL",
    }
    assert {name for name in told if f'"{name}"' not in SETTINGS} == set()


def test_what_is_named_exists() -> None:
    for name, pod in pods().items():
        spec = pod["spec"]
        volumes = {volume["name"]: volume for volume in spec.get("volumes", [])}
        claimed = named("StatefulSet").get(name, {}).get("spec", {}).get("volumeClaimTemplates", [])
        known = set(volumes) | {claim["metadata"]["name"] for claim in claimed}
        containers = [*spec.get("initContainers", []), *spec["containers"]]
        mounted = {mount["name"] for one in containers for mount in one["volumeMounts"]}
        assert mounted == known, name
        secrets = {volume["secret"]["secretName"] for volume in volumes.values() if "secret" in volume}
        sources = [source for one in containers for source in one.get("envFrom", [])]
        secrets |= {source["secretRef"]["name"] for source in sources if "secretRef" in source}
        assert secrets <= MADE_BY_HAND, name
        maps = {source["configMapRef"]["name"] for source in sources if "configMapRef" in source}
        assert maps <= set(named("ConfigMap")), name


def test_every_selector_finds_pods() -> None:
    labels = [pod["metadata"]["labels"] for pod in pods().values()]
    selectors = [each["spec"]["selector"] for each in named("Service").values()]
    selectors += [each["spec"]["selector"]["matchLabels"] for each in named("PodDisruptionBudget").values()]
    selectors += [each["spec"]["podSelector"]["matchLabels"] for each in named("NetworkPolicy").values()]
    for selector in selectors:
        assert any(selector.items() <= of_pod.items() for of_pod in labels), selector


def test_nobody_chooses_an_own_address_or_reaches_the_own_servers() -> None:
    told = named("ConfigMap")["weir"]["data"]
    assert (told["WEIR_NUM_PROXIES"], told["WEIR_PRIVATE_CLUSTERS"]) == ("1", "false")
    (rule,) = named("NetworkPolicy")["people-to-web"]["spec"]["ingress"]
    assert rule["from"], "with a trusted proxy, only that proxy may reach `web`"


def test_nothing_runs_as_root_or_holds_a_password() -> None:
    for name, pod in pods().items():
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True, name
        for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]:
            assert container["securityContext"]["allowPrivilegeEscalation"] is False, name
            assert container["resources"]["limits"]["memory"], name
    assert named("Secret") == {}
    assert not [file.name for file in FILES if re.search(r"password\s*:\s*\S", file.read_text(), re.I)]


def test_there_is_one_of_what_must_be_one() -> None:
    for name in ("beat", "relay"):
        deployment = named("Deployment")[name]["spec"]
        assert (deployment["replicas"], deployment["strategy"]["type"]) == (1, "Recreate")
    hosts = named("StatefulSet")["engine-host"]["spec"]
    assert hosts["replicas"] == 1, "as long as each pod has checkpoints of its own"
    assert "checkpoints" in {claim["metadata"]["name"] for claim in hosts["volumeClaimTemplates"]}


def test_each_engine_host_serves_a_queue_of_its_own_and_the_first_is_that_of_the_settings() -> None:
    container = named("StatefulSet")["engine-host"]["spec"]["template"]["spec"]["containers"][0]
    told = {one["name"]: one.get("value") for one in container["env"]}
    assert told["WEIR_HOST_QUEUE"] in container["command"]
    first = told["WEIR_HOST_QUEUE"].replace("$(POD_NAME)", "engine-host-0")
    assert named("ConfigMap")["weir"]["data"]["WEIR_HOST_QUEUE"] == first


def test_a_pod_outlives_what_its_processes_are_given_to_end() -> None:
    command = image_command()
    graceful_s = int(command[command.index("--graceful-timeout") + 1])
    assert graceful_s < pods()["web"]["spec"]["terminationGracePeriodSeconds"]
    assert pods()["engine-host"]["spec"]["shareProcessNamespace"] is True, (
        "somebody takes note of ended engines"
    )
