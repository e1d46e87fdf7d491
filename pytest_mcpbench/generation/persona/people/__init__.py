"""People with worlds of their own, parsed from the YAML files in the suite's ``source/people/``.

A file describes one person::

    key: amara.diallo
    about: Amara Diallo, pharmacist in Lagos (UTC+1)
    people: {tunde.bello: Assistant pharmacist}     # everyone else in this person's worlds
    apps:
      telegram: {shop: {title: Marina Pharmacy, members: [tunde.bello], lines: [[tunde.bello, 03-01 18:20, Hello]]}}
    tasks:
      - number: 1
        kind: telegram_single
        ask: Tell the pharmacy's group that I am late.
        steps:
          - telegram send_message: {chat_id: $telegram/shop, message: I am late.}
            to: write to the group
            creates: chats[$telegram/shop].messages
            says: [late]

``apps`` is a short form of the worlds: :mod:`~pytest_mcpbench.generation.persona.people.worlds` builds the apps' trees
from it and gives names to ids. ``$telegram/shop`` in a task is the id of that chat, ``$telegram/shop#1`` that of its
first line, and ``$tunde.bello/telegram`` the id of a person. Times without a year are in 2026 and in UTC. The functions
in that package describe the short forms; this is the one of Reddit::

      reddit:
        subreddits: {lagosfood: Where to eat in Lagos}
        posts:
          suya:
            in: lagosfood
            by: tunde.bello
            at: 03-01 18:20
            title: Suya in Yaba
            text: Who knows a good place?
            comments:
              - [me, 03-01 19:00, "By the station, until ten.", 12]       # with its points
              - [tunde.bello, 03-01 19:30, Thanks!, 3, 1]                 # answers the first comment

``$reddit/suya`` is the id of the post, ``$reddit/suya#thing`` its full name and ``$reddit/suya#1`` that of the first
comment. ``points``, ``pinned`` and ``locked`` can be added to a post.

The fields of tasks are those of :mod:`~pytest_mcpbench.generation.persona.tasks`.
"""

from collections.abc import Iterator
from pathlib import Path

from pytest_mcpbench.generation.persona.names import Names
from pytest_mcpbench.generation.persona.people.profile import Profile, read_profile
from pytest_mcpbench.generation.persona.people.worlds import people_names, worlds_of
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.generation.persona.tasks import request_of
from pytest_mcpbench.generation.source.files import source_directory


def profiles(directory: Path | None = None) -> Iterator[Profile]:
    """Yield the people, in the order of their files."""
    source = directory or source_directory("persona") / "people"
    return (read_profile(file) for file in sorted(source.glob("*.yaml")))


def requests() -> list[Request]:
    """Return the requests of all people."""
    return [request for profile in profiles() for request in requests_of(profile)]


def requests_of(profile: Profile) -> Iterator[Request]:
    """Yield the requests of a person, in the order of the file."""
    worlds = worlds_of(profile)
    ids = people_names(profile.people, profile.me) | {
        name: each for world in worlds.values() for name, each in world.names.items()
    }
    contexts = {app: world.contexts for app, world in worlds.items()}
    for task in profile.tasks:
        yield request_of(task, Names(ids), person=profile.me.key, about=profile.about, worlds=contexts)
