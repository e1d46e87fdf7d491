"""The Xiaohongshu server: ten of the tools of ``xiaohongshu-mcp`` (xpzouying), over a simulated site.

Names, parameters, responses and errors are the real server's, at the version that MCP-Persona used; later additions
(more parameters of ``get_feed_detail`` and ``publish_content``, replies to comments) are left out.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Any, NotRequired

from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from pytest_mcpbench.core.sandbox import Ids
from pytest_mcpbench.core.tool import Content
from pytest_mcpbench.simulated.engine import PYTHON_SDK, Simulation, closed_schema, plain_schema, prefix_failures
from pytest_mcpbench.simulated.engine.png import grey_png
from pytest_mcpbench.simulated.xiaohongshu.world import OPTIONS, Xiaohongshu

# A stand-in for the QR code for signing in; it cannot be scanned.

_MODULES, _PIXELS = 29, 4


def login_picture(ids: Ids) -> str:
    """Return a black and white PNG of random squares, in base64."""
    squares = [[ids.number(0, 1) for _ in range(_MODULES)] for _ in range(_MODULES)]
    rows = [bytes(255 * square for square in row for _ in range(_PIXELS)) for row in squares for _ in range(_PIXELS)]
    return b64encode(grey_png(rows, level=6)).decode()


# Notes and users in the form of ``xiaohongshu-mcp``, which is that of the site's pages.

_SIZE = {"width": 1080, "height": 1440}


def feed_list(site: Xiaohongshu, notes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return notes as cards."""
    cards: list[dict[str, Any]] = []
    for index, note in enumerate(notes):
        cover = note["images"][0] if note["images"] else ""
        cards.append(
            {
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
        )
    return {"feeds": cards, "count": len(notes)}


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


# The tools.

_TIME_TO_SCAN = timedelta(minutes=4)


def _options(name: str) -> Any:
    _, values = OPTIONS[name]
    return Field(description=f"{'|'.join(values)}; by default {values[0]}")


class Filters(TypedDict):
    """The filters of a search."""

    sort_by: NotRequired[Annotated[str, _options("sort_by")]]
    note_type: NotRequired[Annotated[str, _options("note_type")]]
    publish_time: NotRequired[Annotated[str, _options("publish_time")]]
    search_scope: NotRequired[Annotated[str, _options("search_scope")]]
    location: NotRequired[Annotated[str, _options("location")]]


FeedId = Annotated[str, Field(description="Id of the note, from a list of feeds")]
XsecToken = Annotated[str, Field(description="Access token, from the field xsecToken of a list of feeds")]


def check_login_status(site: Xiaohongshu) -> str:
    """Check whether somebody is signed in to Xiaohongshu."""
    if site.is_logged_in:
        return f"✅ 已登录\n用户名: {site.me()['nickname']}\n\n你可以使用其他功能了。"
    return "❌ 未登录\n\n请使用 get_login_qrcode 工具获取二维码进行登录。"


def get_login_qrcode(site: Xiaohongshu) -> str | list[Content]:
    """Get the code by which people sign in, as a picture, and until when it is valid."""
    if site.is_logged_in:
        return "你当前已处于登录状态"
    until = site.now + _TIME_TO_SCAN
    text = Content(type="text", text=f"请用小红书 App 在 {until:%Y-%m-%d %H:%M:%S} 前扫码登录 👇")
    return [text, Content(type="image", mime_type="image/png", data=login_picture(site.ids))]


def publish_content(
    site: Xiaohongshu,
    title: Annotated[str, Field(description="Title; at most 20 Chinese characters")],
    content: Annotated[str, Field(description="The text, without the topics")],
    images: Annotated[list[str], Field(description="Pictures, at least one: links, or paths of files")],
    tags: Annotated[list[str] | None, Field(description="Topics, without #")] = None,
) -> str:
    """Publish a note with pictures."""
    with prefix_failures("发布失败"):
        site.publish(title, content, images, tags or [])
    return f"内容发布成功: &{{Title:{title} Content:{content} Images:{len(images)} Status:发布完成 PostID:}}"


def list_feeds(site: Xiaohongshu) -> dict[str, Any]:
    """List the notes of the home page."""
    return feed_list(site, site.home())


def search_feeds(
    site: Xiaohongshu,
    keyword: Annotated[str, Field(description="What to look for")],
    filters: Annotated[Filters | None, Field(description="What the search is narrowed to")] = None,
) -> dict[str, Any]:
    """Search for notes; somebody must be signed in."""
    options: Mapping[str, Any] = filters or {}
    with prefix_failures("搜索Feeds失败"):
        return feed_list(site, site.search(keyword, options))


def get_feed_detail(site: Xiaohongshu, feed_id: FeedId, xsec_token: XsecToken) -> dict[str, Any]:
    """Get a note: text, pictures, writer, numbers and comments."""
    with prefix_failures("获取Feed详情失败"):
        return detail(site, site.note(feed_id, xsec_token))


def user_profile(
    site: Xiaohongshu,
    user_id: Annotated[str, Field(description="Id of the user, from a list of feeds")],
    xsec_token: XsecToken,
) -> dict[str, Any]:
    """Get a user's page: who it is, the numbers and the notes."""
    with prefix_failures("获取用户主页失败"):
        return profile(site, *site.profile(user_id, xsec_token))


def post_comment_to_feed(
    site: Xiaohongshu,
    feed_id: FeedId,
    xsec_token: XsecToken,
    content: Annotated[str, Field(description="What the comment says")],
) -> str:
    """Write a comment on a note."""
    with prefix_failures("发表评论失败"):
        site.comment(feed_id, xsec_token, content)
    return f"评论发表成功 - Feed ID: {feed_id}"


def like_feed(
    site: Xiaohongshu,
    feed_id: FeedId,
    xsec_token: XsecToken,
    unlike: Annotated[bool, Field(description="Take the like back instead")] = False,
) -> str:
    """Like a note, or take the like back; where that is so already, nothing happens."""
    action = "取消点赞" if unlike else "点赞"
    with prefix_failures(f"{action}失败"):
        site.mark(feed_id, xsec_token, "liked", is_set=not unlike)
    return f"{action}成功 - Feed ID: {feed_id}"


def favorite_feed(
    site: Xiaohongshu,
    feed_id: FeedId,
    xsec_token: XsecToken,
    unfavorite: Annotated[bool, Field(description="Take it out of the collection instead")] = False,
) -> str:
    """Put a note into the collection, or take it out; where that is so already, nothing happens."""
    action = "取消收藏" if unfavorite else "收藏"
    with prefix_failures(f"{action}失败"):
        site.mark(feed_id, xsec_token, "collected", is_set=not unfavorite)
    return f"{action}成功 - Feed ID: {feed_id}"


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    closed: dict[str, Any] = closed_schema(plain_schema(schema))
    return closed


def _message(_tool: str, error: ValidationError, _schema: dict[str, Any]) -> str:
    """Return the Go SDK's message for arguments that do not match the schema."""
    first = error.errors(include_url=False)[0]
    place = "".join(f"/properties/{step}" for step in first["loc"][:-1])
    name = first["loc"][-1]
    if first["type"] == "missing":
        problem = f'required: missing properties: ["{name}"]'
    elif first["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        problem = f'unexpected additional properties ["{name}"]'
    else:
        place, problem = f"{place}/properties/{name}", f"type: {first['input']!r} has the wrong type"
    return f'validating "arguments": validating root{place}: {problem}'


GO_SDK = replace(PYTHON_SDK, schema=_schema, invalid=_message, unknown_tool='unknown tool "{name}"', closed=True)

SIMULATION = Simulation(
    name="xiaohongshu-mcp",
    state=Xiaohongshu,
    tools=(
        check_login_status,
        favorite_feed,
        get_feed_detail,
        get_login_qrcode,
        like_feed,
        list_feeds,
        post_comment_to_feed,
        publish_content,
        search_feeds,
        user_profile,
    ),
    dialect=GO_SDK,
    version="2.0.0",
    indent=2,
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
