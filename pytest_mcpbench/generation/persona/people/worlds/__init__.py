"""Trees of the apps of one person, built from the short form in the person's file."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.persona.people.profile import Profile
from pytest_mcpbench.generation.persona.people.worlds.chats import discord, slack, telegram, wecom
from pytest_mcpbench.generation.persona.people.worlds.documents import notion, obsidian
from pytest_mcpbench.generation.persona.people.worlds.lark import lark
from pytest_mcpbench.generation.persona.people.worlds.mail import gmail, universal_email
from pytest_mcpbench.generation.persona.people.worlds.social_networks import instagram, reddit, rednote
from pytest_mcpbench.generation.persona.people.worlds.world import SampledWorld
from pytest_mcpbench.simulated.cast import Person
from pytest_mcpbench.simulated.instagram.seed import account
from pytest_mcpbench.simulated.notion.seed import user_id as notion_id
from pytest_mcpbench.simulated.xiaohongshu.seed import user_id as rednote_id
from pytest_mcpbench.text.suggestions import hint

__all__ = ["SampledWorld", "people_names", "worlds_of"]

_BUILDERS: Mapping[str, Callable[[Profile, Mapping[str, Any]], SampledWorld]] = MappingProxyType(
    {
        "discord": discord,
        "gmail": gmail,
        "instagram": instagram,
        "lark_mcp": lark,
        "notion": notion,
        "obsidian": obsidian,
        "reddit": reddit,
        "slack": slack,
        "telegram": telegram,
        "universal_email": universal_email,
        "wecome": wecom,
        "xiaohongshu": rednote,
    }
)


def worlds_of(profile: Profile) -> dict[str, SampledWorld]:
    """Return the world of each of the person's apps. Raises ``TaskError``."""
    worlds = {}
    for app, content in profile.apps.items():
        if app not in _BUILDERS:
            raise TaskError("there is no such app.", profile.place, f"apps.{app}", remedy=hint(app, _BUILDERS))
        try:
            worlds[app] = _BUILDERS[app](profile, content)
        except KeyError as error:
            raise TaskError(f"the field {error} is missing.", profile.place, f"apps.{app}") from error
        except ValueError as error:
            raise TaskError(f"{error}.", profile.place, f"apps.{app}") from error
    return worlds


def people_names(people: Mapping[str, Person], me: Person) -> dict[str, Any]:
    """Return the ids of people in the apps, by ``person/app``; ``me`` is the person whose worlds these are."""
    return {
        f"{key}/{app}": each
        for key, person in {**people, "me": me}.items()
        for app, each in {
            "discord": person.discord_id,
            "email": person.email,
            "instagram": account(person)["id"],
            "lark": person.lark_open_id,
            "lark_user": person.lark_user_id,
            "notion": notion_id(person),
            "rednote": rednote_id(person),
            "slack": person.slack_id,
            "telegram": person.telegram_id,
            "wecom": person.wecom_id,
        }.items()
    }
