"""pip's configuration is translated for uv; pip installs where that is not possible."""

import pytest

from weir.embedded.python_packages import uv_options


@pytest.mark.parametrize(
    ("configured", "options"),
    [
        ("", []),
        (
            "global.index-url='https://mirror.invalid/simple'\n",
            ["--default-index", "https://mirror.invalid/simple"],
        ),
        (
            "global.extra-index-url='https://a.invalid/simple https://b.invalid/simple'\n",
            ["--index", "https://a.invalid/simple", "--index", "https://b.invalid/simple"],
        ),
        (
            ":env:.find-links='/wheels'\n:env:.default-timeout='180'\nglobal.find-links='/other'\n",
            ["--find-links", "/wheels"],
        ),
        ("download.index-url='https://other.invalid/simple'\n", []),
    ],
)
def test_settings_of_pip_are_options_of_uv(configured: str, options: list[str]) -> None:
    assert uv_options(configured) == (options, {})


def test_certificates_go_into_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    assert uv_options("global.cert='/etc/certificates.crt'\n") == (
        [],
        {"SSL_CERT_FILE": "/etc/certificates.crt"},
    )


@pytest.mark.parametrize(
    "setting",
    ["no-index='true'", "proxy='http://proxy.invalid'", "client-cert='/c.pem'", "trusted-host='a.invalid'"],
)
def test_settings_without_an_equivalent_in_uv_are_left_to_pip(setting: str) -> None:
    assert uv_options(f"global.{setting}\n") is None
