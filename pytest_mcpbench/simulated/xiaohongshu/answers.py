"""Notes and users in the form of ``xiaohongshu-mcp``, which is that of the site's pages."""

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_mcpbench.simulated.xiaohongshu.world import Xiaohongshu

_SIZE = {"width": 1080, "height": 1440}


def feed_list(site: Xiaohongshu, notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return notes as cards."""
    return {"feeds": [_card(site, note, index) for index, note in enumerate(notes)], "count": len(notes)}


def detail(site: Xiaohongshu, note: Mapping[str, Any]) -> dict[str, Any]:
    """Return a note with its comments."""
    return {
        "feed_id": note["id"],
        "data": {
            "note": {
                "noteId": note["id"],
                "xsecToken": note["xsec_token"],
                "title": note["title"],
                "desc": note["desc"] + "".join(f" #{tag}[话题]#" for tag in note["tags"]),
                "type": note["type"],
                "time": note["time"],
                "ipLocation": note["ip_location"],
                "user": _author(site, note["user_id"]),
                "interactInfo": _counts(note),
                "imageList": [{**_SIZE, "urlDefault": url, "urlPre": url} for url in note["images"]],
            },
            "comments": {
                "list": [_comment(site, note["id"], each) for each in note["comments"].values()],
                "cursor": "",
                "hasMore": False,
            },
        },
    }


def profile(site: Xiaohongshu, user: Mapping[str, Any], notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a user's page."""
    likes = sum(note["liked_count"] + note["collected_count"] for note in notes)
    numbers = (
        ("follows", "关注", user["follows"]),
        ("fans", "粉丝", user["fans"]),
        ("interaction", "获赞与收藏", likes),
    )
    return {
        "userBasicInfo": {
            "gender": user["gender"],
            "ipLocation": user["ip_location"],
            "desc": user["desc"],
            "imageb": "",
            "nickname": user["nickname"],
            "images": "",
            "redId": user["red_id"],
        },
        "interactions": [{"type": kind, "name": name, "count": str(count)} for kind, name, count in numbers],
        "feeds": feed_list(site, notes)["feeds"],
    }


def _card(site: Xiaohongshu, note: Mapping[str, Any], index: int) -> dict[str, Any]:
    cover = note["images"][0] if note["images"] else ""
    return {
        "xsecToken": note["xsec_token"],
        "id": note["id"],
        "modelType": "note",
        "noteCard": {
            "type": note["type"],
            "displayTitle": note["title"],
            "user": _author(site, note["user_id"]),
            "interactInfo": _counts(note),
            "cover": {**_SIZE, "url": "", "fileId": "", "urlPre": cover, "urlDefault": cover, "infoList": []},
        },
        "index": index,
    }


def _author(site: Xiaohongshu, user_id: str) -> dict[str, Any]:
    name = site.user(user_id)["nickname"]
    return {"userId": user_id, "nickname": name, "nickName": name, "avatar": ""}


def _counts(note: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "liked": note["liked"],
        "likedCount": str(note["liked_count"]),
        "sharedCount": str(note["shared_count"]),
        "commentCount": str(len(note["comments"])),
        "collectedCount": str(note["collected_count"]),
        "collected": note["collected"],
    }


def _comment(site: Xiaohongshu, note_id: str, comment: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": comment["id"],
        "noteId": note_id,
        "content": comment["content"],
        "likeCount": str(comment["like_count"]),
        "createTime": comment["create_time"],
        "ipLocation": comment["ip_location"],
        "liked": False,
        "userInfo": _author(site, comment["user_id"]),
        "subCommentCount": "0",
        "subComments": [],
        "showTags": [],
    }
