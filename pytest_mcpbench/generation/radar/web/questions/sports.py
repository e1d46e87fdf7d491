"""Questions about matches and races."""

from collections.abc import Mapping

from pytest_mcpbench.generation.radar.web.facts import Standing, matches, standings
from pytest_mcpbench.generation.radar.web.question import Question, ask, single
from pytest_mcpbench.generation.radar.web.questions.extremes import Facts, bottom, top


def sports(facts: Facts) -> list[Question]:
    """Return the questions about football, running and chess."""
    clubs, marathon = facts["clubs"], facts["marathon"]
    tables = {season: {one.club: one for one in standings(results)} for season, results in facts["league"].items()}
    return [
        ask(
            "Who coaches Greywick Ropers?",
            clubs["Greywick Ropers"]["coach"],
            ("club-greywick-ropers", "Lina Oakes"),
        ),
        ask(
            "How did the match that Halse Hours played at home against Dunmarrow Copper in the 2024/25 season of the "
            "Isles League end? Home goals first, like 5-4.",
            single(
                f"{own}-{other}"
                for home, away, own, other in matches(facts["league"]["2024/25"])
                if (home, away) == ("Halse Hours", "Dunmarrow Copper")
            ),
            ("season-2024-25", "Halse Hours 2-1 1-1 0-2 x 0-1 2-2"),
        ),
        ask(
            "How many points did the champion of the Isles League 2024/25 have at the end?",
            _champion(tables["2024/25"]).points,
            ("season-2024-25", f"{_champion(tables['2024/25']).club} {_champion(tables['2024/25']).won}"),
        ),
        ask(
            "How many goals did Customs Athletic score in the two seasons 2023/24 and 2024/25 of the Isles League "
            "taken together?",
            sum(table["Customs Athletic"].scored for table in tables.values()),
            *((f"season-{season.replace('/', '-')}", _goals(tables[season]["Customs Athletic"])) for season in tables),
        ),
        ask(
            "At which ground does the club play that won the Isles League in 2023/24? Name of the ground only.",
            clubs[_champion(tables["2023/24"]).club]["ground"],
            ("season-2023-24", "Dunmarrow Copper 7 3 0"),
            ("club-dunmarrow-copper", "Shaft End"),
        ),
        ask(
            "How many spectators does the ground of the club hold that came last in the Isles League 2024/25?",
            clubs[bottom(tables["2024/25"], lambda one: one.points)]["capacity"],
            ("season-2024-25", "Halse Hours 1 "),
            ("club-halse-hours", "3,250"),
        ),
        ask(
            "The capital of the isles has two football clubs. How many years older is the elder of them?",
            clubs["Customs Athletic"]["founded"] - clubs["Maren Rovers"]["founded"],
            ("club-maren-rovers", 1894),
            ("club-customs-athletic", 1909),
        ),
        ask(
            "By how many seconds did Ulf Arkwell win the Isles Marathon of 2025?",
            _seconds(marathon[2025]["men"][1][1]) - _seconds(marathon[2025]["men"][0][1]),
            ("marathon-2025", "Ulf Arkwell, 2:23:48"),
            ("marathon-2025", "2:24:05"),
        ),
        ask(
            "How many more runners finished the Isles Marathon in 2025 than two years earlier?",
            marathon[2025]["finishers"] - marathon[2023]["finishers"],
            ("marathon-2025", "1,047"),
            ("marathon-2023", "812"),
        ),
        ask(
            "Which runner was among the first three men of the Isles Marathon in 2023, 2024 and 2025 alike?",
            single(set.intersection(*({runner for runner, _ in year["men"]} for year in marathon.values()))),
            ("marathon-2023", "Ulf Arkwell"),
            ("marathon-2024", "Ulf Arkwell"),
            ("marathon-2025", "Ulf Arkwell"),
        ),
        ask(
            "By how many seconds did Asta Brindle run the Isles Marathon faster in 2024 than in 2023?",
            _seconds(marathon[2023]["women"][0][1]) - _seconds(marathon[2024]["women"][0][1]),
            ("marathon-2023", "2:41:07"),
            ("marathon-2024", "2:38:29"),
        ),
        ask(
            "How many points separated the first and the fifth of the isles' chess championship in 2025?",
            facts["chess"]["standings"][0]["points"] - facts["chess"]["standings"][4]["points"],
            ("chess", "Tilda Rook, 6.0"),
            ("chess", "Karel Dunning, 3.5"),
        ),
        ask(
            "When was the building constructed to which the chess championship of the isles moves in 2026? Year.",
            facts["towns"]["Northmouth"]["landmark_built"],
            ("chess", "herring of Northmouth"),
            ("town-northmouth", 1827),
        ),
    ]


def _champion(table: Mapping[str, Standing]) -> Standing:
    return table[top(table, lambda one: one.points)]


def _goals(one: Standing) -> str:
    return f"{one.scored}:{one.conceded} {one.points}"


def _seconds(time: str) -> int:
    """Convert a time such as ``2:41:07`` to seconds."""
    hours, minutes, rest = map(int, time.split(":"))
    return 3600 * hours + 60 * minutes + rest
