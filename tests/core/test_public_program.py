"""Programs as reports show them: nothing of a server's arguments but its packages."""

import pytest

from pytest_mcpbench.core.secret_sources import public_program


@pytest.mark.parametrize(
    ("command", "arguments", "shown"),
    [
        ("npx", ["-y", "@wonderwhy-er/desktop@0.2.10", "{sandbox}"], "@wonderwhy-er/desktop@0.2.10"),
        ("uvx", ["--exclude-newer", "2026-07-15", "mcp-server-git==2026.1.14"], "mcp-server-git==2026.1.14"),
        ("uvx", ["--from", "mcp[cli]==1.0rc1", "--with", "httpx@0.28.0b2", "run"], "mcp[cli]==1.0rc1, httpx@0.28.0b2"),
        ("sh", ["-c", "cd x && exec npx -y code@1.7"], "code@1.7"),
        ("npx", ["-y", "@scope/postgres", "postgresql://ann:pw@10.0.0.1/db"], "@scope/postgres"),
        ("/usr/bin/npx", ["-y", "mail", "ann@163.com", "root@10.1.2.3"], "mail"),
        ("uvx", ["--exclude-newer", "2026-07-15", "mcp-server-git", "--password", "pw"], "mcp-server-git"),
        ("/opt/bin/serve", ["--user", "root@10.1.2.3", "hunter2"], "serve"),
        ("npx", ["-y", "https://ann:pw@10.0.0.1/x.tgz"], "npx"),
        ("npx", ["-y", "@scope/browser@latest", "--api-key", "hunter2"], "@scope/browser@latest"),
        ("npx", ["--token", "hunter2", "server@^1.2", "tok_9f8a7b6c"], "server@^1.2"),
        ("npx", ["-y", "pg@1.2.3", "--password", "Passw0rd@1"], "pg@1.2.3"),
        ("uvx", ["--env-file", "my.env", "server"], "server"),
    ],
)
def test_the_packages_of_a_command_are_shown_and_no_other_argument(
    command: str, arguments: list[str], shown: str
) -> None:
    assert public_program(command, tuple(arguments)) == shown
