"""Questions about companies and their founders."""

from pytest_mcpbench.generation.radar.web.question import Question, ask, single
from pytest_mcpbench.generation.radar.web.questions.extremes import Facts


def companies(facts: Facts) -> list[Question]:
    """Return the questions about sales, staff and founders."""
    companies, towns, people = facts["companies"], facts["towns"], facts["people"]
    return [
        ask(
            "What were the sales of Stell Optics in 2024, in million crowns?",
            companies["Stell Optics"]["sales"][2024],
            ("company-stell-optics", 18.9),
        ),
        ask(
            "Who runs Sandrey Glass as managing director? Full name, please.",
            companies["Sandrey Glass"]["chief"],
            ("company-sandrey-glass", "Pia Lund"),
        ),
        ask(
            "How many people did Windrow Energy add to its staff in the course of 2024?",
            companies["Windrow Energy"]["staff"][2024] - companies["Windrow Energy"]["staff"][2023],
            ("company-windrow-energy", 176),
            ("company-windrow-energy", 243),
        ),
        ask(
            "When was the maker of wooden boats in Ellerby Quay, Penny and Marsh, founded? A year is enough.",
            companies["Penny and Marsh"]["founded"],
            ("company-penny-and-marsh", 1977),
        ),
        ask(
            "What did one member of Halse Clockworks' staff sell on average in 2024? Answer in whole crowns, to the "
            "nearest thousand.",
            1000
            * round(1000 * companies["Halse Clockworks"]["sales"][2024] / companies["Halse Clockworks"]["staff"][2024]),
            ("company-halse-clockworks", "58"),
            ("company-halse-clockworks", "8.7"),
        ),
        ask(
            "In which year did the sales of Windrow Energy pass those of Maren Cold Stores for the first time?",
            single(
                year
                for year in (2023, 2024)
                if companies["Windrow Energy"]["sales"][year] > companies["Maren Cold Stores"]["sales"][year]
                and companies["Windrow Energy"]["sales"][year - 1] < companies["Maren Cold Stores"]["sales"][year - 1]
            ),
            ("company-windrow-energy", 131.5),
            ("company-maren-cold-stores", 119.8),
            ("company-windrow-energy", 88.2),
            ("company-maren-cold-stores", 127.4),
        ),
        ask(
            "In which town was the founder of Kestrel Looms born?",
            people[companies["Kestrel Looms"]["founder"]]["birthplace"],
            ("company-kestrel-looms", "Alma Terrick"),
            ("person-alma-terrick", "Whinmoor"),
        ),
        ask(
            "How many inhabitants, by the 2021 census, has the birthplace of the founder of the clockworks of Halse?",
            towns[people[companies["Halse Clockworks"]["founder"]]["birthplace"]]["people_2021"],
            ("company-halse-clockworks", "Matthias Rook"),
            ("person-matthias-rook", "Corrath"),
            ("town-corrath", "4,812"),
        ),
        ask(
            "On what date was the founder of Five Isles Ferries born? Write it as YYYY-MM-DD.",
            people[companies["Five Isles Ferries"]["founder"]]["born"],
            ("company-five-isles-ferries", "Leif Tarrant"),
            ("person-leif-tarrant", people["Leif Tarrant"]["born"]),
        ),
        ask(
            "Who is the mayor of the town in which the distillery of the Sallow family has its seat?",
            towns[companies["Corrath Distillery"]["town"]]["mayor"],
            ("company-corrath-distillery", "Corrath"),
            ("town-corrath", "Fergus Amble"),
        ),
        ask(
            "How old, in full years, was Yrsa Hallin at the end of the year in which she founded her company?",
            companies["Stell Optics"]["founded"] - people["Yrsa Hallin"]["born"].year,
            ("person-yrsa-hallin", "1951"),
            ("company-stell-optics", 1986),
        ),
        ask(
            "Seaweed is turned into fertiliser by a company on Ostrey. On which weekday is the market of the town "
            "where it has its seat?",
            towns[companies["Larkhaven Kelp"]["town"]]["market"],
            ("company-larkhaven-kelp", "Larkhaven"),
            ("town-larkhaven", "Monday"),
        ),
    ]
