"""Actions in WeCom: messages that the robot posts to the group."""

from typing import Any

from pytest_mcpbench.generation.persona.request import Action, Fact, change, operate_checkpoint
from pytest_mcpbench.simulated.cast import CAST

SERVER = "wecome"


def send_text(text: str, *facts: Fact, mention: tuple[str, ...] = (), mobiles: tuple[str, ...] = ()) -> Action:
    """Post a text, and mention people by user id or by mobile number."""
    arguments: dict[str, Any] = {"content": text}
    people = [CAST.person(each).wecom_id for each in mention]
    numbers = [CAST.person(each).mobile.removeprefix("+86") for each in mobiles]
    arguments |= {"mentioned_list": people} if people else {}
    arguments |= {"mentioned_mobile_list": numbers} if numbers else {}
    purpose = "write to the WeCom group"
    expected = (*facts, *people, *numbers)
    return change("create", SERVER, "send_text", arguments, purpose, *expected, collection="messages")


def send_text_to_everybody(text: str, *facts: Fact) -> Action:
    """Post a text that mentions everybody."""
    arguments = {"content": text, "mentioned_list": ["@all"]}
    purpose = "write to everybody in the WeCom group"
    return change("create", SERVER, "send_text", arguments, purpose, "@all", *facts, collection="messages")


def send_markdown(text: str, *facts: Fact) -> Action:
    """Post Markdown."""
    purpose = "write to the WeCom group in Markdown"
    fields = {"msgtype": "markdown"}
    return change(
        "create", SERVER, "send_markdown", {"content": text}, purpose, *facts, collection="messages", fields=fields
    )


def send_card(title: str, url: str, description: str = "", *facts: Fact) -> Action:
    """Post a card that links to a page."""
    arguments = {"title": title, "url": url, **({"description": description} if description else {})}
    expected = (title, url, *facts)
    fields = {"msgtype": "news"}
    purpose = "send the card to the WeCom group"
    return change("create", SERVER, "send_news", arguments, purpose, *expected, collection="messages", fields=fields)


def send_file(path: str) -> Action:
    """Post a file."""
    name = path.rpartition("/")[2]
    purpose = f"send {name} to the WeCom group"
    fields = {"filename": name}
    sent = change("create", SERVER, "upload_file", {"file_path": path}, purpose, collection="media", fields=fields)
    message = operate_checkpoint(
        "create", SERVER, "upload_file", purpose, collection="messages", fields={"msgtype": "file"}
    )
    return Action(sent.calls, (*sent.checkpoints, message))
