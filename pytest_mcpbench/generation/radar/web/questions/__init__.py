"""Questions about the simulated web. Each answer is computed from the facts, not copied from the pages."""

from pytest_mcpbench.generation.radar.web.facts import facts
from pytest_mcpbench.generation.radar.web.question import Question
from pytest_mcpbench.generation.radar.web.questions import coast, companies, people, places, public, sports, travel

_PARTS = (
    *(places.towns, places.islands, companies.companies, people.people, travel.travel, coast.coast, sports.sports),
    public.public,
)


def questions() -> list[Question]:
    """Return all questions, grouped by topic."""
    return [one for part in _PARTS for one in part(facts())]
