"""Questions of a pipeline to a model: replies, their cache, and the budget."""

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from pydantic import BaseModel

from pytest_mcpbench.core.chat import ChatMessage, ModelSettings, Reply
from pytest_mcpbench.core.errors import UsageError
from pytest_mcpbench.core.tool import ToolSpec
from pytest_mcpbench.core.usage import Usage
from pytest_mcpbench.generation.pipeline.questions import Questions, UnreadableReplyError, estimate
from pytest_mcpbench.generation.pipeline.reply_cache import BudgetError, ReplyCache
from pytest_mcpbench.generation.pipeline.stages import Asking, EachStage


class Colour(BaseModel):
    name: str


class Speaker:
    """A model that gives its replies in order; each costs a cent unless the price is unknown."""

    name = "speaker"

    def __init__(self, *replies: str, cost_usd: float | None = 0.01) -> None:
        self._replies = list(replies)
        self._usage = Usage(input_tokens=10, output_tokens=2, cached_tokens=0, cache_write_tokens=0, cost_usd=cost_usd)
        self.heard: list[str] = []

    async def complete(
        self, messages: Sequence[ChatMessage], _tools: Sequence[ToolSpec], _settings: ModelSettings
    ) -> Reply:
        self.heard.append(messages[-1].text)
        await anyio.lowlevel.checkpoint()
        text = self._replies.pop(0)
        return Reply(text=text, usage=self._usage, finish_reason="length" if text.endswith("…") else "stop")


def ask(questions: Questions, prompt: str = "Which?") -> str:
    return anyio.run(questions.ask, "Name a colour.", prompt, Colour).name


def test_a_reply_is_stored_and_never_paid_for_twice(tmp_path: Path) -> None:
    first = Questions(Speaker('Sure: {"name": "red"}'), ReplyCache(tmp_path / "replies.jsonl"))
    assert ask(first) == "red"
    again = Questions(Speaker(), ReplyCache(tmp_path / "replies.jsonl"))
    assert ask(again) == "red"
    assert (
        again.usage
        == first.usage
        == Usage(input_tokens=10, output_tokens=2, cached_tokens=0, cache_write_tokens=0, cost_usd=0.01)
    )


def test_a_reply_that_was_cut_off_is_paid_for_once(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    assert ask(Questions(Speaker('{"name": "re…', '{"name": "red"}'), ReplyCache(file))) == "red"
    again = Questions(Speaker(), ReplyCache(file))
    assert (ask(again), again.usage.cost_usd) == ("red", 0.02)


def test_candidates_with_the_same_question_at_the_same_time_pay_for_one_reply(tmp_path: Path) -> None:
    questions = Questions(Speaker('{"name": "red"}'), ReplyCache(tmp_path / "replies.jsonl"))

    async def ask_twice() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(2):
                group.start_soon(questions.ask, "Name a colour.", "Which?", Colour)

    anyio.run(ask_twice)
    assert questions.asked == 1


def test_the_model_is_told_what_is_wrong_with_its_reply(tmp_path: Path) -> None:
    speaker = Speaker("red", '{"colour": "red"}', '{"name": "red"}')
    assert ask(Questions(speaker, ReplyCache(tmp_path / "replies.jsonl"))) == "red"
    assert speaker.heard[1].startswith("it contains no JSON object. Reply with one JSON object")
    assert speaker.heard[2].startswith("name: Field required.")


def test_a_model_that_never_keeps_to_the_form_is_an_error_of_this_question(tmp_path: Path) -> None:
    with pytest.raises(UnreadableReplyError, match="3 replies of speaker"):
        ask(Questions(Speaker("a", "b", "c"), ReplyCache(tmp_path / "replies.jsonl")))


def test_no_question_is_asked_beyond_the_budget_earlier_runs_included(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    ask(Questions(Speaker('{"name": "red"}'), ReplyCache(file)))
    with pytest.raises(BudgetError, match=r"\$0\.0100 of \$0\.01 are spent"):
        ask(Questions(Speaker(), ReplyCache(file, most_cost_usd=0.01)), "And now?")


def test_a_budget_needs_a_known_price(tmp_path: Path) -> None:
    questions = Questions(
        Speaker('{"name": "red"}', cost_usd=None), ReplyCache(tmp_path / "replies.jsonl", most_cost_usd=1)
    )
    ask(questions)
    with pytest.raises(UsageError, match="price of speaker is unknown"):
        ask(questions, "And now?")


def test_the_estimate_adds_up_the_stages_that_ask() -> None:
    async def step(_candidate: object) -> list[object]:
        raise AssertionError

    stages = [
        EachStage("a", Colour, step, Asking(prompt_tokens=100, reply_tokens=10)),  # type: ignore[arg-type]
        EachStage("b", Colour, step),  # type: ignore[arg-type]
        EachStage("c", Colour, step, Asking(prompt_tokens=1000, reply_tokens=50, questions=2)),  # type: ignore[arg-type]
    ]
    found = estimate(stages, 20, lambda usage: ((usage.input_tokens or 0) + (usage.output_tokens or 0)) / 1e6)
    assert found.sentence == "about 60 questions, 42,000 tokens to read and 2,200 to write, about $0.04"
    assert estimate(stages, 20, lambda _usage: None).sentence.endswith("at an unknown price")
