"""A person's YAML file becomes worlds and requests, and mistakes in it are told with their place."""

import re
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.generation.persona.people import profiles, requests_of
from pytest_mcpbench.generation.persona.people.profile import Profile, read_profile
from pytest_mcpbench.generation.persona.people.worlds import worlds_of
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.simulated.instagram.seed import account
from pytest_mcpbench.simulated.instagram.server import convert_contexts
from pytest_mcpbench.simulated.notion.seed import user_id
from pytest_mcpbench.simulated.reddit.server import SIMULATION
from tests.simulated.service import Service

STEP: dict[str, Any] = {
    "telegram reply_to_message": {"chat_id": "$telegram/shop", "message_id": "$telegram/shop#1", "text": "At $5."},
    "to": "answer",
    "creates": "chats[$telegram/shop].messages",
    "fields": {"reply_to": "$telegram/shop#1"},
    "says": ["day:2026-03-05", ["late", "later"], 7],
}
CONTENT: dict[str, Any] = {
    "key": "amara.diallo",
    "about": "Amara Diallo, pharmacist in Lagos (UTC+1)",
    "people": {"tunde.bello": "Assistant", "jing.mao": "毛静: Photographer"},
    "apps": {
        "telegram": {
            "shop": {"title": "Shop", "members": ["tunde.bello"], "lines": [["tunde.bello", "03-01 18:20", "Hello"]]}
        }
    },
    "tasks": [{"number": 1, "kind": "telegram_single", "ask": "Answer $tunde.bello/email.", "steps": [STEP]}],
}
POST: dict[str, Any] = {
    "in": "lagosfood",
    "by": "tunde.bello",
    "at": "03-01 18:20",
    "title": "Suya in Yaba",
    "text": "Where?",
    "points": 7,
    "comments": [["me", "03-01 19:00", "By the station.", 12], ["tunde.bello", "03-01 19:30", "Thanks!", 3, 1]],
}
REDDIT = {"subreddits": {"lagosfood": "Where to eat in Lagos"}, "posts": {"suya": POST}}
PROFILES = tuple(profiles())


def _profile(directory: Path, **changes: Any) -> Profile:
    file = directory / "amara.yaml"
    file.write_text(
        yaml.safe_dump({**deepcopy(CONTENT), **changes}, allow_unicode=True, sort_keys=False), encoding="utf-8"
    )
    return read_profile(file)


def _request(directory: Path, **changes: Any) -> Request:
    (request,) = requests_of(_profile(directory, tasks=[{**deepcopy(CONTENT["tasks"][0]), **changes}]))
    return request


def test_names_become_the_ids_of_the_world(tmp_path: Path) -> None:
    request = _request(tmp_path)
    (context,) = request.seeds["telegram"]
    (chat,) = context["data"]["chats"].values()
    (number,) = [key for key, each in chat["messages"].items() if each["text"] == "Hello"]
    (call,) = request.calls
    assert request.prompt == "Answer tunde.bello@post.example."
    assert call.arguments == {"chat_id": chat["id"], "message_id": int(number), "text": "At $5."}
    (checkpoint,) = request.checkpoints
    assert (checkpoint["collection"], checkpoint["fields"]) == (
        f"chats[{chat['id']}].messages",
        {"reply_to": int(number)},
    )


def test_facts_are_spelled_out(tmp_path: Path) -> None:
    (checkpoint,) = _request(tmp_path).checkpoints
    dates, words, number = checkpoint["contains"]
    assert {"5 March", "2026-03-05"} <= set(dates)
    assert (words, number) == (["late", "later"], ["7"])


def test_a_world_has_generated_lines_around_the_written_ones(tmp_path: Path) -> None:
    talk = _profile(tmp_path).conversation("x", {"lines": [["me", "02-28 09:00", "Hello"]]}, _profile(tmp_path).others)
    assert len(talk.lines) > 5
    assert [talk.lines[place].text for place in talk.written] == ["Hello"]
    assert list(talk.lines) == sorted(talk.lines, key=lambda line: line.moment)


