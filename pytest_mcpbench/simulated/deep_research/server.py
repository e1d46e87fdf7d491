"""The research server: the tool of ``mcp-deep-research`` (baranwang) over the small web.

The parameters and the parts of the response are the real server's; the instructions in it are in our own words.
"""

from typing import Annotated, Any, Literal, TypedDict, Unpack

from pydantic import Field

from pytest_mcpbench.simulated.deep_research.world import Research
from pytest_mcpbench.simulated.engine import ZOD, Simulation

_MOST_KEYWORDS = 5


class Round(TypedDict, total=False):
    """Optional parameters of a round of research."""

    reference: Annotated[str, Field(description="What is known so far")]
    keywords: Annotated[
        list[str], Field(description=f"One to {_MOST_KEYWORDS} phrases to search for", max_length=_MOST_KEYWORDS)
    ]
    topic: Annotated[
        Literal["general", "news", "finance"],
        Field(description="Kind of sources", json_schema_extra={"default": "general"}),
    ]
    rounds: Annotated[
        int, Field(description="Number of this round of searching, from 1", json_schema_extra={"default": 1})
    ]


def deep_research(
    research: Research,
    question: Annotated[str, Field(description="What the user wants to know")],
    **options: Unpack[Round],
) -> Any:
    """Look into a question over several rounds of web searches, with new search phrases in each round."""
    return research.report(
        question, options.get("reference", ""), options.get("keywords", []), options.get("rounds", 1)
    )


SIMULATION = Simulation(
    name="DeepResearch", state=Research, tools=(deep_research,), dialect=ZOD, hyphenated=True, failure="{message}"
)
server = SIMULATION.server
"""Factory that builds the server over the small web."""
