"""The files server beside the one that it stands for: the same calls in the same order, and the same answers."""

import json
import random
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest

from pytest_mcpbench.core.sandbox import Sandbox
from pytest_mcpbench.core.server import ServerRef
from pytest_mcpbench.simulated.files.glob import matches
from pytest_mcpbench.simulated.files.server import server
from pytest_mcpbench.simulated.files.world import unified_diff
from tests.servers.subjects import INSTALLED, a_suite, an_arena, npm, result_of

pytestmark = pytest.mark.npm

CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_allowed_directories", {}),
    ("read_text_file", {"path": "a.txt"}),
    ("read_text_file", {"path": "~nobody/a.txt"}),
    ("read_text_file", {"path": "sub/../a.txt"}),
    ("read_text_file", {"path": "{root}/a.txt"}),
    ("read_text_file", {"path": "{root}//sub/./b.md"}),
    ("read_text_file", {"path": "a.txt", "head": 2}),
    ("read_text_file", {"path": "a.txt", "head": 1.5}),
    ("read_text_file", {"path": "a.txt", "head": 0}),
    ("read_text_file", {"path": "a.txt", "head": -1}),
    ("read_text_file", {"path": "a.txt", "head": 99}),
    ("read_text_file", {"path": "a.txt", "tail": 1}),
    ("read_text_file", {"path": "a.txt", "tail": 2}),
    ("read_text_file", {"path": "a.txt", "tail": -1}),
    ("read_text_file", {"path": "open.txt", "tail": 2}),
    ("read_text_file", {"path": "open.txt", "head": 2}),
    ("read_text_file", {"path": "dos.txt", "tail": 2}),
    ("read_text_file", {"path": "dos.txt", "head": 2}),
    ("read_text_file", {"path": "empty", "head": 2}),
    ("read_text_file", {"path": "empty", "tail": 2}),
    ("read_text_file", {"path": "a.txt", "tail": 2, "head": 1}),
    ("read_text_file", {"path": "a.txt", "other": 1}),
    ("read_text_file", {"path": "nope.txt"}),
    ("read_text_file", {"path": "nope.txt", "head": 1}),
    ("read_text_file", {"path": "nope.txt", "tail": 1}),
    ("read_text_file", {"path": "no/nope.txt"}),
    ("read_text_file", {"path": "a.txt/inner"}),
    ("read_text_file", {"path": "sub"}),
    ("read_text_file", {"path": "in/b.md"}),
    ("read_text_file", {"path": "out/hostname"}),
    ("read_text_file", {"path": "dangling"}),
    ("read_text_file", {"path": "loop"}),
    ("read_text_file", {"path": "/etc/hostname"}),
    ("read_text_file", {"path": "../x"}),
    ("read_text_file", {"path": "C:\\x"}),
    ("read_text_file", {"path": "nul\0byte"}),
    ("read_text_file", {"path": "x.bin"}),
    ("read_text_file", {"path": "cafe\u0301.txt"}),
    ("read_text_file", {}),
    ("read_text_file", {"path": 5, "head": "2"}),
    ("read_text_file", {"path": "a.txt", "head": None}),
    ("read_media_file", {"path": "x.bin"}),
    ("read_media_file", {"path": "dot.PNG"}),
    ("read_media_file", {"path": "beep.wav"}),
    ("read_media_file", {"path": "sub"}),
    ("read_media_file", {"path": "nope.png"}),
    ("read_multiple_files", {"paths": ["a.txt", "nope", "sub/b.md", "/etc/hostname"]}),
    ("read_multiple_files", {"paths": []}),
    ("read_multiple_files", {"paths": "a.txt"}),
    ("read_multiple_files", {"paths": ["a.txt", 1]}),
    ("write_file", {"path": "n.txt", "content": "grüße\n"}),
    ("write_file", {"path": "n.txt", "content": "again"}),
    ("read_text_file", {"path": "n.txt"}),
    ("write_file", {"path": "q/n.txt", "content": "x"}),
    ("write_file", {"path": "out/n.txt", "content": "x"}),
    ("write_file", {"path": "sub", "content": "x"}),
    ("write_file", {"path": "in/c.md", "content": "x"}),
    ("edit_file", {"path": "a.txt", "edits": [{"oldText": "two", "newText": "TWO"}], "dryRun": True}),
    ("edit_file", {"path": "a.txt", "edits": [{"oldText": "zwei", "newText": "TWO"}]}),
    ("edit_file", {"path": "a.txt", "edits": [{"oldText": "two"}]}),
    ("edit_file", {"path": "a.txt", "edits": []}),
    ("edit_file", {"path": "a.txt", "edits": [{"oldText": "two", "newText": "$& ```"}]}),
    (
        "edit_file",
        {"path": "code.py", "edits": [{"oldText": "if x:\n  return 1", "newText": "if y:\n    return 2\nz"}]},
    ),
    ("edit_file", {"path": "code.py", "edits": [{"oldText": "", "newText": "# top\n"}]}),
    ("edit_file", {"path": "dos.txt", "edits": [{"oldText": "d\r\ne", "newText": "D\r\nE"}]}),
    ("edit_file", {"path": "open.txt", "edits": [{"oldText": "q", "newText": "Q"}]}),
    ("edit_file", {"path": "nope", "edits": []}),
    ("read_multiple_files", {"paths": ["a.txt", "code.py", "dos.txt", "open.txt"]}),
    ("create_directory", {"path": "p/q/r"}),
    ("create_directory", {"path": "sub"}),
    ("create_directory", {"path": "a.txt"}),
    ("create_directory", {"path": "a.txt/z"}),
    ("create_directory", {"path": "../z"}),
    ("list_directory", {"path": "."}),
    ("list_directory", {"path": "p/q/r"}),
    ("list_directory", {"path": "a.txt"}),
    ("list_directory", {"path": "nope"}),
    ("list_directory_with_sizes", {"path": "sizes"}),
    ("list_directory_with_sizes", {"path": "sizes", "sortBy": "size"}),
    ("list_directory_with_sizes", {"path": "sizes", "sortBy": "date"}),
    ("directory_tree", {"path": "."}),
    ("directory_tree", {"path": "sub"}),
    ("directory_tree", {"path": "{root}", "excludePatterns": ["sub", "*.txt", "p/q"]}),
    ("directory_tree", {"path": "nope"}),
    ("move_file", {"source": "n.txt", "destination": "a.txt"}),
    ("move_file", {"source": "n.txt", "destination": "p/n2.txt"}),
    ("move_file", {"source": "sub", "destination": "p/sub"}),
    ("move_file", {"source": "nope", "destination": "p/n3.txt"}),
    ("move_file", {"source": "p", "destination": "p/q/z"}),
    ("move_file", {"source": "a.txt", "destination": "../a.txt"}),
    ("move_file", {"source": "a.txt"}),
    ("search_files", {"path": ".", "pattern": "**/*.md"}),
    ("search_files", {"path": ".", "pattern": "*.md"}),
    ("search_files", {"path": ".", "pattern": "**/*.{md,txt}", "excludePatterns": ["p/**"]}),
    ("search_files", {"path": "{root}/p", "pattern": "*"}),
    ("search_files", {"path": ".", "pattern": "out"}),
    ("search_files", {"path": "nope", "pattern": "*"}),
    ("search_files", {"path": "/etc", "pattern": "*"}),
    ("get_file_info", {"path": "a.txt"}),
    ("get_file_info", {"path": "p"}),
    ("get_file_info", {"path": "nope"}),
)


