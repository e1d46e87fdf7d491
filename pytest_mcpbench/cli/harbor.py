"""``mcpbench harbor``: what the containers of exported tasks of Harbor run."""

import argparse

from pytest_mcpbench.attempt.harbor_connection import connect, root
from pytest_mcpbench.core.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=("connect", "score", "solve", "serve"),
        help="connect to a server of the attempt, which the first connection starts; end the attempt and write its "
        "reward; play the reference; hold the servers (which the others start)",
    )
    parser.add_argument("server", nargs="?", help="connect: name of the server")


def run(options: argparse.Namespace) -> int:
    if options.action == "connect":
        if options.server is None:
            raise UsageError("mcpbench harbor connect needs the name of a server.")
        connect(options.server)
    import anyio

    # Connections, of which an attempt may have many, do not import it.
    from pytest_mcpbench.attempt import harbor

    if options.action == "score":
        verdict = harbor.verdict()
        directory = root() / "logs" / "verifier"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "verdict.json").write_text(verdict.model_dump_json(indent=2), encoding="utf-8")
        for reason in verdict.reasons:
            print(reason)
        if verdict.reward is None:
            # Harbor reports a trial without a reward as an error.
            return 1
        # One number and no more: Harbor computes pass@k for tasks with a single reward only.
        (directory / "reward.txt").write_text(f"{verdict.reward}\n", encoding="utf-8")
        return 0
    if options.action == "serve":
        anyio.run(harbor.serve)
        return 0
    file = root() / harbor.ANSWER
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(anyio.run(harbor.solve), encoding="utf-8")
    return 0
