import json
from typing import Any

import pytest

from pytest_mcpbench.simulated.reddit.seed import seed
from pytest_mcpbench.simulated.reddit.server import SIMULATION
from tests.simulated.service import Service, parameters

POSTS, COMMENTS = seed()["posts"], seed()["comments"]


def a_post(**fields: Any) -> str:
    """The id of the first post of a public subreddit with the fields."""
    wanted = {"locked": False, "archived": False, **fields}
    found = (key for key, each in POSTS.items() if all(each[name] == value for name, value in wanted.items()))
    return str(next(found))


def a_comment(**fields: Any) -> str:
    open_posts = {each["name"] for each in POSTS.values() if not (each["locked"] or each["archived"])}
    found = (
        each["name"]
        for each in COMMENTS.values()
        if each["link_id"] in open_posts and all(each[name] == value for name, value in fields.items())
    )
    return str(next(found))


@pytest.fixture
def reddit() -> Service:
    return Service(SIMULATION)


def test_the_parameters_are_those_of_the_toolkit() -> None:
    assert parameters(SIMULATION) == {
        "post_reddit_comment": {"text*", "thing_id*"},
        "retrieve_post_comments": {"article*"},
        "retrieve_reddit_post": {"subreddit*", "size"},
        "retrieve_specific_comment": {"id*"},
    }


def test_a_subreddit_shows_its_pinned_and_hot_posts_first(reddit: Service) -> None:
    answer = reddit.call("retrieve_reddit_post", subreddit="ShanghaiClimbing", size=2)
    listing = answer["data"]
    assert (answer["successful"], answer["error"], listing["dist"]) == (True, None, 2)
    first, second = (each["data"] for each in listing["children"])
    assert first["stickied"]
    assert listing["after"] == second["name"]
    everything = reddit.call("retrieve_reddit_post", subreddit="shanghaiclimbing", size=0)["data"]
    assert (everything["dist"], everything["after"]) == (6, None)


def test_a_post_counts_the_comments_that_its_thread_holds(reddit: Service) -> None:
    post, comments = reddit.call("retrieve_post_comments", article=a_post())["data"]["listings"]

    def bodies(listing: Any) -> list[str]:
        below = [each["data"] for each in listing["data"]["children"]] if listing else []
        return [text for each in below for text in (each["body"], *bodies(each["replies"]))]

    (shown,) = post["data"]["children"]
    assert (shown["kind"], shown["data"]["num_comments"]) == ("t3", len(bodies(comments)))
    assert {each["kind"] for each in comments["data"]["children"]} == {"t1"}


def test_a_reply_stands_under_the_comment_that_it_answers(reddit: Service) -> None:
    parent = a_comment()
    answer = reddit.call("post_reddit_comment", thing_id=parent, text="Well said")["data"]["json"]
    (made,) = answer["data"]["things"]
    assert answer["errors"] == []
    assert (made["kind"], made["data"]["parent_id"], made["data"]["author"]) == ("t1", parent, "siyuan_chen")
    (change,) = reddit.changes()
    assert (change.kind, change.path, change.after["body"]) == (
        "created",
        f"comments[{made['data']['id']}]",
        "Well said",
    )
    (found,) = reddit.call("retrieve_specific_comment", id=made["data"]["name"])["data"]["things"]
    assert (found["id"], found["kind"], found["data"]["body"]) == (made["data"]["id"], "t1", "Well said")


def test_an_unknown_name_finds_nothing(reddit: Service) -> None:
    for name in ("t1_none", "t3_none", "x", ""):
        assert reddit.call("retrieve_specific_comment", id=name)["data"] == {"things": []}


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def test_an_account_that_may_only_read_cannot_write() -> None:
    reddit = Service(SIMULATION, seed={**seed(), "scopes": ["read"]})
    reddit.call("retrieve_reddit_post", subreddit="teahouse")
    refused = reddit.refusal("post_reddit_comment", thing_id="t3_" + a_post(), text="x")
    assert refused["data"]["status_code"] == 403
    assert reddit.changes() == ()
