"""File requests that one call fulfils: five for each tool, in the order of the server's tool list."""

from typing import Any

from pytest_mcpbench.generation.radar.request import Request, ToolCall, request


def singles() -> list[Request]:
    """Return all requests. Most describe files, so that the agent has to look up the paths."""
    return [
        *_read_text_requests(),
        *_read_media_requests(),
        *_read_multiple_requests(),
        *_write_file_requests(),
        *_edit_file_requests(),
        *_create_directory_requests(),
        *_list_directory_requests(),
        *_list_with_sizes_requests(),
        *_directory_tree_requests(),
        *_move_file_requests(),
        *_search_files_requests(),
        *_file_info_requests(),
        *_allowed_directories_requests(),
    ]


def _call(tool: str, prompt: str, **arguments: Any) -> Request:
    return request(prompt, ToolCall(tool, arguments))


def _read_text_requests() -> list[Request]:
    tool = "read_text_file"
    return [
        _call(tool, "What is on my to-do list? It is among my notes.", path="notes/todo.md"),
        _call(
            tool,
            "Invoice 0911: show me only its first two lines, I just want to know who it is for.",
            path="invoices/2026/INV-0911.txt",
            head=2,
        ),
        _call(tool, "The last three lines of the server's log are enough for me.", path="logs/server.log", tail=3),
        _call(tool, "Read out the brief for Harbour Hall, all of it.", path="projects/harbour-hall/brief.md"),
        _call(tool, "How did I want to begin the speech for Mum? Open the draft.", path="drafts/speech.txt"),
    ]


def _read_media_requests() -> list[Request]:
    tool = "read_media_file"
    return [
        _call(
            tool,
            "Let me see the photo of the north side of Harbour Hall.",
            path="projects/harbour-hall/photos/north.png",
        ),
        _call(
            tool,
            "Play me the foghorn that we have recorded for Lantern.",
            path="projects/lantern/sound/foghorn.wav",
        ),
        _call(tool, "Load the bakery's logo so that you can describe it.", path="projects/petrova-bakery/logo.png"),
        _call(tool, "What did our old logo look like, the one in the archive?", path="archive/2024/old-logo.png"),
        _call(tool, "I need the bell from the Lantern sounds as audio.", path="projects/lantern/sound/bell.wav"),
    ]


def _read_multiple_requests() -> list[Request]:
    tool = "read_multiple_files"
    return [
        _call(
            tool,
            "Put the two versions of the plan for Harbour Hall beside each other: fetch both in one go.",
            paths=["projects/harbour-hall/plan-v1.txt", "projects/harbour-hall/plan-v2.txt"],
        ),
        _call(
            tool,
            "Both minutes of our Monday meetings in February, read together, please.",
            paths=["notes/meetings/2026-02-16.md", "notes/meetings/2026-02-23.md"],
        ),
        _call(
            tool,
            "I want the captions of case 1 and case 3 with a single request.",
            paths=["projects/lantern/captions/case-1.txt", "projects/lantern/captions/case-3.txt"],
        ),
        _call(
            tool,
            "Which of the two recipes, dal or buns, has more lines? Get them at the same time.",
            paths=["recipes/dal.txt", "recipes/buns.txt"],
        ),
        _call(
            tool,
            "All invoices of 2025 at once, not one after the other.",
            paths=["invoices/2025/INV-0841.txt", "invoices/2025/INV-0867.txt"],
        ),
    ]


def _write_file_requests() -> list[Request]:
    tool = "write_file"
    return [
        _call(
            tool,
            'Make a file shopping.txt right in my home directory that says "two lemons".',
            path="shopping.txt",
            content="two lemons",
        ),
        _call(
            tool,
            'Under notes I want visitors.md, with "seven guests on Tuesday" as its only line.',
            path="notes/visitors.md",
            content="seven guests on Tuesday",
        ),
        _call(
            tool,
            'Whatever data/colours.txt holds now: afterwards there is to be nothing in it but the word "slate".',
            path="data/colours.txt",
            content="slate",
        ),
        _call(
            tool,
            'Put three words, each on a line of its own and in this order, into drafts/title.txt: "Salt", "Light", '
            '"Rope".',
            path="drafts/title.txt",
            content="Salt\nLight\nRope\n",
        ),
        _call(
            tool,
            'The draft of my talk starts over: let the file hold just "# Floors", the rest is to go.',
            path="drafts/talk.md",
            content="# Floors",
        ),
    ]


def _edit_file_requests() -> list[Request]:
    return [
        _edit_call('In the to-do list, swap the exact text "order staples" for "order nails".', "notes/todo.md")(
            "order staples", "order nails"
        ),
        _edit_call(
            'The readme of Harbour Hall gives the status as "in planning". Exchange just these two words for "under '
            'construction".',
            "projects/harbour-hall/README.md",
        )("in planning", "under construction"),
        _edit_call(
            'Coffee at the bakery costs more now: "coffee 3.10" on the menu becomes "coffee 3.40".',
            "projects/petrova-bakery/menu.txt",
        )("coffee 3.10", "coffee 3.40"),
        _edit_call(
            'Do not save anything yet: what would the difference be if "Dust it twice a year." in the manual of the '
            'lamp were "Dust it monthly."?',
            "downloads/manual.txt",
            dryRun=True,
        )("Dust it twice a year.", "Dust it monthly."),
        _edit_call(
            'INV-0907 has been settled. The word "open" in it should be "paid".',
            "invoices/2026/INV-0907.txt",
        )("open", "paid"),
    ]


def _edit_call(prompt: str, path: str, **arguments: Any) -> Any:
    def request_for(old: str, new: str) -> Request:
        return _call("edit_file", prompt, path=path, edits=[{"oldText": old, "newText": new}], **arguments)

    return request_for


