"""Questions about people's lives."""

from collections.abc import Mapping
from typing import Any

from pytest_mcpbench.generation.radar.web.question import Question, ask, single
from pytest_mcpbench.generation.radar.web.questions.extremes import Facts


def people(facts: Facts) -> list[Question]:
    """Return the questions about people, their works, and related places and prizes."""
    people, towns, prizes = facts["people"], facts["towns"], facts["prizes"]
    prize = prizes["Maren Prize for Literature"]["winners"]
    return [
        ask(
            "On which day did the painter Thea Morwen die? Format: YYYY-MM-DD.",
            people["Thea Morwen"]["died"],
            ("person-thea-morwen", people["Thea Morwen"]["died"]),
        ),
        ask(
            "How many of Thea Morwen's 143 Windows belong to the town of Astrand?",
            people["Thea Morwen"]["windows"] - people["Thea Morwen"]["windows_in_the_museum"],
            ("person-thea-morwen", "58"),
        ),
        ask(
            "What is the title of Corin Vashel's second novel?",
            list(people["Corin Vashel"]["novels"].values())[1],
            ("person-corin-vashel", "Winter Berth (1978)"),
        ),
        ask(
            "How many plants did the botanist Nils Corrowby put on his list?",
            people["Nils Corrowby"]["plants"],
            ("person-nils-corrowby", "761"),
        ),
        ask(
            "In what year will the comet come back that the astronomer Yrsa Hallin discovered?",
            people["Yrsa Hallin"]["comet_returns"],
            ("person-yrsa-hallin", "2158"),
        ),
        ask(
            "How much larger, in percentage points, was Edda Carrow's share of the votes at her second election as "
            "mayor than at her first?",
            round(people["Edda Carrow"]["votes"][1] - people["Edda Carrow"]["votes"][0], 1),
            ("person-edda-carrow", "53.4"),
            ("person-edda-carrow", "58.9"),
        ),
        ask(
            "At what age, in completed years, did the composer Rolf Edevane die?",
            _age(people["Rolf Edevane"]),
            ("person-rolf-edevane", people["Rolf Edevane"]["born"]),
            ("person-rolf-edevane", people["Rolf Edevane"]["died"]),
        ),
        ask(
            "In the year in which Lise Amberly won the Maren Prize, how many years had passed since her first "
            "collection of poems came out?",
            single(year for year, (winner, _) in prize.items() if winner == "Lise Amberly")
            - min(people["Lise Amberly"]["collections"]),
            ("prize-maren-prize-for-literature", "2019 Lise Amberly"),
            ("person-lise-amberly", "Slate (2003)"),
        ),
        ask(
            "For her poems Lise Amberly uses the language that she teaches. When, weekday and hour, does Radio "
            "Hallowmere broadcast in it? Write it like: Monday, 09:30.",
            facts["radio"]["hallow_hour"],
            ("person-lise-amberly", "Hallow"),
            ("radio", facts["radio"]["hallow_hour"]),
        ),
        ask(
            "Who is mayor today of the place where the composer of the First Harbour Suite was born?",
            towns[people["Rolf Edevane"]["birthplace"]]["mayor"],
            ("person-rolf-edevane", "Fallow Point"),
            ("town-fallow-point", "Piers Ottaway"),
        ),
        ask(
            "Which scientist was given the Hollin Medal for work on a plant that Nils Corrowby had found?",
            single(winner for winner, work in prizes["Hollin Medal"]["winners"].values() if work == "the sand vetch"),
            ("person-nils-corrowby", "sand vetch"),
            ("prize-hollin-medal", "2010 Clara Mainwaring the sand vetch"),
        ),
        ask(
            "How many women and men, all in all, studied at the faculty of engineering of the university at which the "
            "founder of Windrow Energy was a student? Take the figures of autumn 2024.",
            facts["university"]["faculties"]["Engineering"],
            ("person-ingrid-aske", "University of Maren"),
            ("university", "1,120"),
        ),
        ask(
            "The winner of the women's race at the Isles Marathon of 2024 was born in a fishing town. How large is the "
            "area of this town, in square kilometres?",
            towns[people[facts["marathon"][2024]["women"][0][0]]["birthplace"]]["area"],
            ("marathon-2024", "Asta Brindle"),
            ("person-asta-brindle", "Northmouth"),
            ("town-northmouth", 12.2),
        ),
    ]


def _age(person: Mapping[str, Any]) -> int:
    born, died = person["born"], person["died"]
    return int(died.year - born.year - ((died.month, died.day) < (born.month, born.day)))
