"""Requests of the user whom the simulated apps share, parsed from the files in ``source/requests/``."""

import re
from collections.abc import Iterable
from datetime import timedelta, timezone
from typing import Any

from pytest_mcpbench.generation.persona.names import Names
from pytest_mcpbench.generation.persona.people.worlds import people_names
from pytest_mcpbench.generation.persona.request import Request
from pytest_mcpbench.generation.persona.tasks import WrittenTask, request_of
from pytest_mcpbench.generation.source.files import read_entries, source_directory
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.discord.seed import seed as discord_seed
from pytest_mcpbench.simulated.gmail.world import seed as gmail_seed
from pytest_mcpbench.simulated.instagram.seed import account
from pytest_mcpbench.simulated.instagram.seed import seed as instagram_seed
from pytest_mcpbench.simulated.lark.seed import seed as lark_seed
from pytest_mcpbench.simulated.notion.objects import plain_text, title_of
from pytest_mcpbench.simulated.notion.seed import seed as notion_seed
from pytest_mcpbench.simulated.reddit.seed import seed as reddit_seed
from pytest_mcpbench.simulated.slack.seed import seed as slack_seed
from pytest_mcpbench.simulated.telegram.seed import seed as telegram_seed
from pytest_mcpbench.simulated.universal_email.seed import seed as universal_email_seed
from pytest_mcpbench.simulated.xiaohongshu.seed import seed as rednote_seed

# Names of the people, chats, pages and other things in the worlds of the user whom the simulated apps share.

SHANGHAI = timezone(timedelta(hours=8))

Texts = dict[str, dict[Any, str]]


def cast_names() -> Names:
    """Return the names of all apps."""
    ids: dict[str, Any] = people_names({each.key: each for each in CAST.people}, CAST.me)
    texts: Texts = {}
    for add in (_lark, _slack, _telegram, _discord, _gmail, _work_mail, _notion, _rednote, _instagram, _reddit):
        add(ids, texts)
    return Names(ids, texts, SHANGHAI)


def _slug(text: str) -> str:
    """Return a title as it is written in a name: ``Concert calendar`` is ``concert-calendar``."""
    return re.sub(r"\W+", "-", text.lower()).strip("-")


def _numbered(titles: Iterable[tuple[Any, str]]) -> dict[str, Any]:
    """Return ids by the slugs of their titles; the second with the same title gets ``-2``, and so on."""
    named: dict[str, Any] = {}
    seen: dict[str, int] = {}
    for key, title in titles:
        slug = _slug(title)
        seen[slug] = seen.get(slug, 0) + 1
        named[slug if seen[slug] == 1 else f"{slug}-{seen[slug]}"] = key
    return named


def _lark(ids: dict[str, Any], _texts: Texts) -> None:
    world = lark_seed()
    keys = [each.key for group in (CAST.teams, CAST.projects, CAST.people) for each in group]
    chats = {key: "oc_" + CAST.ids(f"lark/chats/{key}").hex(32) for key in keys}
    ids |= {f"lark/{key}": chat for key, chat in chats.items() if chat in world["chats"]}
    owners = {CAST.me.local_name: "", CAST.person("mei.zhao").local_name: "mei.zhao-"}
    owners |= {f"{each.chinese_name} {each.name}": f"{each.key}-" for each in CAST.teams}
    for calendar, content in world["calendars"].items():
        owner = owners[content["summary"]]
        ids[f"lark/{owner}calendar"] = calendar
        events = {(each["description"], each["start_time.timestamp"]): key for key, each in content["events"].items()}
        for meeting in CAST.meetings:
            event = events.get((meeting.title, str(int(meeting.start.timestamp()))))
            if event:
                ids[f"lark/{owner}{meeting.key}"] = event


def _slack(ids: dict[str, Any], texts: Texts) -> None:
    world = slack_seed()
    people = {each.slack_id: each.key for each in CAST.people}
    for channel in world["channels"].values():
        name = f"slack/{channel.get('name') or people[channel['user']]}"
        ids[name] = channel["id"]
        texts[name] = {stamp: each["text"] for stamp, each in channel["messages"].items()}
    ids |= {f"slack/{each['name']}": each["id"] for each in world["files"].values()}


def _telegram(ids: dict[str, Any], texts: Texts) -> None:
    people = {each.telegram_id: each.key for each in CAST.people}
    for chat in telegram_seed()["chats"].values():
        name = f"telegram/{_slug(chat['title']) if 'title' in chat else people[chat['id']]}"
        ids[name] = chat["id"]
        texts[name] = {each["id"]: each["text"] for each in chat["messages"].values()}


