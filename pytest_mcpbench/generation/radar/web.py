"""Web search domain: pages about invented islands, and questions that only these pages answer."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from operator import itemgetter
from typing import Any

from pytest_mcpbench.core.errors import TaskError
from pytest_mcpbench.core.result_templates import ResultTemplateError, fill
from pytest_mcpbench.generation.radar.request import source
from pytest_mcpbench.generation.source.files import SourceEntry, file_place, read_entries, source_text
from pytest_mcpbench.simulated.websearch.page import Page, page_file, read_page
from pytest_mcpbench.simulated.websearch.world import packaged_web
from pytest_mcpbench.text.moments import long_date

# Facts about the invented islands, from which the pages are rendered and the answers computed.


@cache
def facts() -> dict[str, Any]:
    """Return all facts of ``facts.yaml``."""
    import yaml

    # Years and dates are values here; the parser of task files would leave them texts.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    file = source("web/facts.yaml")
    try:
        read: dict[str, Any] = yaml.load(source_text(file), loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise TaskError(f"not valid YAML: {error.problem}.", file_place(file, line)) from error
    return read


@dataclass
class ClubPosition:
    """Position of one club in a season's table."""

    club: str
    won: int = 0
    drawn: int = 0
    lost: int = 0
    scored: int = 0
    conceded: int = 0

    @property
    def points(self) -> int:
        return 3 * self.won + self.drawn

    def play(self, own: int, other: int) -> None:
        """Add the result of one match."""
        self.won += own > other
        self.drawn += own == other
        self.lost += own < other
        self.scored += own
        self.conceded += other


def matches(season: Mapping[str, Sequence[str | None]]) -> Iterable[tuple[str, str, int, int]]:
    """Yield home side, away side and goals of each match."""
    clubs = list(season)
    for home, results in season.items():
        for away, result in zip(clubs, results, strict=True):
            if result:
                own, other = map(int, result.split("-"))
                yield home, away, own, other


def standings(season: Mapping[str, Sequence[str | None]]) -> list[ClubPosition]:
    """Return the final table of a season, best club first."""
    table = {club: ClubPosition(club) for club in season}
    for home, away, own, other in matches(season):
        table[home].play(own, other)
        table[away].play(other, own)
    return sorted(table.values(), key=lambda one: (-one.points, one.conceded - one.scored, -one.scored))


# Questions about the simulated web, with their answers and the passages that contain them.


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


# Pages of the simulated web, rendered from its facts with one template per kind of page.


ENTRIES_BY_TEMPLATE = {
    "island": "islands",
    "town": "towns",
    "company": "companies",
    "person": "people",
    "lighthouse": "lighthouses",
    "ferry": "ferries",
    "club": "clubs",
    "season": "league",
    "marathon": "marathon",
    "prize": "prizes",
    "election": "assembly",
}
"""Template -> topic whose entries get one page each. Every other template renders a single page."""


def pages() -> dict[str, Page]:
    """Return the pages by file name, without the suffix."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError

    environment = Environment(
        loader=FileSystemLoader(source("web/pages")),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(slug=slug, day=long_date, n=lambda number: f"{number:,}", standings=standings)
    found: dict[str, Page] = {}
    for file in sorted(source("web/pages").glob("*.md")):
        try:
            # The pages that a template renders: one, or one for each entry of its topic.
            template = environment.get_template(file.name)
            topic = ENTRIES_BY_TEMPLATE.get(file.stem)
            entries: Mapping[Any, Any] = facts()[topic] if topic else {None: None}
            for number, (name, it) in enumerate(entries.items(), start=1):
                text = template.render(**facts(), name=str(name), it=it, loop=number)
                page_name = file.stem if name is None else f"{file.stem}-{slug(str(name))}"
                found[page_name] = read_page(_normalise_blank_lines(text))
        except TemplateError as error:
            raise TaskError(f"the page cannot be rendered: {error}.", file_place(file)) from error
    return found


def page_files() -> dict[str, str]:
    """Return the content of each page file by file name."""
    return {f"{name}.md": page_file(page) for name, page in pages().items()}


def slug(name: str) -> str:
    """Convert a name to the form that it has in a URL."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace("'", "")).strip("-")


def _normalise_blank_lines(text: str) -> str:
    """Remove blank lines inside tables, and put one around headings, tables and lists."""
    text = re.sub(r"\| *\n\n+(?=\|)", "|\n", re.sub(r"\| +$", "|", text, flags=re.MULTILINE))
    text = re.sub(r"^(\|.*|- .*|\d+\. .*)\n(?=[A-Z#])", r"\1\n\n", text, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", text)


# Searches that find the pages from which an answer follows.


def derivation(question: WebQuestion) -> dict[str, Any]:
    """Return the searches for a question's pages, with the passages that they show.

    The first search is for the question; pages that it does not find are searched by the name that an earlier page has.
    """
    made = pages()
    calls: list[dict[str, Any]] = []
    shown: dict[str, list[str]] = {}
    found: dict[str, str] = {}

    def call(tool: str, **arguments: str) -> str:
        calls.append({"tool": tool, "arguments": arguments})
        return str(len(calls))

    def search(query: str) -> None:
        made_as = call("search", query=query)
        found.update({page.url: made_as for page in packaged_web().search(query) if page.url not in found})

    search(question.prompt)
    for name in dict.fromkeys(name for name, _ in question.passages):
        page = made[name]
        if page.url not in found:
            # What a page is about: its title without what follows a dash, colon or comma.
            search(page.title.partition(" - ")[0].partition(":")[0].partition(",")[0])
        shown.setdefault(found[page.url], []).append(page.url)
        shown[call("fetch_content", url=page.url)] = [text for place, text in question.passages if place == name]
    return {"calls": calls, "shown": shown}
