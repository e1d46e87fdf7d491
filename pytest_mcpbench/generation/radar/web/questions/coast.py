"""Questions about the coast."""

from pytest_mcpbench.generation.radar.web.question import Question, ask, single
from pytest_mcpbench.generation.radar.web.questions.extremes import Facts, bottom, top


def coast(facts: Facts) -> list[Question]:
    """Return the questions about lighthouses, a storm, fish and birds."""
    lights, storm, landings = facts["lighthouses"], facts["storm"], facts["landings"]
    return [
        ask(
            "In which year was the lighthouse at Northmouth Head lit for the first time?",
            lights["Northmouth Head"]["lit"],
            ("lighthouse-northmouth-head", 1859),
        ),
        ask(
            "Who was the last keeper of the tallest lighthouse in the Hallowmere Isles? First name and surname.",
            lights[top(lights, lambda light: light["height"])]["last_keeper"],
            ("lighthouses", "Skellan Light Ostrey 42"),
            ("lighthouse-skellan-light", "Ross Aldine"),
        ),
        ask(
            "For how many years was Cape Morrow's light looked after by keepers before it became automatic?",
            lights["Cape Morrow"]["automatic"] - lights["Cape Morrow"]["lit"],
            ("lighthouse-cape-morrow", 1841),
            ("lighthouse-cape-morrow", 1987),
        ),
        ask(
            "Two lighthouses stand on Brannock. By how many nautical miles does the range of one exceed that of the "
            "other?",
            abs(lights["Cape Morrow"]["range"] - lights["Ottaway Rock"]["range"]),
            ("lighthouses", "Ottaway Rock Brannock"),
            ("lighthouse-cape-morrow", "21 nautical"),
            ("lighthouse-ottaway-rock", "18 nautical"),
        ),
        ask(
            "How strong was the heaviest gust that was measured on Tolsey during the storm Idony, in km/h?",
            storm["gusts"]["Northmouth Head"],
            ("storm", "Northmouth Head: 164"),
            ("lighthouses", "Northmouth Head Tolsey"),
        ),
        ask(
            "On which date did the storm Idony hit the isles? YYYY-MM-DD.",
            storm["date"],
            ("storm", storm["date"]),
        ),
        ask(
            "How many tonnes of fish did the four counted ports of the Hallowmere Isles land together in 2024?",
            sum(landings[2024].values()),
            ("landings", "7,980"),
            ("landings", "3,345"),
            ("landings", "2,190"),
            ("landings", "720"),
        ),
        ask(
            "Which port was the only one to land more fish in 2024 than in the year before without having landed more "
            "in 2023 than in 2022?",
            single(
                port
                for port in landings[2024]
                if landings[2024][port] > landings[2023][port] and landings[2023][port] <= landings[2022][port]
            ),
            ("landings", "Northmouth 3,275 3,120 3,345"),
        ),
        ask(
            "In which year did the wardens at Widow's Law count the fewest puffin burrows?",
            bottom(facts["puffins"], lambda count: count),
            ("puffins", "2021 5,940"),
        ),
        ask(
            "How many years after it sank was the bell of the Emmeline Hart brought up?",
            facts["museum"]["bell_raised"] - facts["museum"]["wreck_date"].year,
            ("museum", "1887"),
            ("museum", "1969"),
        ),
        ask(
            "How high is the tower of the lighthouse off whose cape the barque Emmeline Hart was lost? Metres.",
            lights["Cape Morrow"]["height"],
            ("museum", "Cape Morrow"),
            ("lighthouses", "Cape Morrow Brannock 34"),
        ),
    ]
