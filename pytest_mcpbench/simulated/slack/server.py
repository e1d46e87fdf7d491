"""The Slack server: nine tools of Composio's Slack toolkit over one workspace.

Names and parameters are the toolkit's; responses are the body of Slack's own API, ``{ok: true, …}`` or ``{ok: false,
error: code}``, without the toolkit's ``{data, successful}`` around it.
"""

import json
from typing import Annotated, Any, NotRequired

from pydantic import Field
from typing_extensions import TypedDict, Unpack

from pytest_mcpbench.simulated.engine import TYPESCRIPT, MissingScope, Simulation, ToolFailure
from pytest_mcpbench.simulated.slack.world import Slack

Body = dict[str, Any]
Channel = Annotated[str, Field(description="Id of the channel, like C0123456789, or its name")]
Query = Annotated[str, Field(description="What to look for")]
Exact = Annotated[bool, Field(description="Whether a field must be the query as a whole")]
Limit = Annotated[int, Field(description="How many to return at most", ge=1, le=1000)]


class Message(TypedDict):
    """The fields of a message besides its channel."""

    text: NotRequired[Annotated[str, Field(description="The text")]]
    markdown_text: NotRequired[Annotated[str, Field(description="The text as Markdown; in place of text")]]
    thread_ts: NotRequired[Annotated[str, Field(description="Timestamp of the message that it answers")]]
    reply_broadcast: NotRequired[Annotated[bool, Field(description="Whether an answer is shown in the channel too")]]
    blocks: NotRequired[Annotated[str, Field(description="Blocks as JSON")]]
    attachments: NotRequired[Annotated[str, Field(description="Attachments as JSON")]]
    as_user: NotRequired[Annotated[bool, Field(description="Whether to post as the user")]]
    username: NotRequired[Annotated[str, Field(description="Name to post under")]]
    icon_emoji: NotRequired[Annotated[str, Field(description="Emoji in place of the picture")]]
    icon_url: NotRequired[Annotated[str, Field(description="Picture to show")]]
    link_names: NotRequired[Annotated[bool, Field(description="Whether to link names of people and channels")]]
    mrkdwn: NotRequired[Annotated[bool, Field(description="Whether the text is Slack's markup")]]
    parse: NotRequired[Annotated[str, Field(description="none or full")]]
    unfurl_links: NotRequired[Annotated[bool, Field(description="Whether to show previews of links")]]
    unfurl_media: NotRequired[Annotated[bool, Field(description="Whether to show previews of media")]]


class Range(TypedDict):
    """The messages to return."""

    cursor: NotRequired[Annotated[str, Field(description="next_cursor of the page before")]]
    inclusive: NotRequired[Annotated[bool, Field(description="Whether oldest and latest belong to the range")]]
    latest: NotRequired[Annotated[str, Field(description="End of the range, a timestamp")]]
    limit: NotRequired[Annotated[int, Field(description="How many messages to return at most (default: 100)")]]
    oldest: NotRequired[Annotated[str, Field(description="Beginning of the range, a timestamp")]]


class FileFilter(TypedDict):
    """The files to return."""

    channel: NotRequired[Annotated[str, Field(description="Id of the channel that they are in")]]
    count: NotRequired[Annotated[str, Field(description="How many a page has (default: 100)")]]
    page: NotRequired[Annotated[str, Field(description="Number of the page, from 1")]]
    show_files_hidden_by_limit: NotRequired[Annotated[bool, Field(description="Whether to show hidden files too")]]
    ts_from: NotRequired[Annotated[int, Field(description="Only files from this Unix time on")]]
    ts_to: NotRequired[Annotated[int, Field(description="Only files up to this Unix time")]]
    types: NotRequired[Annotated[str, Field(description="Kinds, with commas: images, pdfs, spreadsheets, all")]]
    user: NotRequired[Annotated[str, Field(description="Id of the member who made them")]]


class ChannelFilter(TypedDict):
    """The channels to return."""

    exact_match: NotRequired[Exact]
    exclude_archived: NotRequired[Annotated[bool, Field(description="Leave out archived ones (default: true)")]]
    limit: NotRequired[Limit]
    member_only: NotRequired[Annotated[bool, Field(description="Only those of which the user is a member")]]
    types: NotRequired[Annotated[str, Field(description="public_channel, private_channel, im, mpim, with commas")]]


