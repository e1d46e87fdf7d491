"""Questions about towns and islands."""

from pytest_mcpbench.generation.radar.web.question import Question, ask, single
from pytest_mcpbench.generation.radar.web.questions.extremes import Facts, bottom, top


def towns(facts: Facts) -> list[Question]:
    """Return the questions about towns."""
    towns = facts["towns"]
    return [
        ask(
            "How many people lived in Corrath, Hallowmere Isles, according to the 2021 census? Just the number.",
            towns["Corrath"]["people_2021"],
            ("town-corrath", towns["Corrath"]["people_2021"]),
        ),
        ask(
            "Who is the mayor of Whinmoor on the island of Sandrey? Give first name and surname.",
            towns["Whinmoor"]["mayor"],
            ("town-whinmoor", "Aldous Finch"),
        ),
        ask(
            "In what year did Ellerby Quay receive its charter?",
            towns["Ellerby Quay"]["chartered"],
            ("town-ellerby-quay", 1688),
        ),
        ask(
            "By how many inhabitants did Stell grow from the census of 2011 to that of 2021?",
            towns["Stell"]["people_2021"] - towns["Stell"]["people_2011"],
            ("town-stell", "2,904"),
            ("town-stell", "3,977"),
        ),
        ask(
            "How many years passed between the building of the Gorse Gate and that of the Lamp House, the landmarks of "
            "Sandrey's two towns?",
            towns["Astrand"]["landmark_built"] - towns["Whinmoor"]["landmark_built"],
            ("town-whinmoor", 1655),
            ("town-astrand", 1960),
        ),
        ask(
            "There are two chartered towns on Tolsey. How many inhabitants did they have together in 2021?",
            sum(town["people_2021"] for town in towns.values() if town["island"] == "Tolsey"),
            ("island-tolsey", "Northmouth"),
            ("town-halse", "10,112"),
            ("town-northmouth", "4,207"),
        ),
        ask(
            "Which chartered town of Brannock lost inhabitants between the last two censuses? Name only.",
            single(
                name
                for name, town in towns.items()
                if town["island"] == "Brannock" and town["people_2021"] < town["people_2011"]
            ),
            ("island-brannock", "Greywick"),
            ("town-greywick", "12,704"),
            ("town-greywick", "11,983"),
        ),
        ask(
            "Of the mayors of Ostrey's towns, who took office first? I need the full name.",
            towns[bottom({n: t for n, t in towns.items() if t["island"] == "Ostrey"}, lambda t: t["mayor_since"])][
                "mayor"
            ],
            ("island-ostrey", "Dunmarrow"),
            ("town-dunmarrow", "Helge Strand, since 2016"),
            ("town-larkhaven", "Una Destry, since 2021"),
        ),
        ask(
            "What is the landmark of the town on Brannock that was chartered last? Leave out the article.",
            towns[top({n: t for n, t in towns.items() if t["island"] == "Brannock"}, lambda t: t["chartered"])][
                "landmark"
            ].removeprefix("the "),
            ("island-brannock", "Fallow Point"),
            ("town-fallow-point", 1790),
            ("town-fallow-point", "Wind Organ"),
        ),
    ]


def islands(facts: Facts) -> list[Question]:
    """Return the questions about areas, altitudes and maps."""
    islands = facts["islands"]
    return [
        ask(
            "How high, in metres, is the highest point of Ostrey?",
            islands["Ostrey"]["height"],
            ("island-ostrey", 618),
        ),
        ask(
            "Which hill is the top of the island whose street lamps go out at eleven by law? Write its name as it is "
            "written there.",
            islands["Quillan"]["top"],
            ("island-quillan", "Widow's Law"),
        ),
        ask(
            "Quillan and Sandrey are the two smallest of the Hallowmere Isles. What is their area in square kilometres "
            "if you add them up? One decimal.",
            round(islands["Quillan"]["area"] + islands["Sandrey"]["area"], 1),
            ("island-quillan", 97.5),
            ("island-sandrey", 64.2),
        ),
        ask(
            "How many metres does Mount Aldery rise above Cold Hammer?",
            islands["Brannock"]["height"] - islands["Tolsey"]["height"],
            ("island-brannock", 763),
            ("island-tolsey", 541),
        ),
        ask(
            "Which of the five Hallowmere Isles was the last to appear on a map?",
            top(islands, lambda island: island["first_map"]),
            ("overview", "Sandrey"),
            ("island-sandrey", 1540),
            ("island-quillan", 1533),
        ),
    ]