def _discord(ids: dict[str, Any], texts: Texts) -> None:
    world = discord_seed()
    people = {each.discord_id: each.key for each in CAST.people}
    (guild,) = world["guilds"].values()
    ids["discord/guild"] = guild["id"]
    for channel in guild["channels"].values():
        name = f"discord/{_slug(channel['name'])}"
        ids[name] = channel["id"]
        texts[name] = {key: each["content"] for key, each in channel.get("messages", {}).items()}
    ids |= {f"discord/{people[each['recipient_id']]}": key for key, each in world["directs"].items()}


def _gmail(ids: dict[str, Any], _texts: Texts) -> None:
    world = gmail_seed()
    latest_first = sorted(world["messages"].values(), key=lambda mail: str(mail["sent_datetime"]), reverse=True)
    mails = _numbered((mail["email_id"], mail["subject"]) for mail in latest_first)
    for name, mail_id in mails.items():
        mail = world["messages"][mail_id]
        ids |= {f"gmail/{name}": mail_id, f"gmail/{name}#thread": mail["thread_id"]}
        ids |= {f"gmail/{name}#attachment": each["attachment_id"] for each in mail["attachments"][:1]}
    ids |= {f"gmail/filter-{_slug(each['criteria']['from'])}": key for key, each in world["filters"].items()}


def _work_mail(ids: dict[str, Any], _texts: Texts) -> None:
    (mailbox,) = universal_email_seed()["accounts"].values()
    latest_first = sorted(mailbox["inbox"].values(), key=lambda mail: str(mail["date"]), reverse=True)
    mails = _numbered((mail["uid"], mail["subject"]) for mail in latest_first)
    ids |= {f"universal_email/{name}": uid for name, uid in mails.items()}


def _notion(ids: dict[str, Any], texts: Texts) -> None:
    world = notion_seed()
    ids |= {f"notion/database-{_slug(plain_text(each['title']))}": key for key, each in world["databases"].items()}
    pages = {
        key: f"notion/{name}" for name, key in _numbered((k, title_of(v)) for k, v in world["pages"].items()).items()
    }
    ids |= {name: key for key, name in pages.items()}
    for block_id, block in world["blocks"].items():
        page = pages.get(str(block["parent"].get("page_id")))
        if page:
            texts.setdefault(page, {})[block_id] = plain_text(block[block["type"]]["rich_text"])
    for comment in world["comments"].values():
        page = pages.get(str(comment["parent"].get("page_id")))
        ids.setdefault(f"{page}#discussion", comment["discussion_id"])


def _rednote(ids: dict[str, Any], _texts: Texts) -> None:
    notes = rednote_seed()["feeds"]
    for name, key in _numbered((key, note["title"]) for key, note in notes.items()).items():
        ids |= {f"rednote/{name}": key, f"rednote/{name}#token": notes[key]["xsec_token"]}


def _instagram(ids: dict[str, Any], texts: Texts) -> None:
    world = instagram_seed()
    people = {account(each)["id"]: each.key for each in CAST.people}
    for name, key in _numbered((key, each["caption"][:40]) for key, each in world["media"].items()).items():
        ids[f"instagram/{name}"] = key
        texts[f"instagram/{name}"] = {k: each["text"] for k, each in world["media"][key]["comments"].items()}
    for key, conversation in world["conversations"].items():
        (other,) = {each["id"] for each in conversation["participants"]} - {account(CAST.me)["id"]}
        ids[f"instagram/{people[other]}"] = key


def _reddit(ids: dict[str, Any], texts: Texts) -> None:
    world = reddit_seed()
    posts = _numbered((key, each["title"]) for key, each in world["posts"].items())
    for name, key in posts.items():
        post = world["posts"][key]
        ids |= {f"reddit/{name}": post["id"], f"reddit/{name}#thing": post["name"]}
        comments = [each for each in world["comments"].values() if each["link_id"] == post["name"]]
        texts[f"reddit/{name}"] = {each["name"]: each["body"] for each in comments}


_ABOUT = "Siyuan Chen (陈思远), product manager at Northlight in Shanghai (UTC+8)"
"""Name and occupation of the user, and the time zone."""


def requests(name: str) -> list[Request]:
    """Return the requests of ``source/requests/NAME.yaml``."""
    names = cast_names()
    written = read_entries(source_directory("persona") / "requests" / f"{name}.yaml", WrittenTask)
    return [request_of(task, names, person=CAST.me.key, about=_ABOUT) for task in written]
