"""Requests that need only Notion or only Obsidian."""

from pytest_mcpbench.generation.persona.apps import notion, obsidian
from pytest_mcpbench.generation.persona.request import Request, request
from pytest_mcpbench.generation.persona.spelling import name
from pytest_mcpbench.generation.spelling import day
from pytest_mcpbench.simulated.cast import CAST

NOTION_SHORT, NOTION_LONG = "notion_single_short", "notion_single_long"
OBSIDIAN_SHORT, OBSIDIAN_LONG = "obsidian_single_short", "obsidian_single_long"
FLIGHT = "Travel/London flight.md"


def requests() -> list[Request]:
    """Return all requests of this module."""
    return [*_pages_requests(), *_more_pages_requests(), *_notes_requests(), *_more_notes_requests()]


def _pages_requests() -> list[Request]:
    halden = next(each for each in CAST.projects if each.key == "halden")
    return [
        request(
            NOTION_SHORT,
            "How healthy is the Halden renewal according to its Notion page, and whose project is it? I need the "
            "name, not an id.",
            notion.search("Halden renewal"),
            notion.read_page("Halden renewal", {"id": notion.page_id("Halden renewal")}, halden.status.capitalize()),
            notion.read_user("marco.rossi", {"name": "Marco Rossi"}),
        ).with_claims("The Halden renewal is At risk.", "It is Marco Rossi's project."),
        request(
            NOTION_SHORT,
            "Comment on the Notion page of our mobile app: the second variant has to wait until the demo is over.",
            notion.search("Bamboo mobile app"),
            notion.comment(
                "Bamboo mobile app", "The second variant has to wait until the demo is over.", "second variant", "demo"
            ),
            Our_mobile_app="the project Bamboo",
        ),
        request(
            NOTION_SHORT,
            "I have sent the invitations to the demo. Tick that off on the Notion page of the project that I lead.",
            notion.search("Lantern onboarding"),
            notion.list_blocks("Lantern onboarding"),
            notion.check_off("Lantern onboarding", "Invite to the demo"),
            My_project="Lantern onboarding",
        ),
        request(
            NOTION_SHORT,
            "The Tidewater migration has been given two more weeks: set 20 March as its due date in Notion.",
            notion.search("Tidewater migration"),
            notion.update_properties("Tidewater migration", Due="2026-03-20"),
        ),
    ]


def _more_pages_requests() -> list[Request]:
    return [
        request(
            NOTION_LONG,
            "Of my own tasks for Harbour billing in Notion, two were due in February. I cannot go on with either: "
            "mark both as blocked.",
            notion.search("(Harbour billing)", {"id": notion.page_id("Plan the next four weeks (Harbour billing)")}),
            notion.update_properties("Plan the next four weeks (Harbour billing)", Status="Blocked"),
            notion.update_properties("Tell the other teams (Harbour billing)", Status="Blocked"),
            Titles_of_tasks="they end with the name of the project in brackets",
        ),
        request(
            NOTION_LONG,
            'Add a task to Notion: "Book the photographer", for Zihan, due on 12 March, not started yet, and linked '
            "to the launch event's page.",
            notion.list_users({"name": "Zihan Guo"}),
            notion.find_database("Tasks"),
            notion.search("Juniper launch"),
            notion.add_task("Book the photographer", "zihan.guo", "2026-03-12", "Juniper launch", "Not started"),
            The_launch_event="the project Juniper launch",
            Zihan="Zihan Guo, zihan.guo@northlight.example",
        ),
        request(
            NOTION_LONG,
            'On our Notion home page the warning about passwords should read "Passwords go into the safe, not here." '
            "The line about tasks is superfluous, so delete it.",
            notion.search("Northlight HQ"),
            notion.list_blocks("Northlight HQ"),
            notion.read_block("Northlight HQ", "Do not put passwords here", "Do not put passwords here."),
            notion.rewrite_block("Northlight HQ", "Do not put passwords here", "Passwords go into the safe, not here."),
            notion.delete_block("Northlight HQ", "Tasks: assign yourself"),
            Our_home_page="Northlight HQ",
        ),
        request(
            NOTION_LONG,
            "Under the Osprey page in Notion somebody asks who talks to the client. Answer in that very discussion: "
            "it is the person who leads the project.",
            notion.search("Osprey data platform"),
            notion.list_comments("Osprey data platform", "Who talks to the client?"),
            notion.read_page("Osprey data platform"),
            notion.read_user("daniel.okoye", {"name": "Daniel Okoye"}),
            notion.reply("Osprey data platform", "Daniel Okoye talks to the client.", name("daniel.okoye")),
            Osprey="Osprey data platform",
        ),
        request(
            NOTION_LONG,
            'Put a to-do at the end of the Notion page of the pilot with the tea company, "Order 40 welcome cards", '
            "and raise the budget on the same page to 36,500 euros.",
            notion.search("Qingshan pilot"),
            notion.append_block("Qingshan pilot", "to_do", "Order 40 welcome cards"),
            notion.update_properties("Qingshan pilot", Budget=36500),
            The_pilot_with_the_tea_company="Qingshan pilot",
        ),
    ]


