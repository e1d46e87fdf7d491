"""The WeCom server: four tools of MCP-Persona's ``wecome``, which write to a group through its robot.

Responses are the body of WeCom's own API, ``{errcode, errmsg}``. As in the real API, mentioning somebody outside the
group is not an error. Only files in the attempt's directory can be uploaded.
"""

import json
from typing import Annotated, Any

from pydantic import Field

from pytest_mcpbench.simulated.engine import TYPESCRIPT, Simulation, ToolFailure
from pytest_mcpbench.simulated.wecom.world import LONGEST_MARKDOWN, LONGEST_TEXT, WeCom

Body = dict[str, Any]


def send_markdown(
    wecom: WeCom, content: Annotated[str, Field(description="Markdown, 4096 bytes at most; <@userid> mentions")]
) -> Body:
    """Send Markdown to the group."""
    wecom.send("markdown", {"content": content}, LONGEST_MARKDOWN)
    return {}


def send_news(
    wecom: WeCom,
    title: Annotated[str, Field(description="Headline")],
    url: Annotated[str, Field(description="Page to which it leads")],
    description: Annotated[str | None, Field(description="Some words about it")] = None,
    picurl: Annotated[str | None, Field(description="Address of a picture")] = None,
) -> Body:
    """Send a card with a headline, a picture and a link to the group."""
    more = {"description": description, "picurl": picurl}
    wecom.send_article({"title": title, "url": url, **{name: value for name, value in more.items() if value}})
    return {}


def send_text(
    wecom: WeCom,
    content: Annotated[str, Field(description="Text, 2048 bytes at most")],
    mentioned_list: Annotated[list[str] | None, Field(description="User ids to mention; @all for everybody")] = None,
    mentioned_mobile_list: Annotated[list[str] | None, Field(description="Mobile numbers to mention")] = None,
) -> Body:
    """Send a text to the group, and mention some of its members."""
    mentions = {"mentioned_list": mentioned_list, "mentioned_mobile_list": mentioned_mobile_list}
    present = {name: value for name, value in mentions.items() if value}
    wecom.send("text", {"content": content, **present}, LONGEST_TEXT)
    return {}


def upload_file(wecom: WeCom, file_path: Annotated[str, Field(description="Path of the file")]) -> Body:
    """Upload a file and send it to the group."""
    return wecom.upload(file_path)


def _answer(body: Body) -> Body:
    return {"errcode": 0, "errmsg": "ok", **body}


def _failure(failure: ToolFailure) -> str:
    code, _, message = str(failure).partition(" ")
    facts = (int(code), message) if code.isdecimal() else (_SYSTEM_ERROR, str(failure))
    return json.dumps(dict(zip(("errcode", "errmsg"), facts, strict=True)), ensure_ascii=False)


_SYSTEM_ERROR = -1

SIMULATION = Simulation(
    name="wecom",
    state=WeCom,
    tools=(send_markdown, send_news, send_text, upload_file),
    dialect=TYPESCRIPT,
    answer=_answer,
    failure=_failure,
)
server = SIMULATION.server
"""Factory that builds the server over the world of one attempt."""
