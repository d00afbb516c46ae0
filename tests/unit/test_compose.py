"""docker-compose.yml against the compose schema; no container engine is needed."""

import os
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

FILE = Path(__file__).resolve().parents[2] / "docker-compose.yml"
PAGE = FILE.parent / "docs" / "reference" / "compose.md"


def test_it_fits_the_compose_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(FILE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_part_of_the_design_is_there() -> None:
    services = yaml.safe_load(FILE.read_text())["services"]
    assert {"kafka", "valkey", "postgres", "web", "worker", "beat", "relay", "engine-host"} <= set(services)


def test_everything_that_is_mounted_or_awaited_exists() -> None:
    document = yaml.safe_load(FILE.read_text())
    for name, service in document["services"].items():
        assert {volume.partition(":")[0] for volume in service.get("volumes", [])} <= set(
            document["volumes"]
        ), name
        assert set(service.get("depends_on", {})) <= set(document["services"]), name


def test_only_the_web_is_reachable_and_only_on_loopback() -> None:
    services = yaml.safe_load(FILE.read_text())["services"]
    assert {name: service["ports"] for name, service in services.items() if "ports" in service} == {
        "web": ["127.0.0.1:8400:8400"]
    }


def test_no_password_is_an_argument() -> None:
    services = yaml.safe_load(FILE.read_text())["services"]
    for name, service in services.items():
        said = str([service.get("command"), service.get("entrypoint"), service.get("healthcheck")])
        assert "PASSWORD" not in said.upper(), name


def test_clusters_of_workspaces_do_not_lead_to_its_own_servers() -> None:
    told = yaml.safe_load(FILE.read_text())["x-weir"]["environment"]
    assert told["WEIR_PRIVATE_CLUSTERS"] == "${WEIR_PRIVATE_CLUSTERS:-false}"


def test_the_page_says_what_belongs_into_dotenv() -> None:
    told = yaml.safe_load(FILE.read_text())["x-weir"]["environment"]
    taken = set(re.findall(r"\$\{(\w+)", str(told)))
    paragraph = PAGE.read_text().partition("## First start")[2].partition("```")[0]
    assert taken <= set(re.findall(r"`(\w+)`", paragraph))


def test_changed_files_of_settings_reach_their_servers() -> None:
    document, page = yaml.safe_load(FILE.read_text()), PAGE.read_text()
    in_files = re.findall(r"\$\{(\w+)", str([document["configs"], document["secrets"]]))
    assert "KAFKA_PASSWORD" in in_files
    for section in ("## New version", "## Change a password"):
        assert "--force-recreate" in page.partition(section)[2].partition("\n## ")[0], section


def test_kafka_has_no_listener_without_a_user() -> None:
    document = yaml.safe_load(FILE.read_text())
    lines = re.sub(r"\\\n\s*", "", document["configs"]["kafka-server"]["content"]).splitlines()
    server = dict(line.split("=", 1) for line in lines)
    protocols = dict(part.split(":") for part in server["listener.security.protocol.map"].split(","))
    assert {part.split(":")[0] for part in server["listeners"].split(",")} == set(protocols)
    assert set(protocols.values()) == {"SASL_PLAINTEXT"}
    assert "allow.everyone.if.no.acl.found" not in server
    told = document["x-weir"]["environment"]
    assert (told["KAFKA_SECURITY"], told["KAFKA_MECHANISM"], told["KAFKA_USERNAME"]) == (
        "SASL_PLAINTEXT",
        "SCRAM-SHA-512",
        "weir",
    )


@pytest.mark.parametrize("status", [200, 503])
def test_the_web_is_healthy_by_its_own_answer_whatever_proxy_a_container_is_told(status: int) -> None:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    _, *check = yaml.safe_load(FILE.read_text())["services"]["web"]["healthcheck"]["test"]
    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever).start()
        command = [sys.executable, *(part.replace("8400", str(server.server_port)) for part in check[1:])]
        done = subprocess.run(
            command, env=os.environ | {"http_proxy": "http://127.0.0.1:9"}, capture_output=True, check=False
        )
        server.shutdown()
    assert (done.returncode == 0) == (status == 200), done.stderr


def test_roles_end_in_their_own_time_and_leave_no_zombies() -> None:
    services = yaml.safe_load(FILE.read_text())["services"]
    for role in ("web", "worker", "beat", "relay", "engine-host"):
        assert services[role]["init"] is True
        assert int(services[role]["stop_grace_period"].removesuffix("s")) >= 30
    for server in ("kafka", "postgres"):
        assert services[server]["stop_grace_period"] == "60s"


def test_one_service_builds_the_image_of_all_roles_and_every_other_waits_for_it() -> None:
    services = yaml.safe_load(FILE.read_text())["services"]
    assert [name for name, service in services.items() if "build" in service] == ["migrate"]
    for role in ("web", "worker", "beat", "relay", "engine-host"):
        assert services[role]["image"] == services["migrate"]["image"]
        assert services[role]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}


def test_postgresql_is_healthy_when_it_answers_at_its_address() -> None:
    """Through its socket it answers while a first start makes databases, too, and ends after that."""
    check = yaml.safe_load(FILE.read_text())["services"]["postgres"]["healthcheck"]["test"]
    assert check[check.index("-h") + 1] == "127.0.0.1"


def test_no_log_grows_without_bound() -> None:
    document = yaml.safe_load(FILE.read_text())
    for name, service in document["services"].items():
        assert service["logging"]["driver"] == "local", name
        assert {"max-size", "max-file"} == set(service["logging"]["options"]), name
    kafka = document["services"]["kafka"]
    targets = {config["target"] for config in kafka["configs"]}
    assert kafka["environment"]["KAFKA_LOG4J_OPTS"].partition("=")[2] in targets
    assert re.findall(r"type = (\w+)\n", document["configs"]["kafka-logging"]["content"]) == [
        "Console",
        "PatternLayout",
    ]


def test_the_page_says_of_every_volume_whether_to_save_it() -> None:
    page = (FILE.parent / "docs" / "reference" / "compose.md").read_text("utf-8")
    for name in yaml.safe_load(FILE.read_text())["volumes"]:
        assert f"`{name}`" in page, name


def test_links_and_e_mail_can_be_set_as_everything_else() -> None:
    told = yaml.safe_load(FILE.read_text())["x-weir"]["environment"]
    for name in ("WEIR_PUBLIC_URL", "EMAIL_URL", "WEIR_EMAIL_FROM"):
        assert told[name].startswith(f"${{{name}:-")
