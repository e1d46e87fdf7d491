"""Environment variables of a program; few are inherited, so that it gets no keys but its own."""

import os
from collections.abc import Iterable, Mapping

from pytest_mcpbench.runtime.servers.environment import server_environment

NETWORK_VARIABLES = (
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)
"""Variables without which nobody behind a proxy reaches the provider of a model."""
_LOOPBACK = ("127.0.0.1", "localhost")


def program_environment(variables: Iterable[str], configured: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a program: inherited ones, those that it may have, and those of its configuration."""
    passed = {name: os.environ[name] for name in (*NETWORK_VARIABLES, *variables) if name in os.environ}
    # Its requests to the proxies of servers must not leave this machine.
    direct = {name: _with_loopback(os.environ.get(name, "")) for name in ("NO_PROXY", "no_proxy")}
    return server_environment({**passed, **direct, **configured})


def _with_loopback(hosts: str) -> str:
    return ",".join(dict.fromkeys((*filter(None, hosts.split(",")), *_LOOPBACK)))
