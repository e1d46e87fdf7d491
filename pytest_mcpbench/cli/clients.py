"""``mcpbench clients``: list the profiles of MCP clients, with the source and age of each value, or check them."""

import argparse
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_mcpbench.cli.output import write_text
from pytest_mcpbench.clients.profile import NAMES, ClientProfile, load_profile
from pytest_mcpbench.reporting.forms.display_text import terminal_safe

if TYPE_CHECKING:
    from pytest_mcpbench.clients.check import ClientCheck


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "clients",
        nargs="*",
        metavar="NAME|FILE",
        help="profile to show with its sources (default: a line for each); after `check`, client to run and compare",
    )
    parser.add_argument("--json", action="store_true", help="write JSON")


def run(options: argparse.Namespace) -> int:
    if options.clients[:1] == ["check"]:
        # Here, because it brings the programs that are agents, and with them mcp.
        from pytest_mcpbench.clients.check import CHECKED, check_client

        exit_code = 0
        for name, profile in {each: load_profile(each, Path.cwd()) for each in options.clients[1:] or CHECKED}.items():
            outcome = check_client(name, profile)
            write_text((terminal_safe(f"{line}\n") for line in check_lines(outcome)), None)
            exit_code |= int(outcome.differs)
        return exit_code
    profiles = {name: load_profile(name, Path.cwd()) for name in options.clients or NAMES}
    today = datetime.now(UTC).date()
    if options.json:
        content = {name: profile.model_dump(mode="json") for name, profile in profiles.items()}
        write_text([json.dumps(content, indent=2, ensure_ascii=False), "\n"], None)
        return 0
    lines = _details(profiles, today) if options.clients else _overview(profiles, today)
    write_text((terminal_safe(f"{line}\n") for line in lines), None)
    return 0


def check_lines(outcome: "ClientCheck") -> Iterator[str]:
    """Yield the version of the program, and each value of the profile beside what the program sends."""
    is_same = outcome.version == outcome.checked_with
    yield f"{outcome.name} {outcome.version}" + (
        "" if is_same else f": not checked before, the profile is of {outcome.checked_with or 'no version'}"
    )
    for line in outcome.lines:
        stated = "not in the profile" if line.stated is None else json.dumps(line.stated)
        if line.differs:
            yield f"  {line.name}: {stated}, but the program sends {json.dumps(line.observed)}"
        else:
            yield f"  {line.name}: {stated}, {'as sent' if line.observed is not None else 'not observed'}"


def _overview(profiles: dict[str, ClientProfile], today: date) -> Iterator[str]:
    width = max(map(len, profiles))
    for name, profile in profiles.items():
        version = f" {profile.version}" if profile.version else ""
        age = f", oldest {_age(profile.oldest, today)}" if profile.oldest else ""
        yield f"{name:{width}}  {profile.title}{version}: {len(profile.values)} values{age}"


def _details(profiles: dict[str, ClientProfile], today: date) -> Iterator[str]:
    for name, profile in profiles.items():
        yield f"{name}: {profile.title}{f' {profile.version}' if profile.version else ''}"
        for field, each in profile.values.items():
            yield f"  {field} = {json.dumps(each.value)}"
            yield f"    {each.date}, {_age(each.date, today)}: {each.source}"
        if warning := profile.age_warning(today):
            yield f"  {warning}"


def _age(day: date, today: date) -> str:
    days = (today - day).days
    return f"{days} days old" if days != 1 else "1 day old"