def _create_directory_requests() -> list[Request]:
    tool = "create_directory"
    return [
        _call(tool, 'I need a folder called "contracts" at the top of my home directory.', path="contracts"),
        _call(tool, "Set up projects/calder-library, empty for the time being.", path="projects/calder-library"),
        _call(
            tool,
            "Beside the folders with the invoices of 2025 and 2026 there should be one for 2027.",
            path="invoices/2027",
        ),
        _call(tool, 'Lantern gets films too: put a folder "video" into that project.', path="projects/lantern/video"),
        _call(tool, "The path archive/2025/photos should exist, with all that is missing.", path="archive/2025/photos"),
    ]


def _list_directory_requests() -> list[Request]:
    tool = "list_directory"
    return [
        _call(tool, "What lies around in my downloads? A flat list will do: no tree, no sizes.", path="downloads"),
        _call(
            tool,
            "List the captions that we have for Lantern plainly, neither as a tree nor with their sizes.",
            path="projects/lantern/captions",
        ),
        _call(
            tool,
            "Which recipes do I keep? I want the plain listing of that folder rather than a tree, and no sizes.",
            path="recipes",
        ),
        _call(
            tool,
            "Show the simple directory listing of this year's invoices, sizes and trees left aside.",
            path="invoices/2026",
        ),
        _call(
            tool,
            "Files and folders at the top of the Harbour Hall project, please, listed without sizes, and not what is "
            "further down in the tree.",
            path="projects/harbour-hall",
        ),
    ]


def _list_with_sizes_requests() -> list[Request]:
    tool = "list_directory_with_sizes"
    return [
        _call(tool, "How big is each file in my logs folder?", path="logs"),
        _call(tool, "List the data folder with sizes, the biggest on top.", path="data", sortBy="size"),
        _call(
            tool,
            "I have to free some space: what takes up how much in downloads? Order it by size.",
            path="downloads",
            sortBy="size",
        ),
        _call(tool, "How many bytes does each invoice of 2025 need? One listing.", path="invoices/2025"),
        _call(tool, "Sizes of the sound files for Lantern, and their sum.", path="projects/lantern/sound"),
    ]


def _directory_tree_requests() -> list[Request]:
    tool = "directory_tree"
    return [
        _call(tool, "Draw me the tree of everything below projects.", path="projects"),
        _call(tool, "How is the archive built up, down to the last subfolder? As a tree.", path="archive"),
        _call(tool, "A tree of invoices, however deep it goes.", path="invoices"),
        _call(
            tool,
            'Harbour Hall as a tree, but leave out whatever is called "photos".',
            path="projects/harbour-hall",
            excludePatterns=["photos"],
        ),
        _call(
            tool,
            'My notes with all their branches; skip the part named "meetings".',
            path="notes",
            excludePatterns=["meetings"],
        ),
    ]


def _move_file_requests() -> list[Request]:
    tool = "move_file"
    return [
        _call(
            tool,
            "The train ticket in downloads should be called ticket-calder.txt; it stays where it is.",
            source="downloads/ticket.txt",
            destination="downloads/ticket-calder.txt",
        ),
        _call(
            tool,
            "Nobody needs the first plan of Harbour Hall any more. Off with it to the archive of 2024, under the same "
            "name.",
            source="projects/harbour-hall/plan-v1.txt",
            destination="archive/2024/plan-v1.txt",
        ),
        _call(
            tool,
            "Bring my speech out of drafts to the top of my home directory; it keeps its name.",
            source="drafts/speech.txt",
            destination="speech.txt",
        ),
        _call(tool, 'Rename the folder tools: "scripts" says it better.', source="tools", destination="scripts"),
        _call(
            tool,
            "The recipe for buns, as it is, goes over to the bakery's project.",
            source="recipes/buns.txt",
            destination="projects/petrova-bakery/buns.txt",
        ),
    ]


def _search_files_requests() -> list[Request]:
    tool = "search_files"
    return [
        _call(
            tool,
            "Where in my home directory are there tables? Search all of it for **/*.csv.",
            path=".",
            pattern="**/*.csv",
        ),
        _call(tool, "Find all that fits **/*.png below projects.", path="projects", pattern="**/*.png"),
        _call(tool, "Look for **/INV-09* under invoices.", path="invoices", pattern="**/INV-09*"),
        _call(tool, "Which of my notes fit **/*.md?", path="notes", pattern="**/*.md"),
        _call(
            tool,
            "Starting at the top of my home directory, which paths match **/*.txt if one excludes archive/** and "
            "invoices/**?",
            path=".",
            pattern="**/*.txt",
            excludePatterns=["archive/**", "invoices/**"],
        ),
    ]


def _file_info_requests() -> list[Request]:
    tool = "get_file_info"
    return [
        _call(tool, "When was the table of our stock changed last?", path="data/stock.csv"),
        _call(tool, "What permissions does the render script have?", path="tools/render.sh"),
        _call(tool, "Is offer.tmp empty? Judge by its metadata.", path="downloads/offer.tmp"),
        _call(tool, "On what day was the folder archive created?", path="archive"),
        _call(
            tool,
            "Particulars of the foghorn recording, please: bytes, times, access rights. I do not want to hear it.",
            path="projects/lantern/sound/foghorn.wav",
        ),
    ]


def _allowed_directories_requests() -> list[Request]:
    tool = "list_allowed_directories"
    return [
        _call(tool, "In which folders may you work at all?"),
        _call(tool, "Could you get at everything on my computer? Find out where your access to files ends."),
        _call(tool, "Name each directory that is open to you."),
        _call(tool, "Before we begin: what is the root of the area that you are permitted to touch?"),
        _call(tool, "Which place on this machine has been released for your tools? Ask, do not assume."),
    ]