def fill(directory: Path) -> None:
    (directory / "sub").mkdir(parents=True)
    (directory / "sizes" / "Inner").mkdir(parents=True)
    texts = {
        "a.txt": "one\ntwo\nthree\n",
        "open.txt": "p\nq\nr",
        "empty": "",
        "sub/b.md": "# B\n",
        "code.py": "def f(x):\n    if x:\n        return 1\n    return 0\n\n\nprint(f(2))\n",
        "café.txt": "latte",
        ".hidden": "h",
    }
    for name, text in texts.items():
        (directory / name).write_text(text)
    (directory / "dos.txt").write_bytes(b"c\r\nd\r\ne\r\n")
    for name, size in {"b10": 1023, "B2": 1024, "a-1": 1536, "Z": 0, "10": 1048576, "_x": 2}.items():
        (directory / "sizes" / name).write_bytes(b"x" * size)
    for name in ("x.bin", "dot.PNG", "beep.wav"):
        (directory / name).write_bytes(b"\xff\xfe\x00")
    for name, target in {"out": "/etc", "dangling": "nowhere", "in": "sub", "loop": "loop"}.items():
        (directory / name).symlink_to(target)


def answers(ref: ServerRef, directory: Path, root: Path) -> list[tuple[str, bool, Any, Any]]:
    async def call_all() -> list[Any]:
        async with an_arena(a_suite(ref), Sandbox(path=directory)) as arena:
            results = [await result_of(arena, tool, **_rooted(arguments, root)) for tool, arguments in CALLS]
        return [(_masked(one.text), one.is_error, one.content[0].type, _masked(one.structured)) for one in results]

    return anyio.run(call_all)


def _rooted(arguments: dict[str, Any], root: Path) -> dict[str, Any]:
    return {
        key: value.replace("{root}", str(root)) if isinstance(value, str) else value for key, value in arguments.items()
    }


