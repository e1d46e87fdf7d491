"""File requests that need two or three calls in a fixed order: creating a folder, moving, writing."""

from pytest_mcpbench.generation.radar.request import Request, ToolCall, request


def chains() -> list[Request]:
    """Return twenty-six requests, as many as in MCP-RADAR."""
    return [
        *_folder_and_move_requests(),
        *_folder_and_file_requests(),
        *_file_and_move_requests(),
        *_move_and_file_requests(),
        *_all_three_requests(),
    ]


def _folder(path: str) -> ToolCall:
    return ToolCall("create_directory", {"path": path})


def _move(source: str, destination: str) -> ToolCall:
    return ToolCall("move_file", {"source": source, "destination": destination})


def _write(path: str, content: str) -> ToolCall:
    return ToolCall("write_file", {"path": path, "content": content})


def _folder_and_move_requests() -> list[Request]:
    return [
        request(
            "First make the folder archive/2025. Then the whole folder with the invoices of 2025 moves into it and is "
            'called "invoices" there.',
            _folder("archive/2025"),
            _move("invoices/2025", "archive/2025/invoices"),
        ),
        request(
            'Set up "travel" in my home directory. The ticket from my downloads goes there afterwards, under its old '
            "name.",
            _folder("travel"),
            _move("downloads/ticket.txt", "travel/ticket.txt"),
        ),
        request(
            'A folder "plans" inside of Harbour Hall, please, and into it the second plan, unchanged in name.',
            _folder("projects/harbour-hall/plans"),
            _move("projects/harbour-hall/plan-v2.txt", "projects/harbour-hall/plans/plan-v2.txt"),
        ),
        request(
            "Create drafts/done; once it exists, put the words for Mum's birthday there (same file name).",
            _folder("drafts/done"),
            _move("drafts/speech.txt", "drafts/done/speech.txt"),
        ),
        request(
            "I would like to have the manual of the ring lamp in a new folder projects/harbour-hall/lamps. Make the "
            "folder before you move the file.",
            _folder("projects/harbour-hall/lamps"),
            _move("downloads/manual.txt", "projects/harbour-hall/lamps/manual.txt"),
        ),
        request(
            "Begin with a new folder notes/old and go on by putting the minutes of 16 February into it.",
            _folder("notes/old"),
            _move("notes/meetings/2026-02-16.md", "notes/old/2026-02-16.md"),
        ),
        request(
            'Recordings need a home of their own: create "media" at the top level, then take the bell out of the '
            "Lantern project and put it there.",
            _folder("media"),
            _move("projects/lantern/sound/bell.wav", "media/bell.wav"),
        ),
        request(
            'Please add "unpaid" to the folder of this year\'s invoices; the one to Elena Petrova goes in next.',
            _folder("invoices/2026/unpaid"),
            _move("invoices/2026/INV-0907.txt", "invoices/2026/unpaid/INV-0907.txt"),
        ),
    ]


def _folder_and_file_requests() -> list[Request]:
    return [
        request(
            'Make "staff" in my home directory, then save in it a file hanna.txt that says "starts on 1 April".',
            _folder("staff"),
            _write("staff/hanna.txt", "starts on 1 April"),
        ),
        request(
            "For the tender I need projects/reading-room and in it, as the second step, README.md with the line "
            '"Tender for Calder".',
            _folder("projects/reading-room"),
            _write("projects/reading-room/README.md", "Tender for Calder"),
        ),
        request(
            'Bread gets a folder of its own among the recipes, called "bread". After that write rye.txt in there: '
            '"rye flour 400 g".',
            _folder("recipes/bread"),
            _write("recipes/bread/rye.txt", "rye flour 400 g"),
        ),
        request(
            'A new top-level folder "lists" is to hold guests.txt with two lines, "Astrid" and below it "Ravi". '
            "Folder first.",
            _folder("lists"),
            _write("lists/guests.txt", "Astrid\nRavi\n"),
        ),
        request(
            'Open a folder logs/2026 and, that done, leave a march.log in it whose only line is "no events".',
            _folder("logs/2026"),
            _write("logs/2026/march.log", "no events"),
        ),
        request(
            'Within the Lantern project: to begin with the folder "press", and then release.txt inside of it, reading '
            '"Lantern opens in March".',
            _folder("projects/lantern/press"),
            _write("projects/lantern/press/release.txt", "Lantern opens in March"),
        ),
        request(
            'Put a folder called "labels" into data. It shall get a file wood.txt: "ash" on the first line, "oak" on '
            "the second.",
            _folder("data/labels"),
            _write("data/labels/wood.txt", "ash\noak\n"),
        ),
    ]


