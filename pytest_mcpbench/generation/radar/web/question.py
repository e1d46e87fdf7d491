"""Questions about the simulated web, with their answers and the passages that contain them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from operator import itemgetter
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, fill
from pytest_mcpbench.generation.radar.request import source
from pytest_mcpbench.generation.radar.web.facts import facts, matches, standings
from pytest_mcpbench.generation.source.files import SourceEntry, read_entries


class WrittenQuestion(SourceEntry):
    """One question, whose answer is a template over the facts."""

    ask: str
    answer: str
    passages: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class WebQuestion:
    """One question with its answer."""

    prompt: str
    answer: str
    """Answer in the short form that the question asks for."""
    passages: tuple[tuple[str, str], ...]
    """Pairs of page (file name) and required text on it, in the order in which a reader finds them."""


def questions() -> list[WebQuestion]:
    """Return all questions. Each answer is computed from the facts, not copied from the pages."""
    tables = {season: {each.club: each for each in standings(results)} for season, results in facts()["league"].items()}
    # Templates of answers can use these beside the facts.
    values = {
        **facts(),
        **{"tables": tables, "stations": {each["name"]: each for each in facts()["railway"]["stations"]}},
        **{"standings": standings, "matches": matches, "only": only, "top": top, "bottom": bottom},
        **{"where": where, "named": named, "later": later, "seconds": seconds, "age": age},
    }
    found = []
    for written in read_entries(source("web/questions.yaml"), WrittenQuestion):
        try:
            answer = format_answer(fill(written.answer, values))
        except ResultTemplateError as error:
            raise TaskError(f"the answer cannot be computed: {error}.", written.place, "answer") from error
        if not answer:
            raise TaskError("the facts give no answer.", written.place, "answer")
        found.append(WebQuestion(written.ask, answer, written.passages))
    return found


def format_answer(answer: Any) -> str:
    """Format an answer: numbers without commas, dates as ``YYYY-MM-DD``, lists separated by commas."""
    if isinstance(answer, list | tuple):
        return ", ".join(map(format_answer, answer))
    return answer.isoformat() if isinstance(answer, date) else str(answer)


def only(candidates: Iterable[Any]) -> Any:
    """Return the only candidate. Raises ``ValueError`` if there are several, so that no question has two answers."""
    (one,) = candidates
    return one


def top(entries: Mapping[Any, Any], field: str | None = None) -> Any:
    """Return the key of the entry with the largest value of a field (or of itself), which must be unique."""
    values = {key: itemgetter(field)(entry) if field else entry for key, entry in entries.items()}
    return only(key for key, value in values.items() if value == max(values.values()))


def bottom(entries: Mapping[Any, Any], field: str | None = None) -> Any:
    """Return the key of the entry with the smallest value of a field (or of itself), which must be unique."""
    values = {key: itemgetter(field)(entry) if field else entry for key, entry in entries.items()}
    return only(key for key, value in values.items() if value == min(values.values()))


def where(entries: Mapping[Any, Any], field: str, value: Any) -> dict[Any, Any]:
    """Return the entries with a value of a field."""
    return {key: entry for key, entry in entries.items() if entry[field] == value}


def named(entries: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entries as a list, with their key as ``name``."""
    return [{"name": name, **entry} for name, entry in entries.items()]


def later(time: str, minutes: int) -> str:
    """Return the time of day some minutes after another."""
    hours, rest = map(int, time.split(":"))
    total = 60 * hours + rest + minutes
    return f"{total // 60:02d}:{total % 60:02d}"


def seconds(time: str) -> int:
    """Convert a time such as ``2:41:07`` to seconds."""
    hours, minutes, rest = map(int, time.split(":"))
    return 3600 * hours + 60 * minutes + rest


def age(person: Mapping[str, Any]) -> int:
    """Return the age at which a person died, in completed years."""
    born, died = person["born"], person["died"]
    return int(died.year - born.year - ((died.month, died.day) < (born.month, born.day)))
