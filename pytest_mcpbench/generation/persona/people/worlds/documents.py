"""Worlds of the apps that hold documents: Obsidian and Notion, in the benchmark's form of one context a document."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pytest_mcpbench.generation.persona.people.profile import Profile, moment
from pytest_mcpbench.generation.persona.people.worlds.world import SampledWorld
from pytest_mcpbench.simulated.notion.objects import edit_stamps, instant, reference, rich_text
from pytest_mcpbench.simulated.notion.seed import page as notion_page
from pytest_mcpbench.simulated.notion.seed import user, user_id

_WRITTEN = moment("02-20 08:15")


def obsidian(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build a vault from texts by path."""
    timestamp = _WRITTEN.strftime("%Y-%m-%dT%H:%M:%SZ")
    vault = {"vault": "Notes", "vault_path": f"/home/{profile.me.handle}/Notes"}
    contexts = [
        {
            "id": path,
            "data": {
                **vault,
                "relative_path": path,
                "content": text,
                "metadata": {"created_time": timestamp, "modified_time": timestamp, "author": profile.me.name},
            },
        }
        for path, text in content.items()
    ]
    return SampledWorld(contexts, {})


def notion(profile: Profile, content: Mapping[str, Any]) -> SampledWorld:
    """Build a workspace of pages; a block is named by its number on the page."""
    names: dict[str, Any] = {}
    contexts = []
    for key, page in content.items():
        ids = profile.ids(f"notion/{key}")
        page_id = ids.uuid()
        author = profile.person(page.get("by", "me"))
        edit = (moment(page["at"]) if "at" in page else _WRITTEN, user_id(author))
        blocks = [_block(ids.uuid(), page_id, rank, each, edit) for rank, each in enumerate(page["blocks"])]
        comments = [_comment(ids.uuid(), page_id, profile, each) for each in page.get("comments", ())]
        title = {"title": {"id": "title", "type": "title", "title": rich_text(page["title"])}}
        contexts.append(
            {
                "id": page_id,
                "data": {
                    "user": user(author),
                    "page": notion_page(page_id, {"type": "workspace", "workspace": True}, title, *edit),
                    "blocks": {each["id"]: each for each in blocks},
                    "comments": comments,
                },
            }
        )
        names |= {f"notion/{key}": page_id} | {
            f"notion/{key}#{number}": each["id"] for number, each in enumerate(blocks, 1)
        }
    return SampledWorld(contexts, names)


def _block(block_id: str, page_id: str, rank: int, block: Sequence[str], edit: tuple[datetime, str]) -> dict[str, Any]:
    kind, text = block
    checked = {"checked": False} if kind == "to_do" else {}
    return {
        "object": "block",
        "id": block_id,
        "parent": {"type": "page_id", "page_id": page_id},
        **edit_stamps(*edit),
        "archived": False,
        "type": kind,
        kind: {"rich_text": rich_text(text), **checked, "color": "default"},
        "rank": rank,
    }


def _comment(comment_id: str, page_id: str, profile: Profile, comment: Sequence[str]) -> dict[str, Any]:
    who, when, text = comment
    return {
        "object": "comment",
        "id": comment_id,
        "parent": {"type": "page_id", "page_id": page_id},
        "discussion_id": page_id,
        "created_time": instant(moment(when)),
        "last_edited_time": instant(moment(when)),
        "created_by": reference(user_id(profile.person(who))),
        "rich_text": rich_text(text),
    }