def test_posts_and_comments_of_instagram_are_listed_newest_first_and_named_in_the_order_of_the_file(
    tmp_path: Path,
) -> None:
    comments = [
        ["tunde.bello", "02-20 10:00", "Where is it?", [["me", "02-20 11:00", "In Lagos."]]],
        ["jing.mao", "02-21 09:00", "Nice!"],
    ]
    posts = {
        "old": {"at": "02-20 08:00", "text": "The old door", "comments": comments},
        "new": {"at": "02-25 08:00", "text": "The new door", "likes": 7},
    }
    chats = {"tunde.bello": {"lines": [["tunde.bello", "03-02 08:00", "Do you sell it?"]]}}
    profile = _profile(tmp_path, apps={"instagram": {"posts": posts, "chats": chats}})
    world = worlds_of(profile)["instagram"]
    tree = world.contexts[0]["data"]
    new, old = tree["media"].values()
    assert [(each["caption"], each["like_count"]) for each in (new, old)] == [("The new door", 7), ("The old door", 40)]
    assert [world.names["instagram/old#2"], world.names["instagram/old#1"]] == list(old["comments"])
    (reply,) = old["comments"][world.names["instagram/old#1"]]["replies"].values()
    assert (reply["text"], reply["username"]) == ("In Lagos.", "amara_diallo")
    conversation = tree["conversations"][world.names["instagram/tunde.bello"]]
    message = conversation["messages"][world.names["instagram/tunde.bello#1"]]
    assert (message["message"], message["to"]) == ("Do you sell it?", [account(profile.me)])
    assert convert_contexts(tree) is tree


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ask": "Write to $tunde.belo/email."}, "amara.yaml:17: nothing is called $tunde.belo/email"),
        (
            {"steps": [{**STEP, "entity": "$telegram/shp"}]},
            "nothing is called $telegram/shp. Did you mean 'telegram/shop'?",
        ),
        (
            {"steps": [{"telegram list_chats": {}}]},
            "amara.yaml:21: tasks[0].steps[0].to: is missing.",
        ),
        (
            {"steps": [{"list_chats": {}, "to": "look"}]},
            "amara.yaml:21: tasks[0].steps[0]: a step has one key `server tool` with the arguments, not none.",
        ),
    ],
)
def test_a_mistake_in_a_task_is_told_with_its_place(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError, match=re.escape(message)):
        _request(tmp_path, **changes)


@pytest.mark.parametrize(
    ("apps", "message"),
    [
        (
            {"telegram": {"shop": {"title": "Shop", "members": ["tunde.belo"]}}},
            "amara.yaml:1: apps: nobody is called 'tunde.belo'. Did you mean 'tunde.bello'?",
        ),
        ({"telegramm": {}}, "amara.yaml:1: apps.telegramm: there is no such app. Did you mean 'telegram'?"),
        ({"gmail": {"mails": {"a": {"subject": "Hi"}}}}, "amara.yaml:1: apps.gmail: the field 'from' is missing."),
        (
            {"instagram": {"posts": {"door": {"at": "02-20 08:00"}}}},
            "amara.yaml:1: apps.instagram: the field 'text' is missing.",
        ),
        (
            {"telegram": {"shop": {"title": "Shop", "members": [], "lines": [["me", "noon", "Hi"]]}}},
            "amara.yaml:1: apps.telegram: Invalid isoformat string: '2026-noon'.",
        ),
        (
            {"reddit": {"subreddits": {}, "posts": {"a": {**POST, "comments": [["me", "03-01", "Hi", 1, 1]]}}}},
            "amara.yaml:1: apps.reddit: there is no comment 1 before 'Hi'.",
        ),
    ],
)
def test_a_mistake_in_the_worlds_is_told_with_the_app(tmp_path: Path, apps: dict[str, Any], message: str) -> None:
    with pytest.raises(TaskError, match=re.escape(message)):
        worlds_of(_profile(tmp_path, apps=apps))


