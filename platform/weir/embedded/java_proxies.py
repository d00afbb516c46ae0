"""The environment's proxies as options of a JVM, which reads no such variables. Standard library only."""

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


def proxy_options(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The options for `http_proxy`, `https_proxy` and `no_proxy`, in either case. A user and a password in a
    proxy's address are left out: options are no secret.

    Args:
        environment: variable → value.
    """
    found = []
    for scheme in ("http", "https"):
        address = _value(environment, f"{scheme}_proxy")
        proxy = urlsplit(address if "://" in address else f"//{address}")
        if proxy.hostname:
            port = proxy.port or _PORTS.get(proxy.scheme, 80)
            found += [f"-D{scheme}.proxyHost={proxy.hostname}", f"-D{scheme}.proxyPort={port}"]
    if found:
        own = ["localhost", "127.*", "[::1]"]
        excepted = [each.strip() for each in _value(environment, "no_proxy").split(",") if each.strip()]
        hosts = [f"*{each}" if each.startswith(".") else each for each in excepted]
        found.append(f"-Dhttp.nonProxyHosts={'|'.join([*own, *hosts])}")
    return found


def _value(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name) or environment.get(name.upper()) or ""