def _notes_requests() -> list[Request]:
    return [
        request(
            OBSIDIAN_SHORT,
            "Which seat do I have on the way back? It is in the note that I wrote about the flight.",
            obsidian.search("Heathrow"),
            obsidian.read_note(FLIGHT, "38A"),
            The_flight="to London and back, at the end of March",
        ).with_claims("The seat on the way back is 38A."),
        request(
            OBSIDIAN_SHORT,
            'Write "Called the dentist." among the notes of today in my Obsidian diary.',
            obsidian.read_current_note("daily"),
            obsidian.insert_under_heading(
                "Daily/2026-03-02.md", "Notes", "- Called the dentist.\n", "Called the dentist."
            ),
            My_diary="one note a day in the folder Daily, with a heading Notes in each",
        ),
        request(
            OBSIDIAN_SHORT,
            "There are two notes about the Tallis in my choir folder. One of them is a copy that I made by accident. "
            "Throw that one away.",
            obsidian.list_directory("Choir"),
            obsidian.read_notes("Choir/Tallis.md", "Choir/Tallis copy.md"),
            obsidian.delete_note("Choir/Tallis copy.md"),
            My_notes="an Obsidian vault; the folder is Choir",
        ),
        request(
            OBSIDIAN_SHORT,
            "How many kilometres did I mean to run in this week and in each of the two before it? My weekly notes say.",
            obsidian.list_recent_notes("weekly", 3, "40 km", "39 km", "25 km"),
            Weekly_notes="periodic notes in Obsidian",
        ).with_claims(
            "40 km are planned for this week, 39 km for the week before, and 25 km for the week before that."
        ),
        request(
            OBSIDIAN_SHORT,
            "Set the status in the properties of my note about Harbour billing to blocked.",
            obsidian.search("Harbour billing"),
            obsidian.set_field("Projects/Harbour billing.md", "status", "blocked"),
            My_notes="Obsidian; notes on projects are in the folder Projects and begin with their properties",
        ),
    ]


def _more_notes_requests() -> list[Request]:
    return [
        request(
            OBSIDIAN_LONG,
            'Make me a new note "Packing for London" in the folder Travel of my vault, that says when I fly out (the '
            "date), with which flight and on which seat.",
            obsidian.list_directory("Travel"),
            obsidian.read_note(FLIGHT, "MU551", "41C"),
            obsidian.append_text(
                "Travel/Packing for London.md",
                "# Packing for London\n\nOut on 22 March 2026 with MU551, seat 41C.\n",
                day("2026-03-22"),
                "MU551",
                "41C",
            ),
            My_vault="Obsidian",
        ),
        request(
            OBSIDIAN_LONG,
            'Among my onboarding ideas "a video in place of text" is now rejected as well: add it under that '
            'heading. Then write "sorted the ideas" into the review of this week\'s note.',
            obsidian.search("arrows"),
            obsidian.insert_under_heading(
                "Work/Onboarding ideas.md", "Rejected", "- a video in place of text\n", "a video in place of text"
            ),
            obsidian.read_current_note("weekly"),
            obsidian.insert_under_heading("Weekly/2026-W10.md", "Review", "- sorted the ideas\n", "sorted the ideas"),
            Onboarding_ideas="a note in the folder Work of my Obsidian vault",
        ),
        request(
            OBSIDIAN_LONG,
            "What would Yangshuo have cost me without the guide? Add that sum, in yuan, as a last line to the note "
            "in which I listed the costs.",
            obsidian.search("Yangshuo costs"),
            obsidian.read_note("Travel/Yangshuo costs.md", "566", "420", "600", "354"),
            obsidian.append_text("Travel/Yangshuo costs.md", "\nWithout the guide: 1340 yuan\n", ("1340", "1,340")),
            My_notes="an Obsidian vault",
        ),
        request(
            OBSIDIAN_LONG,
            "Who of those who come to tomorrow's product weekly is a vegetarian? I keep a note about every person. "
            'Write "Lunch without meat for" and the first name under "Actions" in my note for that meeting.',
            obsidian.read_note("Meetings/2026-03-03 Product weekly.md", "Oliver Brandt"),
            obsidian.read_notes(
                *(
                    f"People/{CAST.person(each).name}.md"
                    for each in ("mei.zhao", "yichen.wang", "oliver.brandt", "xiaolan.liu")
                ),
                values=("Vegetarian",),
            ),
            obsidian.insert_under_heading(
                "Meetings/2026-03-03 Product weekly.md",
                "Actions",
                "- Lunch without meat for Oliver\n",
                "Lunch without meat for Oliver",
                kept=("## Agenda",),
            ),
            My_notes="Obsidian, folders Meetings and People",
        ),
        request(
            OBSIDIAN_LONG,
            "Empty my shopping note: copy the three things on it to the end of the packing list, word by word, and "
            "then delete it.",
            obsidian.list_vault(),
            obsidian.list_directory("Inbox"),
            obsidian.read_note("Inbox/Shopping.md", "chalk", "2 m of cord"),
            obsidian.append_text(
                "Travel/Packing list.md",
                "\n- chalk\n- lamp for the desk\n- 2 m of cord\n",
                "chalk",
                "lamp for the desk",
                "2 m of cord",
                "climbing permit",
            ),
            obsidian.delete_note("Inbox/Shopping.md"),
            My_notes="Obsidian; what is not sorted yet is in Inbox, the packing list in Travel",
        ),
    ]
