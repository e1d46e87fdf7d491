"""Deeds in WeCom: what the robot writes to the group."""

from typing import Any

from pytest_mcpbench.generation.persona.deed import Deed, Fact, changed, operate
from pytest_mcpbench.simulated.cast import CAST

SERVER = "wecome"


def tell(text: str, *facts: Fact, mention: tuple[str, ...] = (), mobiles: tuple[str, ...] = ()) -> Deed:
    """Write a text, and mention people by user id or by mobile number."""
    arguments: dict[str, Any] = {"content": text}
    people = [CAST.person(each).wecom_id for each in mention]
    numbers = [CAST.person(each).mobile.removeprefix("+86") for each in mobiles]
    arguments |= {"mentioned_list": people} if people else {}
    arguments |= {"mentioned_mobile_list": numbers} if numbers else {}
    purpose = "write to the WeCom group"
    wanted = (*facts, *people, *numbers)
    return changed("create", SERVER, "send_text", arguments, purpose, *wanted, collection="messages")


def tell_everybody(text: str, *facts: Fact) -> Deed:
    """Write a text that mentions everybody."""
    arguments = {"content": text, "mentioned_list": ["@all"]}
    purpose = "write to everybody in the WeCom group"
    return changed("create", SERVER, "send_text", arguments, purpose, "@all", *facts, collection="messages")


def markdown(text: str, *facts: Fact) -> Deed:
    """Write Markdown."""
    purpose = "write to the WeCom group in Markdown"
    fields = {"msgtype": "markdown"}
    return changed(
        "create", SERVER, "send_markdown", {"content": text}, purpose, *facts, collection="messages", fields=fields
    )


def card(title: str, url: str, description: str = "", *facts: Fact) -> Deed:
    """Send a card that leads to a page."""
    arguments = {"title": title, "url": url, **({"description": description} if description else {})}
    wanted = (title, url, *facts)
    fields = {"msgtype": "news"}
    purpose = "send the card to the WeCom group"
    return changed("create", SERVER, "send_news", arguments, purpose, *wanted, collection="messages", fields=fields)


def file(path: str) -> Deed:
    """Send a file."""
    name = path.rpartition("/")[2]
    purpose = f"send {name} to the WeCom group"
    fields = {"filename": name}
    sent = changed("create", SERVER, "upload_file", {"file_path": path}, purpose, collection="media", fields=fields)
    message = operate("create", SERVER, "upload_file", purpose, collection="messages", fields={"msgtype": "file"})
    return Deed(sent.calls, (*sent.checkpoints, message))