def test_posts_and_comments_of_reddit_are_read_by_its_tools(tmp_path: Path) -> None:
    world = worlds_of(_profile(tmp_path, apps={"reddit": REDDIT}))["reddit"]
    reddit = Service(SIMULATION, world.contexts[0]["data"])
    (post,) = reddit.call("retrieve_reddit_post", subreddit="lagosfood")["data"]["children"]
    assert post["data"]["name"] == world.names["reddit/suya#thing"] == f"t3_{world.names['reddit/suya']}"
    assert {"author": "tunde_bello", "score": 7, "num_comments": 2, "locked": False}.items() <= post["data"].items()
    _, comments = reddit.call("retrieve_post_comments", article=world.names["reddit/suya"])["data"]["listings"]
    (first,) = comments["data"]["children"]
    (answer,) = first["data"]["replies"]["data"]["children"]
    assert (first["data"]["author"], first["data"]["score"]) == ("amara_diallo", 12)
    assert [each["data"]["name"] for each in (first, answer)] == [world.names[f"reddit/suya#{n}"] for n in (1, 2)]


def test_a_page_has_its_author_and_the_time_of_its_last_edit(tmp_path: Path) -> None:
    pages = {
        "rota": {"title": "Rota", "blocks": [["paragraph", "Tunde"]]},
        "log": {"title": "Log", "by": "tunde.bello", "at": "02-14 17:00", "blocks": [["paragraph", "5 degrees"]]},
    }
    profile = _profile(tmp_path, apps={"notion": pages})
    stamps = [
        (each["last_edited_time"], each["last_edited_by"]["id"])
        for context in worlds_of(profile)["notion"].contexts
        for each in (context["data"]["page"], *context["data"]["blocks"].values())
    ]
    mine = ("2026-02-20T08:15:00.000Z", user_id(profile.me))
    his = ("2026-02-14T17:00:00.000Z", user_id(profile.person("tunde.bello")))
    assert stamps == [mine, mine, his, his]


def test_only_those_who_write_on_a_discord_server_make_small_talk_there(tmp_path: Path) -> None:
    channels = {"quiz": {"lines": [["jing.mao", "03-01 18:20", "Who comes?"]]}, "sale": {"about": "the sale"}}
    profile = _profile(tmp_path, apps={"discord": {"name": "Library", "channels": channels}})
    (guild,) = worlds_of(profile)["discord"].contexts[0]["data"]["guilds"].values()
    authors = {
        message["author_id"] for channel in guild["channels"].values() for message in channel["messages"].values()
    }
    assert authors == {profile.person("jing.mao").discord_id}
    assert set(guild["members"]) == {each.discord_id for each in profile.people.values()}


def test_everybody_of_a_profile_lives_in_the_city_that_it_names(tmp_path: Path) -> None:
    assert {person.city for person in _profile(tmp_path).people.values()} == {"Lagos"}
    with pytest.raises(TaskError, match=re.escape("amara.yaml:1: about: no city is named. End it like")):
        _profile(tmp_path, about="Amara Diallo, pharmacist")


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.me.key)
def test_a_person_has_several_apps_with_the_same_contacts(profile: Profile) -> None:
    worlds = worlds_of(profile)
    everybody = profile.people.values()
    expected = {
        "telegram": {str(each.telegram_id) for each in everybody},
        "slack": {each.slack_id for each in everybody},
        "lark_mcp": {each.lark_user_id for each in everybody},
        "discord": {each.discord_id for each in everybody},
    }
    assert len(worlds) >= 3
    for app in expected.keys() & worlds.keys():
        assert set(worlds[app].contexts[0]["data"]["users"]) == expected[app]


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.me.key)
def test_two_people_of_a_world_share_a_given_name(profile: Profile) -> None:
    assert max(Counter(each.given_name for each in profile.others).values()) > 1
