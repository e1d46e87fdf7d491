"""Questions about public life."""

from datetime import date

from pytest_mcpbench.generation.radar.web.question import Question, ask, single
from pytest_mcpbench.generation.radar.web.questions.extremes import Facts, bottom


def public(facts: Facts) -> list[Question]:
    """Return the questions about elections, weather, public services and culture."""
    assembly, weather, power = facts["assembly"], facts["weather"], facts["power"]
    faculties = facts["university"]["faculties"]
    return [
        ask(
            "How many seats did Green Shore gain in the Isles Assembly from the election of 2018 to that of 2022?",
            assembly[2022]["seats"]["Green Shore"] - assembly[2018]["seats"]["Green Shore"],
            ("election-2018", "Green Shore: 7"),
            ("election-2022", "Green Shore: 10"),
        ),
        ask(
            "Together with which other party does the Harbour Union hold exactly 25 seats of the Assembly elected in "
            "2022?",
            single(
                party
                for party, seats in assembly[2022]["seats"].items()
                if party != "Harbour Union" and seats + assembly[2022]["seats"]["Harbour Union"] == 25
            ),
            ("election-2022", "Harbour Union: 14"),
            ("election-2022", "Islanders' League: 11"),
        ),
        ask(
            "What was the turnout, in per cent, when the Isles Assembly was elected in 2022?",
            assembly[2022]["turnout"],
            ("election-2022", 66.2),
        ),
        ask(
            "Which month of 2024 was the driest in Port Maren?",
            bottom(weather, lambda month: month["rain"]),
            ("weather", "June 14.0 49"),
        ),
        ask(
            "How many hours did the sun shine in Port Maren in June, July and August 2024 together?",
            sum(weather[month]["sun"] for month in ("June", "July", "August")),
            ("weather", "211"),
            ("weather", "188"),
            ("weather", "172"),
        ),
        ask(
            "How much electricity, in gigawatt hours, was made in the Hallowmere Isles in 2024 from wind, tide and oil "
            "altogether?",
            sum(power[2024].values()),
            ("power", "2024 528 64 59"),
        ),
        ask(
            "How many students had the largest faculty of the University of Maren more than the smallest, in autumn "
            "2024?",
            max(faculties.values()) - min(faculties.values()),
            ("university", "1,120"),
            ("university", "640"),
        ),
        ask(
            "How long is the bridge over the harbour of Port Maren, in metres?",
            facts["bridge"]["length"],
            ("bridge", "1,148"),
        ),
        ask(
            "Which telescope of the observatory at Stell has the mirror of middle size? Its name, please.",
            sorted(facts["observatory"]["mirrors"], key=facts["observatory"]["mirrors"].__getitem__)[1],
            ("observatory", "Survey Eye: 1.3"),
        ),
        ask(
            "How many miners came up with the last shift of the copper mine of Dunmarrow?",
            facts["mine"]["last_shift"],
            ("mine", 138),
        ),
        ask(
            "On Herring Days 2025, at what time does the piece begin that Rolf Edevane wrote in 1931? HH:MM.",
            single(one["time"] for one in facts["festival"]["events"] if one["name"] == "First Harbour Suite"),
            ("person-rolf-edevane", "First Harbour Suite (1931)"),
            ("festival", "20:15 First Harbour Suite"),
        ),
        ask(
            "How many beds more did Saint Orla's Hospital have in 2024 than ten years before?",
            facts["hospital"]["beds"][2024] - facts["hospital"]["beds"][2014],
            ("hospital", 296),
            ("hospital", 341),
        ),
        ask(
            "The library that gives the Maren Prize: how many loans did it count in 2024?",
            facts["library"]["loans"][2024],
            ("prize-maren-prize-for-literature", "Terrick Library"),
            ("library", "99,875"),
        ),
        ask(
            "Which author has won the Maren Prize for Literature twice since 2015?",
            single({w for w, _ in _winners(facts) if [winner for winner, _ in _winners(facts)].count(w) == 2}),
            ("prize-maren-prize-for-literature", "2017 Dilys Crane"),
            ("prize-maren-prize-for-literature", "2022 Dilys Crane"),
        ),
        ask(
            "In the 2025/26 season the Playhouse at Greywick shows a play by the winner of the Maren Prize of 2018. On "
            "which day is its first night? YYYY-MM-DD.",
            single(
                play["first_night"]
                for play in facts["theatre"]["plays"]
                if play["author"] == facts["prizes"]["Maren Prize for Literature"]["winners"][2018][0]
            ),
            ("prize-maren-prize-for-literature", "2018 Bram Lovell"),
            ("theatre", date(2025, 11, 28)),
        ),
        ask(
            "Which frequency, in MHz, has Radio Hallowmere on the island where puffins are counted?",
            facts["radio"]["frequencies"]["Quillan"],
            ("puffins", "Quillan"),
            ("radio", "Quillan: 104.2"),
        ),
        ask(
            "What do I pay in the isles for sending one parcel of five kilograms and one large letter, in crowns?",
            round(facts["postage"]["parcel_10kg"] + facts["postage"]["large_letter"], 1),
            ("postage", "10 kilograms: 11.5"),
            ("postage", "Large letter: 2.6"),
        ),
        ask(
            "How many million cubic metres of water were in Lake Aldery at the end of June 2024? Use two decimals.",
            round(facts["reservoir"]["capacity"] * facts["reservoir"]["levels"]["June"] / 100, 2),
            ("reservoir", "8.6 million"),
            ("reservoir", "June: 81"),
        ),
    ]


def _winners(facts: Facts) -> list[tuple[str, str]]:
    return [(winner, work) for winner, work in facts["prizes"]["Maren Prize for Literature"]["winners"].values()]
