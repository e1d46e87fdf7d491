"""Requests about the files of a small studio; every attempt starts with a fresh copy of them in ``studio/``."""

from pytest_mcpbench.generation.toolbench.request import Request, call, request


def requests() -> list[Request]:
    """Return all requests of the category ``filesystem``."""
    return [*_read_only_requests(), *_write_requests(), *_multi_call_requests()]


def _read_only_requests() -> list[Request]:
    return [
        request("en", "What is in studio/notes/ideas.txt?", call("read_text_file", path="studio/notes/ideas.txt")),
        request(
            "en",
            "How did the last build end? The final 3 lines of studio/logs/build.log will do.",
            call("read_text_file", path="studio/logs/build.log", tail=3),
        ),
        request(
            "fr",
            "Montre-moi seulement les 2 premières lignes de studio/invoices/2026-02.csv.",
            call("read_text_file", path="studio/invoices/2026-02.csv", head=2),
        ),
        request(
            "ru",
            "Какие файлы и папки лежат прямо в studio? Размеры не нужны, вложенные папки тоже.",
            call("list_directory", path="studio"),
        ),
        request(
            "en",
            "Which file in studio/invoices takes up most room? Order them by size for me.",
            call("list_directory_with_sizes", path="studio/invoices", sortBy="size"),
        ),
        request("zh", "把 studio 目录连同所有下级目录画成一棵树给我看。", call("directory_tree", path="studio")),
        request(
            "es",
            "¿Cuándo se cambió por última vez studio/config/site.yaml y cuánto ocupa?",
            call("get_file_info", path="studio/config/site.yaml"),
        ),
        request(
            "en",
            "Before you start: in which folders are you permitted to work at all?",
            call("list_allowed_directories"),
        ),
        request(
            "en",
            'Hunt down every CSV below studio, at whatever depth; the pattern is "**/*.csv".',
            call("search_files", path="studio", pattern="**/*.csv"),
        ),
        request("zh", "请看一下 studio/logo.png 这张图。", call("read_media_file", path="studio/logo.png")),
        request(
            "en",
            "Compare the two months: put studio/invoices/2026-01.csv and studio/invoices/2026-02.csv side by side, "
            "fetched with a single call in that order.",
            call("read_multiple_files", paths=["studio/invoices/2026-01.csv", "studio/invoices/2026-02.csv"]),
        ),
    ]


def _write_requests() -> list[Request]:
    return [
        request(
            "ru",
            'Создай файл studio/notes/zvonok.txt с текстом "Позвонить Павлу в среду".',
            call("write_file", path="studio/notes/zvonok.txt", content="Позвонить Павлу в среду"),
        ),
        request(
            "en",
            "I need an empty folder studio/archive/2025 for last year's things.",
            call("create_directory", path="studio/archive/2025"),
        ),
        request(
            "fr",
            "Renomme studio/drafts/flyer.txt en studio/drafts/flyer-final.txt.",
            call("move_file", source="studio/drafts/flyer.txt", destination="studio/drafts/flyer-final.txt"),
        ),
        request(
            "en",
            'In studio/config/site.yaml, swap "theme: amber" for "theme: slate".',
            call(
                "edit_file",
                path="studio/config/site.yaml",
                edits=[{"oldText": "theme: amber", "newText": "theme: slate"}],
            ),
        ),
        request(
            "es",
            'Simula, sin guardar nada, cómo quedaría studio/drafts/poster.txt si "12 de marzo" pasara a ser '
            '"19 de marzo".',
            call(
                "edit_file",
                path="studio/drafts/poster.txt",
                edits=[{"oldText": "12 de marzo", "newText": "19 de marzo"}],
                dryRun=True,
            ),
        ),
    ]


def _multi_call_requests() -> list[Request]:
    return [
        request(
            "en",
            "Copy what studio/translations/en.txt says into a new file studio/translations/en-backup.txt.",
            call("read_text_file", path="studio/translations/en.txt"),
            call("write_file", path="studio/translations/en-backup.txt", content="<1_result>"),
        ),
        request(
            "zh",
            "先建目录 studio/archive，再把 studio/logs/build.log 移到 studio/archive/build.log。",
            call("create_directory", path="studio/archive"),
            call("move_file", source="studio/logs/build.log", destination="studio/archive/build.log"),
        ),
        request(
            "en",
            "Show me the French and the Russian greeting (studio/translations/fr.txt, studio/translations/ru.txt); "
            "open each file by itself, both at once.",
            (
                call("read_text_file", path="studio/translations/fr.txt"),
                call("read_text_file", path="studio/translations/ru.txt"),
            ),
        ),
        request(
            "ru",
            'Замени в studio/invoices/template.txt "within 30 days" на "within 14 days", потом покажи весь этот файл.',
            call(
                "edit_file",
                path="studio/invoices/template.txt",
                edits=[{"oldText": "within 30 days", "newText": "within 14 days"}],
            ),
            call("read_text_file", path="studio/invoices/template.txt"),
        ),
        request(
            "en",
            "Tidy up the drafts: make studio/drafts/old and studio/drafts/new, then move studio/drafts/poster.txt "
            "to studio/drafts/new/poster.txt and studio/drafts/flyer.txt to studio/drafts/old/flyer.txt, and finally "
            "list studio/drafts with everything below it as a tree.",
            (call("create_directory", path="studio/drafts/old"), call("create_directory", path="studio/drafts/new")),
            (
                call("move_file", source="studio/drafts/poster.txt", destination="studio/drafts/new/poster.txt"),
                call("move_file", source="studio/drafts/flyer.txt", destination="studio/drafts/old/flyer.txt"),
            ),
            call("directory_tree", path="studio/drafts"),
        ),
        request(
            "es",
            "Junta en studio/translations/todo.txt los saludos en español y en chino: lee primero "
            "studio/translations/es.txt y studio/translations/zh.txt y escribe uno tras otro, en ese orden, separados "
            "por un salto de línea.",
            (
                call("read_text_file", path="studio/translations/es.txt"),
                call("read_text_file", path="studio/translations/zh.txt"),
            ),
            call("write_file", path="studio/translations/todo.txt", content="<1_result>\n<2_result>"),
        ),
    ]