def _masked(value: Any) -> Any:
    text = re.sub(r"[0-9a-f]{32}\.tmp", "HEX.tmp", json.dumps(value))
    return json.loads(re.sub(r"(created|modified|accessed): [A-Z][^\\]*", r"\1: TIME", text))


def test_every_call_is_answered_as_by_the_real_server(tmp_path: Path) -> None:
    root, ours = tmp_path / "root", tmp_path / "ours"
    fill(root)
    shutil.copytree(root, ours, symlinks=True)
    real = answers(npm("server-filesystem", ".", name="files"), root, root)
    factory = partial(server, shown_as=str(root))
    simulated = answers(ServerRef(name="files", transport="in_process", factory=factory), ours, root)
    assert [(CALLS[at], one) for at, one in enumerate(simulated) if one != real[at]] == [
        (CALLS[at], one) for at, one in enumerate(real) if one != simulated[at]
    ]


def test_the_tools_are_declared_as_by_the_real_server(tmp_path: Path) -> None:
    async def listed(ref: ServerRef) -> dict[str, Any]:
        async with an_arena(a_suite(ref), Sandbox(path=tmp_path)) as arena:
            return {tool.tool: (_plain(tool.input_schema), tool.annotations) for tool in arena.tools}

    real = anyio.run(listed, npm("server-filesystem", ".", name="files"))
    ours = anyio.run(listed, ServerRef(name="files", transport="in_process", factory=server))
    real.pop("read_file")
    assert {name: schema for name, (schema, _) in ours.items()} == {name: schema for name, (schema, _) in real.items()}
    hints = {name: {key: value for key, value in said.items() if key != "title"} for name, (_, said) in real.items()}
    assert {name: said for name, (_, said) in ours.items()} == hints


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _plain(value) for key, value in schema.items() if key != "description"}


PATHS = (
    "a",
    "b",
    "ab",
    "aab",
    ".x",
    "a.b",
    "A",
    "a/b",
    "a/b/c",
    "a/c",
    "a/x/y/c",
    "x/a.md",
    "a.md",
    "a/.x",
    "a1",
    "a5",
)
PATTERNS = (
    *("*", "**", "a/**", "**/a/**", "**/*", "a/*/", "*/", "*.{b,c}", "{a.b}", "[!x]b", "[^x]b", "!a", "!!a", "#a"),
    *("a{1..3}", "{a..c}", "+(a|b)", "?(a)b", "!(a|b)", "@(a|b)", "*(a)", "a\\*", "a//b", "a/?", "a]", "[a", "[a-c]"),
    *(
        "[a-]",
        "a[[:digit:]]",
        "**/b",
        "a/**/c",
        "**.md",
        "*/**.md",
        "./a",
        "a/",
        "",
        "a*b*",
        "*a*b",
        "**/**/c",
        "a/**/**",
    ),
    *("{a,b}/{b,c}", "{a,{b,c}}", "*.*", "?", "??", "a?b", "[]a]", "[!]a]b", "{a,b", "a,b}", "**/[a-z].md", "*/*/*"),
)


def test_globs_match_as_with_minimatch() -> None:
    pairs = [(path, pattern) for path in PATHS for pattern in PATTERNS]
    script = "minimatch/dist/esm/index.js"
    real = _node(script, "lib.minimatch(one[0], one[1], {dot: true})", pairs)
    assert [pair for pair, fits in zip(pairs, real, strict=True) if matches(*pair) != fits] == []


def test_differences_are_those_of_jsdiff() -> None:
    draw = random.Random("texts")
    pairs = [(_text(draw), _text(draw)) for _ in range(400)]
    call = "lib.createTwoFilesPatch('f', 'f', one[0], one[1], 'original', 'modified')"
    real = _node("diff/libesm/index.js", call, pairs)
    assert [pair for pair, diff in zip(pairs, real, strict=True) if unified_diff("f", *pair) != diff] == []


def _text(draw: random.Random) -> str:
    lines = draw.choices("abcde", k=draw.randint(0, 30))
    return "\n".join(lines) + ("\n" if lines and draw.random() < 0.7 else "")


def _node(module: str, call: str, values: list[Any]) -> list[Any]:
    path = INSTALLED / "npm" / "node_modules" / module
    if not path.exists():
        pytest.skip(f"{path} is missing; .ci/setup installs it")
    program = (
        f"import * as lib from {json.dumps(str(path))}; import fs from 'fs';"
        f"const values = JSON.parse(fs.readFileSync(0)); console.log(JSON.stringify(values.map(one => {call})))"
    )
    command = ["node", "--input-type=module", "--eval", program]
    made = subprocess.run(command, input=json.dumps(values), capture_output=True, text=True, check=True)
    decoded: list[Any] = json.loads(made.stdout)
    return decoded
