"""Users that answer: goal, persona and script of a task's user, and checks of the conversation with them."""

from typing import Literal

from pydantic import Field, model_validator

from pytest_mcpbench.core.frozen import FrozenModel
from pytest_mcpbench.core.search_pattern import SearchPattern

USER_ANSWERS = "the user answers the agent, so that no turn has a reference of its own"
"""Reason why metrics that compare turn by turn do not apply."""
UserEnd = Literal["satisfied", "gave_up"]
"""Ends of a conversation that its user decides."""
ConversationEnd = Literal["satisfied", "gave_up", "turn_limit"]
"""Ends of a conversation; ``turn_limit``: the user has no further message."""


class ScriptedReply(FrozenModel):
    """Rule of a scripted user: what they reply to a message of the agent."""

    match: SearchPattern = ""
    """Regular expression that the message contains, without regard to case; empty: any message."""
    reply: str = ""
    end: UserEnd | None = None
    """End of the conversation after the reply, which the agent then does not answer."""

    @model_validator(mode="after")
    def _says_something(self) -> "ScriptedReply":
        if not self.reply.strip() and self.end is None:
            raise ValueError("a rule has a `reply`, an `end` (satisfied or gave_up), or both")
        return self


class SimulatedUser(FrozenModel):
    """User of a task who answers the agent; the first message is the task's own."""

    goal: str = ""
    """What the user wants, and the facts that they know. The agent does not see it."""
    persona: str = ""
    """How the user speaks, and what they do not say unless they are asked."""
    script: tuple[ScriptedReply, ...] = ()
    """Replies by rule, of which the first that matches is given; they need no model."""
    turns: int = Field(6, ge=1)
    """Messages of the user at most, the first included."""
    seconds: float = Field(120.0, gt=0)
    """Time for one message of a model that plays the user; the agent's time does not run meanwhile."""
    cost_usd: float | None = Field(None, gt=0)
    """Cost of the model that plays the user, in one attempt at most."""

    @model_validator(mode="after")
    def _can_be_played(self) -> "SimulatedUser":
        if not self.goal.strip() and not self.script:
            raise ValueError("a user has a `goal`, for a model that plays them, or a `script`, or both")
        return self


class ConversationCheck(FrozenModel):
    """Statement about what agent and user said: ``asked`` and ``told`` (together: question and reply), or another."""

    asked: SearchPattern | None = None
    """Regular expression that a message of the agent contains, without regard to case."""
    told: SearchPattern | None = None
    """The same of a message of the user; with ``asked``, of the one that follows it."""
    never_said: SearchPattern | None = None
    """Regular expression that no message of the agent contains."""
    ended: UserEnd | None = None
    """The way in which the user ended the conversation."""
    before: str | None = None
    """Tool that must not be called before ``asked`` and ``told``, under its own name or the exposed one."""

    @model_validator(mode="after")
    def _has_one_kind(self) -> "ConversationCheck":
        about_words = self.asked is not None or self.told is not None
        if sum((about_words, self.never_said is not None, self.ended is not None)) != 1:
            raise ValueError("a check of a conversation has asked, told or both; or never_said; or ended")
        if self.before is not None and not about_words:
            raise ValueError("`before` needs `asked` or `told`")
        return self

    def __str__(self) -> str:
        if self.never_said is not None:
            return f"the agent never says '{self.never_said}'"
        if self.ended is not None:
            return f"the user ends the conversation {'satisfied' if self.ended == 'satisfied' else 'by giving up'}"
        words = [
            *([f"the agent says '{self.asked}'"] if self.asked is not None else []),
            *([f"the user {'replies' if self.asked is not None else 'says'} '{self.told}'"] if self.told else []),
        ]
        return " and ".join(words) + (f" before {self.before} is called" if self.before else "")
