"""Deeds on Rednote (Xiaohongshu): notes, likes, collections and comments."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup, plain_call
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.xiaohongshu.seed import seed, user_id

SERVER = "xiaohongshu"


def check_login(*values: Any) -> Action:
    """Whether somebody is signed in."""
    return lookup(SERVER, "check_login_status", {}, "check whether the account is signed in", *values)


def get_login_code() -> Action:
    """The code to sign in with, which is a picture."""
    return plain_call(SERVER, "get_login_qrcode", {}, "get the code to sign in with")


def list_home_page(*titles: str) -> Action:
    """The home page."""
    return lookup(SERVER, "list_feeds", {}, "look at the home page", *map(_id, titles))


def search(keyword: str, *titles: str, **filters: str) -> Action:
    """Notes with a keyword; those with the titles must be among them."""
    arguments = {"keyword": keyword, **({"filters": filters} if filters else {})}
    return lookup(SERVER, "search_feeds", arguments, f"search for '{keyword}'", *map(_id, titles))


def read_note(title: str, *values: Any) -> Action:
    """A note with its comments."""
    return lookup(SERVER, "get_feed_detail", _key(title), f"read the note '{title}'", *values)


def open_note(title: str) -> Action:
    """A note, which must have been opened: a list of notes does not show its text."""
    return read_note(title, {"noteId": note(title)["id"]})


def read_profile(key: str, *values: Any) -> Action:
    """A user's page."""
    person = CAST.person(key)
    arguments = {"user_id": user_id(person), "xsec_token": _seed()["users"][user_id(person)]["xsec_token"]}
    first = next(each for each in _seed()["feeds"].values() if each["user_id"] == user_id(person))
    arguments["xsec_token"] = first["xsec_token"]
    return lookup(SERVER, "user_profile", arguments, f"look at the page of {person.local_name}", *values)


def like(title: str) -> Action:
    """Like a note."""
    return _mark("like_feed", title, "liked", wanted=True)


def unlike(title: str) -> Action:
    """Take a like back."""
    return _mark("like_feed", title, "liked", wanted=False, unlike=True)


def collect(title: str) -> Action:
    """Put a note into the collection."""
    return _mark("favorite_feed", title, "collected", wanted=True)


def like_and_collect(title: str) -> Action:
    """Like a note and put it into the collection: two calls that leave one change."""
    liked, collected = like(title), collect(title)
    fields = {**liked.checkpoints[0]["fields"], **collected.checkpoints[0]["fields"]}
    checkpoint = {**liked.checkpoints[0], "fields": fields}
    return Action(liked.calls + collected.calls, (checkpoint,))


def remove_from_collection(title: str) -> Action:
    """Take a note out of the collection."""
    return _mark("favorite_feed", title, "collected", wanted=False, unfavorite=True)


def comment(title: str, text: str, *facts: Fact) -> Action:
    """Comment on a note."""
    arguments = {**_key(title), "content": text}
    collection = f"feeds[{note(title)['id']}].comments"
    purpose = f"comment on '{title}'"
    return change("create", SERVER, "post_comment_to_feed", arguments, purpose, *facts, collection=collection)


def publish(title: str, text: str, *facts: Fact, image: str, tags: tuple[str, ...] = ()) -> Action:
    """Publish a note with one picture."""
    arguments: dict[str, Any] = {"title": title, "content": text, "images": [image]}
    arguments |= {"tags": list(tags)} if tags else {}
    return change(
        "create",
        SERVER,
        "publish_content",
        arguments,
        f"publish the note '{title}'",
        *facts,
        image,
        collection="feeds",
        fields={"title": title, **({"tags": list(tags)} if tags else {})},
    )


def note(title: str) -> dict[str, Any]:
    """The note with a title."""
    (wanted,) = [each for each in _seed()["feeds"].values() if each["title"] == title]
    return dict(wanted)


def notes_by(key: str) -> list[dict[str, Any]]:
    """The notes that a person wrote."""
    return [each for each in _seed()["feeds"].values() if each["user_id"] == user_id(CAST.person(key))]


def top_of_home() -> str:
    """The title of the first note on the home page: of the twenty newest of others, the most liked."""
    mine = user_id(CAST.me)
    others = [each for each in _seed()["feeds"].values() if each["user_id"] != mine]
    newest = sorted(others, key=lambda each: int(each["time"]), reverse=True)[:20]
    return str(max(newest, key=lambda each: int(each["liked_count"]))["title"])


def follower_count(key: str) -> int:
    """How many follow a person."""
    return int(_seed()["users"][user_id(CAST.person(key))]["fans"])


def _mark(tool: str, title: str, mark: str, *, wanted: bool, **more: bool) -> Action:
    whole = note(title)
    assert whole[mark] is not wanted, title
    count = whole[f"{mark}_count"] + (1 if wanted else -1)
    return change(
        "modify",
        SERVER,
        tool,
        {**_key(title), **more},
        f"{'' if wanted else 'un'}mark '{title}' as {mark}",
        collection="feeds",
        entity=whole["id"],
        fields={mark: wanted, f"{mark}_count": count},
    )


def _key(title: str) -> dict[str, Any]:
    return {"feed_id": note(title)["id"], "xsec_token": note(title)["xsec_token"]}


def _id(title: str) -> dict[str, str]:
    return {"id": str(note(title)["id"])}


@cache
def _seed() -> dict[str, Any]:
    return seed()