def _file_and_move_requests() -> list[Request]:
    return [
        request(
            'Write "Thursday at four suits me" to drafts/reply.txt; when it is written, rename the file to '
            "reply-shelf-life.txt (same folder).",
            _write("drafts/reply.txt", "Thursday at four suits me"),
            _move("drafts/reply.txt", "drafts/reply-shelf-life.txt"),
        ),
        request(
            'notes/done.md is to come into being with the line "fig tree watered". After that my reading list leaves '
            "the notes for the archive of 2024.",
            _write("notes/done.md", "fig tree watered"),
            _move("notes/reading.txt", "archive/2024/reading.txt"),
        ),
        request(
            'In the bakery\'s project, store "8 buns for Saturday" as order.txt. Next, the quote that is there goes to '
            "this year's invoices.",
            _write("projects/petrova-bakery/order.txt", "8 buns for Saturday"),
            _move("projects/petrova-bakery/quote.txt", "invoices/2026/quote.txt"),
        ),
    ]


def _move_and_file_requests() -> list[Request]:
    return [
        request(
            'My to-do list is renamed to todo-february.md; then start a fresh todo.md in its place with "# March" as '
            "the single line.",
            _move("notes/todo.md", "notes/todo-february.md"),
            _write("notes/todo.md", "# March"),
        ),
        request(
            'Take setup.log from downloads over to logs, then leave "log moved" behind in downloads/readme.txt.',
            _move("downloads/setup.log", "logs/setup.log"),
            _write("downloads/readme.txt", "log moved"),
        ),
        request(
            "The list of colours in data becomes colours-old.txt. Where it was, write a new colours.txt with just the "
            'word "green".',
            _move("data/colours.txt", "data/colours-old.txt"),
            _write("data/colours.txt", "green"),
        ),
        request(
            "The caption of case 4 retires to the archive of 2024 with its name unchanged. Its successor case-4.txt, "
            'at the old place, reads "Oil lamp, lent until June".',
            _move("projects/lantern/captions/case-4.txt", "archive/2024/case-4.txt"),
            _write("projects/lantern/captions/case-4.txt", "Oil lamp, lent until June"),
        ),
    ]


def _all_three_requests() -> list[Request]:
    return [
        request(
            "Three steps: a folder notes/2025, my reading list into it, and finally notes/reading.txt anew with the "
            'line "nothing yet".',
            _folder("notes/2025"),
            _move("notes/reading.txt", "notes/2025/reading.txt"),
            _write("notes/reading.txt", "nothing yet"),
        ),
        request(
            "Create logs/old, shift orders.log there, and begin an orders.log in logs again that holds only "
            '"log begins".',
            _folder("logs/old"),
            _move("logs/orders.log", "logs/old/orders.log"),
            _write("logs/orders.log", "log begins"),
        ),
        request(
            'Put a folder "old" into tools and the install script into that folder. Then write install.sh in tools '
            'once more, with nothing but "echo moved".',
            _folder("tools/old"),
            _move("tools/install.sh", "tools/old/install.sh"),
            _write("tools/install.sh", "echo moved"),
        ),
        request(
            "Please set up projects/petrova-bakery/old, have the menu disappear into it, and save a new menu.txt in "
            'the bakery\'s folder: "closed in March".',
            _folder("projects/petrova-bakery/old"),
            _move("projects/petrova-bakery/menu.txt", "projects/petrova-bakery/old/menu.txt"),
            _write("projects/petrova-bakery/menu.txt", "closed in March"),
        ),
    ]
