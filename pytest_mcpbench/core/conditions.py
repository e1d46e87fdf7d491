"""Conditions of an experiment: the tools, instructions and context that an agent receives."""

from typing import Literal

from pydantic import Field, field_validator

from pytest_mcpbench.core.frozen import FrozenModel

Exposure = Literal["all", "selected", "listed", "needed", "none"]
Presentation = Literal["listed", "search"]
DeferredTools = Literal["names", "lines", "none"]
ResultForm = Literal["content", "structured"]
DistractorChoice = Literal["random", "category", "near"]

NO_PROMPT = "none"
"""Name of the prompt setting that means no system prompt."""
OWN_PROMPT = "system"
"""Name of the suite's own system prompt."""
NO_DISPATCHER = "none"
PROVIDER = "provider"
"""Way of searching for tools that the provider of the model has."""


class Conditions(FrozenModel):
    """Settings that the experiments of the papers vary; every suite runs under one set of them."""

    exposure: Exposure = "selected"
    """Selection of the tools that the agent sees.

    ``all``: every tool of the suite. ``selected``: the tools of the task's servers (of every server if the task lists
    none), reduced to the task's ``tools`` if it lists any. ``listed``: the task's ``tools``. ``needed``: the tools of
    its reference calls. ``none``: no tool at all, as in the filter of MCP-RADAR 3.1, which drops the tasks that a model
    solves without tools.
    """
    distractors: int = Field(0, ge=0)
    """Number of unrelated tools to add from the suite (MCP-Atlas exposes 12 to 18 and needs 3 to 7)."""
    distractor_choice: DistractorChoice = "random"
    """Selection of the distractors.

    ``random``: any tools. ``category``: tools of servers in the same categories as those of the required tools, as the
    annotators of MCP-Atlas chose them. ``near``: the tools whose names and descriptions are most similar to those of
    the required tools (its "semantic neighbors").
    """
    dispatcher: str = NO_DISPATCHER
    """Retriever that selects tools for the request (MCPToolBench++ 3.1): ``bm25``, ``regex`` or an embedding model."""
    top_k: int = Field(10, ge=1)
    """Number of tools that the dispatcher selects."""
    presentation: Presentation | None = None
    """How models learn of the exposed tools; ``None``: ``listed``, and as it is their default for programs.

    ``listed``: they see all definitions. ``search``: they see a tool that searches, and the tools that it finds can be
    called from the next message on.
    """
    deferred_tools: DeferredTools = "names"
    """Part of the tools that models see before they search: ``names``, ``lines`` (names and first sentences of the
    descriptions) or ``none``. A provider's own search has definitions, and decides itself.
    """
    search_from: int | None = Field(None, ge=1)
    """``search``: estimated tokens of the definitions from which on models search; with fewer, they see them all."""
    tool_search: str = "bm25"
    """Way of searching: ``bm25``, ``regex``, an embedding model, or ``provider`` for that of the model's provider."""
    search_results: int = Field(5, ge=1)
    """Largest number of tools that a search finds."""
    client: str | None = None
    """Profile of an MCP client that the run names, whose values the following conditions hold."""
    instruction_characters: int | None = Field(None, ge=0)
    """Characters of each server's instructions that agents read; ``None``: all."""
    description_characters: int | None = Field(None, ge=0)
    """Characters of each tool's description that agents read; ``None``: all."""
    name_form: str | None = None
    """Form of tools' names, such as ``mcp__{server}__{tool}``; ``None``: as ``tool_names`` says."""
    longest_name: int | None = Field(None, ge=1)
    """Characters of server and tool together beyond which a tool is left out."""
    most_tools: int | None = Field(None, ge=1)
    """Number of tools beyond which the later ones are left out."""
    result_form: ResultForm = "content"
    """Form of results that have both: ``content``, the blocks, or ``structured``, the JSON of the structured value."""
    result_limit: int | None = Field(None, ge=1)
    """Characters beyond which models read only the first part of a result."""
    result_preview: int | None = Field(None, ge=1)
    """Characters of that part; ``None``: as many as ``result_limit``."""
    capabilities: tuple[str, ...] | None = None
    """Capabilities that clients declare to servers, such as ``elicitation.form``, ``roots`` and ``sampling``; ``None``:
    elicitation and roots. Servers may hide tools from clients that lack one."""
    sampling: str | None = None
    """Model that answers servers that ask for a message (sampling), which is then declared; ``None``: such requests
    are refused."""
    prompt: str | None = None
    """Name of the suite's prompt to use as system prompt. ``none`` means no system prompt; ``system`` is stored as
    ``None`` and means the suite's ``system``."""
    server_instructions: Literal["shown", "hidden"] = "shown"
    """Whether agents get the instructions of the servers; models read them after the system prompt."""
    skills: tuple[str, ...] = ()
    """Paths, relative to the suite, of documents for agents (MCP-Persona 4.4)."""
    skill_presentation: Literal["whole", "offered"] | None = None
    """How models learn of skills; ``None``: ``offered`` in tasks that say which ones to load, otherwise ``whole``.

    ``whole``: they read the documents after the system prompt. ``offered``: they see names and descriptions, and a tool
    that loads one.
    """
    server_resources: Literal["tools", "none"] | None = None
    """Whether models get tools that list and read the servers' resources; ``None``: in tasks that expect such reads."""
    server_prompts: Literal["tools", "none"] = "none"
    """Whether models get a tool that gets the servers' prompts."""
    context: Literal["full", "necessary"] = "full"
    """``necessary``: only the necessary facts about the user, without the task's unnecessary ones and distractors
    (MCP-Persona, Table 9)."""
    context_distractors: int = Field(0, ge=0)
    """Number of irrelevant paragraphs to add to the user's context (MCP-Persona, Table 9: five)."""
    context_pool: str | None = None
    """File or directory of the paragraphs, relative to the suite; ``None``: those of the package."""
    hint: Literal["none", "tools"] = "none"
    """``tools``: each request states how many tool calls the reference has for it (MCP-RADAR, Table 4)."""
    route: bool = False
    """Whether only the first message of the agent is asked for, of which the calls are scored and not executed."""
    seed: int = 0
    """Seed for drawing distractors; the same task and seed always get the same ones."""

    @field_validator("capabilities")
    @classmethod
    def _are_known(cls, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        known = ("elicitation", "roots", "sampling", "tasks")
        for name in names or ():
            if name.partition(".")[0] not in known:
                raise ValueError(f"{name!r} is no capability of clients; there are {', '.join(known)} and their parts")
        return names

    @field_validator("prompt")
    @classmethod
    def _normalize_default_prompt(cls, name: str | None) -> str | None:
        """Store the suite's own prompt as ``None``, so that a run can be resumed whether it was named or omitted."""
        return None if name == OWN_PROMPT else name