class UserFilter(TypedDict):
    """The members to return."""

    exact_match: NotRequired[Exact]
    include_bots: NotRequired[Annotated[bool, Field(description="Whether to find bots")]]
    include_deleted: NotRequired[Annotated[bool, Field(description="Whether to find deactivated members")]]
    include_restricted: NotRequired[Annotated[bool, Field(description="Whether to find guests (default: true)")]]
    limit: NotRequired[Limit]


def add_reaction_to_an_item(
    slack: Slack,
    channel: Channel,
    name: Annotated[str, Field(description="Name of the emoji, without colons")],
    timestamp: Annotated[str, Field(description="Timestamp of the message")],
) -> Body:
    """Add an emoji to a message."""
    slack.react(channel, timestamp, name)
    return {}


def create_a_reminder(
    slack: Slack,
    text: Annotated[str, Field(description="What to be reminded of")],
    time: Annotated[
        str, Field(description="A Unix time, a number of seconds (up to a day), or words like 'tomorrow at 2pm'")
    ],
    user: Annotated[str | None, Field(description="Id of the member to remind; by default the user")] = None,
) -> Body:
    """Create a reminder."""
    return {"reminder": slack.remind(text, time, user)}


def fetch_conversation_history(slack: Slack, channel: Channel, **search: Unpack[Range]) -> Body:
    """Read the messages of a channel or a direct message, the newest first, without replies in threads."""
    return slack.history(channel, search)


def find_channels(slack: Slack, search_query: Query, **search: Unpack[ChannelFilter]) -> Body:
    """Find channels by name, topic or purpose."""
    return {"channels": slack.find_channels(search_query, search)}


def find_users(slack: Slack, search_query: Query, **search: Unpack[UserFilter]) -> Body:
    """Find members by id, name, mail address or status."""
    return {"members": slack.find_users(search_query, search)}


def list_files_with_filters_in_slack(slack: Slack, **search: Unpack[FileFilter]) -> Body:
    """List the files of the workspace, without their contents."""
    return slack.files(search)


def list_reminders(slack: Slack) -> Body:
    """List the user's reminders."""
    return {"reminders": slack.reminders()}


def open_dm(
    slack: Slack,
    channel: Annotated[str | None, Field(description="Id of a direct message; not together with users")] = None,
    users: Annotated[str | None, Field(description="Ids of one to eight members, with commas")] = None,
    return_im: Annotated[bool, Field(description="Whether to return the whole conversation")] = False,
) -> Body:
    """Open a direct message, or find it if it is there already."""
    if (channel is None) == (users is None):
        raise ToolFailure("invalid_arguments")
    if channel is not None:
        conversation, was_open = slack.conversation(channel), True
    else:
        conversation, was_open = slack.open_direct(each.strip() for each in (users or "").split(",") if each.strip())
    status = {"no_op": True, "already_open": True} if was_open else {}
    return {**status, "channel": conversation if return_im else {"id": conversation["id"]}}


def send_message(slack: Slack, channel: Channel, **message: Unpack[Message]) -> Body:
    """Send a message to a channel or an open direct message."""
    return slack.post(channel, message)


def _answer(body: Body) -> Body:
    return {"ok": True, **body}


def _failure(failure: ToolFailure) -> str:
    if isinstance(failure, MissingScope):
        return json.dumps({"ok": False, "error": "missing_scope", **failure.facts})
    return json.dumps({"ok": False, "error": str(failure)})


SIMULATION = Simulation(
    name="slack",
    state=Slack,
    tools=(
        add_reaction_to_an_item,
        create_a_reminder,
        fetch_conversation_history,
        find_channels,
        find_users,
        list_files_with_filters_in_slack,
        list_reminders,
        open_dm,
        send_message,
    ),
    dialect=TYPESCRIPT,
    answer=_answer,
    failure=_failure,
    scopes={
        "add_reaction_to_an_item": "reactions:write",
        "create_a_reminder": "reminders:write",
        "fetch_conversation_history": "channels:history",
        "find_channels": "channels:read",
        "find_users": "users:read",
        "list_files_with_filters_in_slack": "files:read",
        "list_reminders": "reminders:read",
        "open_dm": "im:write",
        "send_message": "chat:write",
    },
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
