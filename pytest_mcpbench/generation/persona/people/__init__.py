"""People with worlds of their own, parsed from the YAML files in the suite's ``source/people/``.

A file describes one person::

    key: amara.diallo
    about: Amara Diallo, pharmacist in Lagos (UTC+1)
    people: {tunde.bello: Assistant pharmacist}     # everyone else in this person's worlds
    apps:
      telegram: {shop: {title: Marina Pharmacy, members: [tunde.bello], lines: [[tunde.bello, 03-01 18:20, Hello]]}}
    tasks:
      - kind: telegram_single
        ask: Tell the pharmacy's group that I am late.
        steps:
          - telegram send_message: {chat_id: $telegram/shop, message: I am late.}
            to: write to the group
            creates: chats[$telegram/shop].messages
            says: [late]

``apps`` is a short form of the worlds: :mod:`~pytest_mcpbench.generation.persona.people.worlds` builds the apps' trees
from it and gives names to ids. ``$telegram/shop`` in a task is the id of that chat, ``$telegram/shop#1`` that of its
first line, and ``$tunde.bello/telegram`` the id of a person. Times without a year are in 2026 and in UTC.

A step is a reference call with its purpose. ``finds`` names values that a lookup must find; ``creates``, ``changes``
and ``deletes`` name the collection of a change, with ``entity``, ``fields`` and the facts that it ``says``.
"""

from collections.abc import Iterator
from pathlib import Path

from pytest_mcpbench.generation.directories import suite_directory
from pytest_mcpbench.generation.persona.people.profile import Profile, read_profile
from pytest_mcpbench.generation.persona.people.tasks import requests_of
from pytest_mcpbench.generation.persona.request import Request


def profiles(directory: Path | None = None) -> Iterator[Profile]:
    """Yield the people, in the order of their files."""
    source = directory or suite_directory("persona") / "source" / "people"
    return (read_profile(file) for file in sorted(source.glob("*.yaml")))


def requests() -> list[Request]:
    """Return the requests of all people."""
    return [request for profile in profiles() for request in requests_of(profile)]
