"""Selection of distractors: tools that a task does not need, added to those that the agent sees."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_mcpbench.core.sampling import draw_sample
from pytest_mcpbench.core.suite import SuiteManifest
from pytest_mcpbench.core.task import Task
from pytest_mcpbench.core.text_search.bm25 import Index
from pytest_mcpbench.core.text_search.tokens import terms
from pytest_mcpbench.core.text_search.tool_documents import first_sentence, tool_document
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.tool_index import ToolIndex


@dataclass(frozen=True)
class Distractors:
    """Names of the tools to add, with a note on their number."""

    names: tuple[str, ...]
    note: str


def choose_distractors(
    own: Sequence[ToolSpec], tools: Sequence[ToolSpec], task: Task, suite: SuiteManifest
) -> Distractors:
    """Return the distractors of a task, the same in every run and for every model.

    Those for a smaller number are among those for a larger one.
    """
    own_names = {tool.name for tool in own}
    others = [tool for tool in tools if tool.name not in own_names]
    ranked = _ranked(others, _required_tools(own, tools, task), task, suite)
    chosen = ranked[: suite.distractors]
    return Distractors(tuple(tool.name for tool in chosen), _note(len(chosen), suite))


def categories_of(servers: Iterable[str], suite: SuiteManifest) -> frozenset[str]:
    """Return the categories of servers; a server that has none is a category of its own."""
    found: set[str] = set()
    for server in servers:
        found.update([name for name, members in suite.categories.items() if server in members] or [server])
    return frozenset(found)


def _ranked(
    others: Sequence[ToolSpec], required: Sequence[ToolSpec], task: Task, suite: SuiteManifest
) -> tuple[ToolSpec, ...]:
    """Return the tools that may be distractors, the first choice first."""
    by_name = sorted(others, key=lambda tool: tool.name)
    # Drawn by seed and task id; sorting by nearness keeps this order among tools that are equally near.
    drawn = draw_sample(by_name, len(by_name), seed=suite.seed, key=task.id)
    if suite.distractor_choice == "random":
        return drawn
    if suite.distractor_choice == "category":
        wanted = categories_of((tool.server for tool in required), suite)
        return tuple(tool for tool in drawn if wanted & categories_of((tool.server,), suite))
    nearness = dict(zip((tool.name for tool in drawn), _nearness(drawn, required), strict=True))
    return tuple(sorted(drawn, key=lambda tool: -nearness[tool.name]))


def _nearness(candidates: Sequence[ToolSpec], required: Sequence[ToolSpec]) -> list[float]:
    """Return each candidate's BM25 score for the name and the purpose of the required tool that it resembles most."""
    index = Index([tool_document(tool) for tool in candidates])
    texts = [f"{tool.tool} {first_sentence(tool)}" for tool in required]
    scores = [index.scores(dict.fromkeys(terms(text), 1.0)) for text in texts]
    return [max(of_tool, default=0.0) for of_tool in zip(*scores, strict=True)] if scores else [0.0] * len(candidates)


def _required_tools(own: Sequence[ToolSpec], tools: Sequence[ToolSpec], task: Task) -> Sequence[ToolSpec]:
    """Return the tools of the reference calls; without a reference, all of the task's own tools."""
    index = ToolIndex.of(tools)
    found = (index.tool_of_reference(call.tool, call.server) for call in task.expected.flat_calls)
    return list({tool.name: tool for tool in found if tool is not None}.values()) or own


def _note(number: int, suite: SuiteManifest) -> str:
    choice = "" if suite.distractor_choice == "random" else f" ({suite.distractor_choice})"
    if number == suite.distractors:
        return f"distractors{choice}: {number}"
    where = " in the categories of the required tools" if suite.distractor_choice == "category" else ""
    return f"distractors{choice}: {number} of {suite.distractors}; there are no more tools{where}"
