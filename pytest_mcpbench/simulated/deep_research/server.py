"""The research server: the tool of ``mcp-deep-research`` (baranwang) over the small web.

The parameters and the parts of the response are the real server's; the instructions in it are in our own words.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypedDict, Unpack

from pydantic import Field

from pytest_mcpbench.core.sandbox import World
from pytest_mcpbench.simulated.engine import ZOD, Simulation
from pytest_mcpbench.simulated.websearch.world import Web

# Reports of search results, as the research server hands them back to the agent.

MOST_ROUNDS = 5
_RESULTS = 5
_PASSAGE = 600
"""Number of characters of a page in a report."""
_REPORT = """# Task
Decide whether the known information answers the question.

# Background
Question: {question}
Round: {rounds} of {most_rounds}
Time: {now:%Y-%m-%d %H:%M}

# Known information
{known}

# What to do
- If it is enough: answer the question, and name the sources.
- If it is not: call the tool again with the known information as the reference, new keywords and round {next_round}.
- After round {most_rounds}: answer with what is known, and say what is uncertain."""


class Research:
    """The small web of one attempt, searched in rounds."""

    def __init__(self, world: World) -> None:
        self._now = world.now
        self._web = Web.of(world)

    def report(self, question: str, reference: str, keywords: Sequence[str], rounds: int) -> str:
        """Search for each keyword and return the results after the reference, with instructions for the next step."""
        sections: list[str] = []
        for keyword in keywords:
            references = (
                f"### Reference {number}:\nTitle: {page.title}\nContent: {page.text[:_PASSAGE]}\n"
                for number, page in enumerate(self._web.search(keyword, _RESULTS), 1)
            )
            sections.append(f"## {keyword}\n{''.join(references)}")
        return _REPORT.format(
            question=question,
            rounds=rounds,
            next_round=rounds + 1,
            most_rounds=MOST_ROUNDS,
            now=self._now,
            known=reference + "\n".join(sections),
        )


# The tools.

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
