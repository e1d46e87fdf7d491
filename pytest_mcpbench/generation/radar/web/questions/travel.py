"""Questions about timetables."""

from pytest_mcpbench.generation.radar.web.question import Question, ask, single
from pytest_mcpbench.generation.radar.web.questions.extremes import Facts, bottom


def travel(facts: Facts) -> list[Question]:
    """Return the questions about ferries, ships and trains."""
    ferries, ships, stations = (
        facts["ferries"],
        facts["ships"],
        {one["name"]: one for one in facts["railway"]["stations"]},
    )
    return [
        ask(
            "At what time does the last ferry of a weekday leave Port Maren for Halse in 2025? Use 24 hours (HH:MM).",
            ferries["1"]["departures"][-1],
            ("ferry-1", "21:10"),
        ),
        ask(
            "When does the ferry that leaves Port Maren for Dunmarrow on a Friday at twenty to three in the afternoon "
            "get there? HH:MM.",
            _later("14:40", ferries["2"]["minutes"]),
            ("ferry-2", "14:40"),
            ("ferry-2", "105 minutes"),
        ),
        ask(
            "What does a single crossing from Port Maren to Corrath cost for two adults without a car, in crowns?",
            2 * ferries["3"]["fare"],
            ("ferry-3", "Adult: 19 crowns"),
        ),
        ask(
            "How many ferries a week go from Halse to Astrand, according to the timetable for 2025?",
            6 * len(ferries["4"]["departures"]) + len(ferries["4"]["sunday"]),
            ("ferry-4", "08:00, 12:30, 17:20"),
            ("ferry-4", "Sunday: 12:30"),
        ),
        ask(
            "Which of the ships of Five Isles Ferries was built first?",
            bottom(ships, lambda ship: ship["built"]),
            ("fleet", "Samphire 4 1989"),
        ),
        ask(
            "How many passengers fit on the ship that sails between Port Maren and Corrath?",
            single(ship["passengers"] for ship in ships.values() if ship["line"] == "3"),
            ("ferry-3", "Line 3"),
            ("fleet", "Widow's Daughter 3 2019 260"),
        ),
        ask(
            "What is the name of the ship on which I travel from Halse to the island of Sandrey?",
            single(name for name, ship in ships.items() if ship["line"] == "4"),
            ("ferry-4", "Line 4"),
            ("fleet", "Samphire 4"),
        ),
        ask(
            "On what date was the light railway of Brannock opened? YYYY-MM-DD.",
            facts["railway"]["opened"],
            ("railway", facts["railway"]["opened"]),
        ),
        ask(
            "I take the train that leaves Port Maren at 11:15. When am I in Fallow Point? Answer HH:MM.",
            _later("11:15", stations["Fallow Point"]["minute"]),
            ("railway", "11:15"),
            ("railway", "Fallow Point 38.6 70"),
        ),
        ask(
            "How many kilometres of railway lie between Greywick and Ellerby Junction?",
            round(stations["Ellerby Junction"]["kilometre"] - stations["Greywick"]["kilometre"], 1),
            ("railway", "Greywick 11.9"),
            ("railway", "Ellerby Junction 27.0"),
        ),
        ask(
            "From the railway station for walkers on Brannock, how many metres do I have to climb to the Aldery Hut?",
            facts["huts"]["Aldery Hut"]["height"] - stations["Aldery Road"]["height"],
            ("railway", "Aldery Road 19.4 36 287"),
            ("huts", "Aldery Hut Brannock 655"),
        ),
        ask(
            "The first Sunday ferry of 2025 from the capital to the town with the Copper Stair: when does it arrive "
            "there? HH:MM.",
            _later(ferries["2"]["sunday"][0], ferries["2"]["minutes"]),
            ("town-dunmarrow", "Copper Stair"),
            ("ferry-2", "Sunday: 10:10"),
        ),
        ask(
            "How many millimetres wide is the gauge of the railway whose line ends in the town with the Wind Organ?",
            facts["railway"]["gauge"],
            ("town-fallow-point", "Terminus of the light railway"),
            ("railway", "914"),
        ),
    ]


def _later(time: str, minutes: int) -> str:
    hours, rest = map(int, time.split(":"))
    total = 60 * hours + rest + minutes
    return f"{total // 60:02d}:{total % 60:02d}"
