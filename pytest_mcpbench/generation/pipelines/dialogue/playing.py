"""Conversations between a user and an assistant that models play (FinMCP-Bench 2.3)."""

from collections.abc import Iterator

from pydantic import BaseModel

from pytest_mcpbench.agents.users.model import ModelUser
from pytest_mcpbench.core.prompt import result_text
from pytest_mcpbench.core.simulated_user import SimulatedUser
from pytest_mcpbench.core.task import ExpectedCall, Limits, Message, Task, Turn
from pytest_mcpbench.core.trajectory import Trajectory
from pytest_mcpbench.generation.pipeline.candidates import Drop
from pytest_mcpbench.generation.pipeline.model_attempts import attempt_with_model
from pytest_mcpbench.generation.pipeline.questions import Questions
from pytest_mcpbench.generation.pipeline.setup import Setup
from pytest_mcpbench.generation.pipeline.stages import Asking, Outcome
from pytest_mcpbench.generation.pipelines.dialogue.candidates import (
    DialogueCall,
    DialogueCandidate,
    DialogueTurn,
    GoalCandidate,
)

TALKING = Asking(prompt_tokens=3000, reply_tokens=150, questions=16)
CHECKING = Asking(prompt_tokens=1500, reply_tokens=60)
MOST_TURNS = 6
"""Messages of a user."""
_LIMITS = Limits(rounds=30, tool_calls=30)
_INSTRUCTIONS = (
    "You check conversations between a person and an assistant. Decide whether the assistant has addressed everything "
    "that the person asked for, message by message, with what its tools returned."
)


class _Check(BaseModel):
    is_addressed: bool
    reason: str = ""


async def talk(setup: Setup, questions: Questions, candidate: GoalCandidate) -> Outcome:
    """Return the candidate with the conversation that the models had."""
    user = SimulatedUser(goal=candidate.goal, persona=candidate.persona, turns=MOST_TURNS)
    task = Task(
        id=candidate.id,
        turns=(Turn(user=candidate.opening),),
        user=user,
        servers=(candidate.server,),
        limits=_LIMITS,
    )
    played = ModelUser(questions.model, user, seed=setup.settings.seed, model_identity=questions.identity)
    evidence = await attempt_with_model(setup, questions, task, played)
    if isinstance(evidence, Drop):
        return evidence
    turns = tuple(_turns(evidence.trajectory))
    trajectory = evidence.trajectory
    if trajectory.stop != "answered":
        return Drop("the assistant does not finish", trajectory.stop)
    if trajectory.conversation is None or trajectory.conversation.end == "gave_up":
        return Drop("the user gave up")
    if len(turns) < 2:
        return Drop("the conversation has one turn")
    if not any(turn.steps for turn in turns):
        return Drop("the assistant calls no tool")
    return [DialogueCandidate(**candidate.model_dump(), turns=turns)]


async def check_addressed(questions: Questions, candidate: DialogueCandidate) -> Outcome:
    """Drop a conversation in which the model finds a request that was not addressed."""
    lines: list[str] = []
    for turn in candidate.turns:
        lines.append(f"Person: {turn.user}")
        for message in turn.gold:
            if message.role == "tool":
                lines.append(f"Result of a tool: {message.text}")
            elif message.text.strip():
                lines.append(f"Assistant: {message.text}")
    reply = await questions.ask(_INSTRUCTIONS, "\n\n".join(lines), _Check)
    return [candidate] if reply.is_addressed else Drop("a request of the user was not addressed", reply.reason)


def _turns(trajectory: Trajectory) -> Iterator[DialogueTurn]:
    """Yield each message of the user that the assistant has answered, with the recorded reply."""
    messages = trajectory.conversation.messages if trajectory.conversation else ()
    for number, message in enumerate(messages):
        steps = [step for step in trajectory.steps if step.turn == number]
        if not steps:
            continue
        gold: list[Message] = []
        calls: list[tuple[DialogueCall, ...]] = []
        for step in steps:
            # Calls that failed are left out of what later turns see.
            good = [call for call in step.calls if not call.is_error]
            expected = tuple(
                ExpectedCall(id=call.id, server=call.server, tool=call.called, arguments=call.arguments)
                for call in good
            )
            if expected or step.text.strip():
                gold.append(Message(role="assistant", text=step.text, calls=expected))
            gold += [
                Message(role="tool", call_id=call.id, text=result_text(call.result))
                for call in good
                if call.result is not None
            ]
            calls.append(
                tuple(
                    DialogueCall(id=call.id, server=call.server or "", tool=call.called, arguments=call.arguments)
                    for call in good
                )
            )
        yield DialogueTurn(user=message.text, gold=tuple(gold), steps=tuple(filter(None, calls)))
