"""Ivy goes through the proxy that pip and npm take from the environment."""

import subprocess
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from weir.embedded.java_proxies import proxy_options

OWN = "localhost|127.*|[::1]"
FETCH = """
public class Fetch {
  public static void main(String[] a) throws Exception {
    System.out.write(new java.net.URL(a[0]).openStream().readAllBytes());
    System.out.flush();
  }
}
"""


@pytest.mark.parametrize(
    ("environment", "options"),
    [
        ({}, []),
        ({"no_proxy": "example.org"}, []),
        (
            {"https_proxy": "http://proxy.invalid:3128"},
            [
                "-Dhttps.proxyHost=proxy.invalid",
                "-Dhttps.proxyPort=3128",
                f"-Dhttp.nonProxyHosts={OWN}",
            ],
        ),
        (
            {"HTTP_PROXY": "proxy.invalid:8080", "NO_PROXY": "a.invalid, .b.invalid"},
            [
                "-Dhttp.proxyHost=proxy.invalid",
                "-Dhttp.proxyPort=8080",
                f"-Dhttp.nonProxyHosts={OWN}|a.invalid|*.b.invalid",
            ],
        ),
        (
            {"http_proxy": "http://ann:secret@proxy.invalid/"},
            ["-Dhttp.proxyHost=proxy.invalid", "-Dhttp.proxyPort=80", f"-Dhttp.nonProxyHosts={OWN}"],
        ),
    ],
)
def test_options_of_an_environment(environment: dict[str, str], options: list[str]) -> None:
    assert proxy_options(environment) == options


def test_a_jvm_with_them_asks_the_proxy(tmp_path: Path) -> None:
    class Proxy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"asked for {self.path}".encode())

        def log_message(self, *_: object) -> None:
            pass

    source = tmp_path / "Fetch.java"
    source.write_text(FETCH)
    with HTTPServer(("127.0.0.1", 0), Proxy) as server:
        Thread(target=server.serve_forever).start()
        options = proxy_options({"http_proxy": f"http://127.0.0.1:{server.server_port}"})
        done = subprocess.run(
            ["java", *options, str(source), "http://jars.invalid/a.jar"],
            capture_output=True,
            text=True,
            check=False,
        )
        server.shutdown()
    assert done.stdout == "asked for http://jars.invalid/a.jar", done.stderr
