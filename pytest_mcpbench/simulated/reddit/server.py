"""The Reddit server: four of Composio's tools, with the names that MCP-Persona uses for them.

Parameters are those of Composio's toolkit; the content of ``data`` has the form of Reddit's API.
"""

# ruff: noqa: A002 (parameters have the real server's names)

from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.engine import Simulation, ToolFailure
from pytest_mcpbench.simulated.engine.composio import COMPOSIO, failure_envelope, success_envelope
from pytest_mcpbench.simulated.reddit.world import Reddit


def post_reddit_comment(
    reddit: Reddit,
    text: Annotated[str, Field(description="What the comment says, in Markdown")],
    thing_id: Annotated[str, Field(description="What it answers: t3_ and a post's id, or t1_ and a comment's id")],
) -> dict[str, Any]:
    """Write a comment under a post, or a reply to a comment. It is public at once."""
    return {"json": {"errors": [], "data": {"things": [reddit.comment(thing_id, text)]}}}


def retrieve_post_comments(
    reddit: Reddit,
    article: Annotated[str, Field(description="Id of the post in base 36, without the prefix t3_")],
) -> dict[str, Any]:
    """Get a post and all comments on it.

    Two listings come back: the post is in the first, the comments are the children of the second. Answers to a comment
    are in its field replies.
    """
    return {"listings": reddit.thread(article)}


def retrieve_reddit_post(
    reddit: Reddit,
    subreddit: Annotated[str, Field(description="Name of the subreddit, without r/")],
    size: Annotated[int | None, Field(ge=0, description="How many posts at most; 0 for as many as possible")] = 5,
) -> dict[str, Any]:
    """Get the posts that are hot in a subreddit now."""
    listing: dict[str, Any] = reddit.hot(subreddit, 5 if size is None else size)["data"]
    return listing


def retrieve_specific_comment(
    reddit: Reddit,
    id: Annotated[str, Field(description="Full name of a comment or a post: t1_ or t3_ and the id")],
) -> dict[str, Any]:
    """Get one comment or one post by its full name, without what surrounds it."""
    return {"things": [{**each, "id": each["data"]["id"], "name": id} for each in reddit.info(id)]}


def _forbidden(_failure: ToolFailure) -> ToolFailure:
    return ToolFailure("Request failed", status=403, response={"message": "Forbidden", "error": 403})


SIMULATION = Simulation(
    name="reddit",
    state=Reddit,
    tools=(post_reddit_comment, retrieve_post_comments, retrieve_reddit_post, retrieve_specific_comment),
    dialect=COMPOSIO,
    answer=success_envelope,
    failure=failure_envelope(_forbidden),
    scopes={
        "post_reddit_comment": "submit",
        "retrieve_post_comments": "read",
        "retrieve_reddit_post": "read",
        "retrieve_specific_comment": "read",
    },
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
