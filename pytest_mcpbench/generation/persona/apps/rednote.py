"""Actions on Rednote (Xiaohongshu): notes, likes, collections and comments."""

from functools import cache
from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, lookup, plain_call
from pytest_mcpbench.simulated.cast import CAST
from pytest_mcpbench.simulated.xiaohongshu.seed import seed, user_id

SERVER = "xiaohongshu"


def check_login(*values: Any) -> Action:
    """Check whether somebody is signed in."""
    return lookup(SERVER, "check_login_status", {}, "check whether the account is signed in", *values)


def get_login_code() -> Action:
    """Get the QR code for signing in."""
    return plain_call(SERVER, "get_login_qrcode", {}, "get the code to sign in with")


def list_home_page(*titles: str) -> Action:
    """List the notes of the home page."""
    return lookup(SERVER, "list_feeds", {}, "look at the home page", *map(_id, titles))


def search(keyword: str, *titles: str, **filters: str) -> Action:
    """Find notes by keyword. The notes with these titles must be among the results."""
    arguments = {"keyword": keyword, **({"filters": filters} if filters else {})}
    return lookup(SERVER, "search_feeds", arguments, f"search for '{keyword}'", *map(_id, titles))


def read_note(title: str, *values: Any) -> Action:
    """Read a note with its comments."""
    return lookup(SERVER, "get_feed_detail", _key(title), f"read the note '{title}'", *values)


def open_note(title: str) -> Action:
    """Open a note. Listing it is not enough, because a list does not show the text."""
    return read_note(title, {"noteId": note(title)["id"]})


def read_profile(key: str, *values: Any) -> Action:
    """Read a user's profile page."""
    person = CAST.person(key)
    arguments = {"user_id": user_id(person), "xsec_token": _seed()["users"][user_id(person)]["xsec_token"]}
    first = next(each for each in _seed()["feeds"].values() if each["user_id"] == user_id(person))
    arguments["xsec_token"] = first["xsec_token"]
    return lookup(SERVER, "user_profile", arguments, f"look at the page of {person.local_name}", *values)


def like(title: str) -> Action:
    """Like a note."""
    return _mark("like_feed", title, "liked", expected=True)


def unlike(title: str) -> Action:
    """Remove the like from a note."""
    return _mark("like_feed", title, "liked", expected=False, unlike=True)


def collect(title: str) -> Action:
    """Add a note to the collection."""
    return _mark("favorite_feed", title, "collected", expected=True)


def like_and_collect(title: str) -> Action:
    """Like a note and add it to the collection: two calls, checked as one change."""
    liked, collected = like(title), collect(title)
    fields = {**liked.checkpoints[0]["fields"], **collected.checkpoints[0]["fields"]}
    checkpoint = {**liked.checkpoints[0], "fields": fields}
    return Action(liked.calls + collected.calls, (checkpoint,))


def remove_from_collection(title: str) -> Action:
    """Remove a note from the collection."""
    return _mark("favorite_feed", title, "collected", expected=False, unfavorite=True)


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
    """Return the note with a title."""
    (expected,) = [each for each in _seed()["feeds"].values() if each["title"] == title]
    return dict(expected)


def notes_by(key: str) -> list[dict[str, Any]]:
    """Return the notes of a person."""
    return [each for each in _seed()["feeds"].values() if each["user_id"] == user_id(CAST.person(key))]


def top_of_home() -> str:
    """Return the title of the first note on the home page: the most liked of the twenty newest notes by others."""
    mine = user_id(CAST.me)
    others = [each for each in _seed()["feeds"].values() if each["user_id"] != mine]
    newest = sorted(others, key=lambda each: int(each["time"]), reverse=True)[:20]
    return str(max(newest, key=lambda each: int(each["liked_count"]))["title"])


def follower_count(key: str) -> int:
    """Return the number of a person's followers."""
    return int(_seed()["users"][user_id(CAST.person(key))]["fans"])


def _mark(tool: str, title: str, mark: str, *, expected: bool, **more: bool) -> Action:
    whole = note(title)
    assert whole[mark] is not expected, title
    count = whole[f"{mark}_count"] + (1 if expected else -1)
    return change(
        "modify",
        SERVER,
        tool,
        {**_key(title), **more},
        f"{'' if expected else 'un'}mark '{title}' as {mark}",
        collection="feeds",
        entity=whole["id"],
        fields={mark: expected, f"{mark}_count": count},
    )


def _key(title: str) -> dict[str, Any]:
    return {"feed_id": note(title)["id"], "xsec_token": note(title)["xsec_token"]}


def _id(title: str) -> dict[str, str]:
    return {"id": str(note(title)["id"])}


@cache
def _seed() -> dict[str, Any]:
    return seed()
