"""The questions about the small web; each answer is computed from the facts, not read off the pages."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from pytest_mcpbench.generation.radar.web.facts import Standing, facts, matches, standings
from pytest_mcpbench.generation.radar.web.question import Question, ask, only

F = Mapping[str, Any]


def questions() -> list[Question]:
    """All questions, those on one page first."""
    return [one for part in PARTS for one in part(facts())]


def top(entries: Mapping[Any, Any], by: Callable[[Any], float]) -> Any:
    """The key of the greatest entry; there is only one."""
    greatest = max(by(entry) for entry in entries.values())
    return only(key for key, entry in entries.items() if by(entry) == greatest)


def bottom(entries: Mapping[Any, Any], by: Callable[[Any], float]) -> Any:
    """The key of the smallest entry; there is only one."""
    return top(entries, lambda entry: -by(entry))


def seconds(time: str) -> int:
    """``2:41:07`` in seconds."""
    hours, minutes, rest = map(int, time.split(":"))
    return 3600 * hours + 60 * minutes + rest


def _towns(f: F) -> list[Question]:
    towns = f["towns"]
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
            only(
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


def _islands(f: F) -> list[Question]:
    islands = f["islands"]
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


def _companies(f: F) -> list[Question]:
    companies, towns, people = f["companies"], f["towns"], f["people"]
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
            only(
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


def _people(f: F) -> list[Question]:
    people, towns, prizes = f["people"], f["towns"], f["prizes"]
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
            only(year for year, (winner, _) in prize.items() if winner == "Lise Amberly")
            - min(people["Lise Amberly"]["collections"]),
            ("prize-maren-prize-for-literature", "2019 Lise Amberly"),
            ("person-lise-amberly", "Slate (2003)"),
        ),
        ask(
            "For her poems Lise Amberly uses the language that she teaches. When, weekday and hour, does Radio "
            "Hallowmere broadcast in it? Write it like: Monday, 09:30.",
            f["radio"]["hallow_hour"],
            ("person-lise-amberly", "Hallow"),
            ("radio", f["radio"]["hallow_hour"]),
        ),
        ask(
            "Who is mayor today of the place where the composer of the First Harbour Suite was born?",
            towns[people["Rolf Edevane"]["birthplace"]]["mayor"],
            ("person-rolf-edevane", "Fallow Point"),
            ("town-fallow-point", "Piers Ottaway"),
        ),
        ask(
            "Which scientist was given the Hollin Medal for work on a plant that Nils Corrowby had found?",
            only(winner for winner, work in prizes["Hollin Medal"]["winners"].values() if work == "the sand vetch"),
            ("person-nils-corrowby", "sand vetch"),
            ("prize-hollin-medal", "2010 Clara Mainwaring the sand vetch"),
        ),
        ask(
            "How many women and men, all in all, studied at the faculty of engineering of the university at which the "
            "founder of Windrow Energy was a student? Take the figures of autumn 2024.",
            f["university"]["faculties"]["Engineering"],
            ("person-ingrid-aske", "University of Maren"),
            ("university", "1,120"),
        ),
        ask(
            "The winner of the women's race at the Isles Marathon of 2024 was born in a fishing town. How large is the "
            "area of this town, in square kilometres?",
            towns[people[f["marathon"][2024]["women"][0][0]]["birthplace"]]["area"],
            ("marathon-2024", "Asta Brindle"),
            ("person-asta-brindle", "Northmouth"),
            ("town-northmouth", 12.2),
        ),
    ]


def _age(person: Mapping[str, Any]) -> int:
    born, died = person["born"], person["died"]
    return int(died.year - born.year - ((died.month, died.day) < (born.month, born.day)))


def _travel(f: F) -> list[Question]:
    ferries, ships, stations = f["ferries"], f["ships"], {one["name"]: one for one in f["railway"]["stations"]}
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
            only(ship["passengers"] for ship in ships.values() if ship["line"] == "3"),
            ("ferry-3", "Line 3"),
            ("fleet", "Widow's Daughter 3 2019 260"),
        ),
        ask(
            "What is the name of the ship on which I travel from Halse to the island of Sandrey?",
            only(name for name, ship in ships.items() if ship["line"] == "4"),
            ("ferry-4", "Line 4"),
            ("fleet", "Samphire 4"),
        ),
        ask(
            "On what date was the light railway of Brannock opened? YYYY-MM-DD.",
            f["railway"]["opened"],
            ("railway", f["railway"]["opened"]),
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
            f["huts"]["Aldery Hut"]["height"] - stations["Aldery Road"]["height"],
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
            f["railway"]["gauge"],
            ("town-fallow-point", "Terminus of the light railway"),
            ("railway", "914"),
        ),
    ]


def _later(time: str, minutes: int) -> str:
    hours, rest = map(int, time.split(":"))
    total = 60 * hours + rest + minutes
    return f"{total // 60:02d}:{total % 60:02d}"


def _coast(f: F) -> list[Question]:
    lights, storm, landings = f["lighthouses"], f["storm"], f["landings"]
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
            only(
                port
                for port in landings[2024]
                if landings[2024][port] > landings[2023][port] and landings[2023][port] <= landings[2022][port]
            ),
            ("landings", "Northmouth 3,275 3,120 3,345"),
        ),
        ask(
            "In which year did the wardens at Widow's Law count the fewest puffin burrows?",
            bottom(f["puffins"], lambda count: count),
            ("puffins", "2021 5,940"),
        ),
        ask(
            "How many years after it sank was the bell of the Emmeline Hart brought up?",
            f["museum"]["bell_raised"] - f["museum"]["wreck_date"].year,
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


def _sports(f: F) -> list[Question]:
    clubs, marathon = f["clubs"], f["marathon"]
    tables = {season: {one.club: one for one in standings(results)} for season, results in f["league"].items()}
    return [
        ask(
            "Who coaches Greywick Ropers?",
            clubs["Greywick Ropers"]["coach"],
            ("club-greywick-ropers", "Lina Oakes"),
        ),
        ask(
            "How did the match that Halse Hours played at home against Dunmarrow Copper in the 2024/25 season of the "
            "Isles League end? Home goals first, like 5-4.",
            only(
                f"{own}-{other}"
                for home, away, own, other in matches(f["league"]["2024/25"])
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
            seconds(marathon[2025]["men"][1][1]) - seconds(marathon[2025]["men"][0][1]),
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
            only(set.intersection(*({runner for runner, _ in year["men"]} for year in marathon.values()))),
            ("marathon-2023", "Ulf Arkwell"),
            ("marathon-2024", "Ulf Arkwell"),
            ("marathon-2025", "Ulf Arkwell"),
        ),
        ask(
            "By how many seconds did Asta Brindle run the Isles Marathon faster in 2024 than in 2023?",
            seconds(marathon[2023]["women"][0][1]) - seconds(marathon[2024]["women"][0][1]),
            ("marathon-2023", "2:41:07"),
            ("marathon-2024", "2:38:29"),
        ),
        ask(
            "How many points separated the first and the fifth of the isles' chess championship in 2025?",
            f["chess"]["standings"][0]["points"] - f["chess"]["standings"][4]["points"],
            ("chess", "Tilda Rook, 6.0"),
            ("chess", "Karel Dunning, 3.5"),
        ),
        ask(
            "When was the building constructed to which the chess championship of the isles moves in 2026? Year.",
            f["towns"]["Northmouth"]["landmark_built"],
            ("chess", "herring of Northmouth"),
            ("town-northmouth", 1827),
        ),
    ]


def _champion(table: Mapping[str, Standing]) -> Standing:
    return table[top(table, lambda one: one.points)]


def _goals(one: Standing) -> str:
    return f"{one.scored}:{one.conceded} {one.points}"


def _public(f: F) -> list[Question]:
    assembly, weather, power = f["assembly"], f["weather"], f["power"]
    faculties = f["university"]["faculties"]
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
            only(
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
            f["bridge"]["length"],
            ("bridge", "1,148"),
        ),
        ask(
            "Which telescope of the observatory at Stell has the mirror of middle size? Its name, please.",
            sorted(f["observatory"]["mirrors"], key=f["observatory"]["mirrors"].__getitem__)[1],
            ("observatory", "Survey Eye: 1.3"),
        ),
        ask(
            "How many miners came up with the last shift of the copper mine of Dunmarrow?",
            f["mine"]["last_shift"],
            ("mine", 138),
        ),
        ask(
            "On Herring Days 2025, at what time does the piece begin that Rolf Edevane wrote in 1931? HH:MM.",
            only(one["time"] for one in f["festival"]["events"] if one["name"] == "First Harbour Suite"),
            ("person-rolf-edevane", "First Harbour Suite (1931)"),
            ("festival", "20:15 First Harbour Suite"),
        ),
        ask(
            "How many beds more did Saint Orla's Hospital have in 2024 than ten years before?",
            f["hospital"]["beds"][2024] - f["hospital"]["beds"][2014],
            ("hospital", 296),
            ("hospital", 341),
        ),
        ask(
            "The library that gives the Maren Prize: how many loans did it count in 2024?",
            f["library"]["loans"][2024],
            ("prize-maren-prize-for-literature", "Terrick Library"),
            ("library", "99,875"),
        ),
        ask(
            "Which author has won the Maren Prize for Literature twice since 2015?",
            only({w for w, _ in _winners(f) if [winner for winner, _ in _winners(f)].count(w) == 2}),
            ("prize-maren-prize-for-literature", "2017 Dilys Crane"),
            ("prize-maren-prize-for-literature", "2022 Dilys Crane"),
        ),
        ask(
            "In the 2025/26 season the Playhouse at Greywick shows a play by the winner of the Maren Prize of 2018. On "
            "which day is its first night? YYYY-MM-DD.",
            only(
                play["first_night"]
                for play in f["theatre"]["plays"]
                if play["author"] == f["prizes"]["Maren Prize for Literature"]["winners"][2018][0]
            ),
            ("prize-maren-prize-for-literature", "2018 Bram Lovell"),
            ("theatre", date(2025, 11, 28)),
        ),
        ask(
            "Which frequency, in MHz, has Radio Hallowmere on the island where puffins are counted?",
            f["radio"]["frequencies"]["Quillan"],
            ("puffins", "Quillan"),
            ("radio", "Quillan: 104.2"),
        ),
        ask(
            "What do I pay in the isles for sending one parcel of five kilograms and one large letter, in crowns?",
            round(f["postage"]["parcel_10kg"] + f["postage"]["large_letter"], 1),
            ("postage", "10 kilograms: 11.5"),
            ("postage", "Large letter: 2.6"),
        ),
        ask(
            "How many million cubic metres of water were in Lake Aldery at the end of June 2024? Use two decimals.",
            round(f["reservoir"]["capacity"] * f["reservoir"]["levels"]["June"] / 100, 2),
            ("reservoir", "8.6 million"),
            ("reservoir", "June: 81"),
        ),
    ]


def _winners(f: F) -> list[tuple[str, str]]:
    return [(winner, work) for winner, work in f["prizes"]["Maren Prize for Literature"]["winners"].values()]


PARTS = (_towns, _islands, _companies, _people, _travel, _coast, _sports, _public)
