"""The runner of the pages' blocks does what their comments say, and names the place of a block that does not run."""

import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).parents[1] / ".ci" / "blocks.py"
GOOD = """
<!-- file: greeting.txt -->
<!-- in: made -->
```text
Hello
```

<!-- in: made -->
<!-- output: compared -->
```console
$ export NAME=Ada
$ cat greeting.txt && \\
  echo "$NAME from ${PWD##*/}, $(date +%Y)"
Hello
Ada from made, …
```

1. Indented, with the name of the block before:

   <!-- exit: 3 -->
   ```bash
   test "$NAME" = Ada
   (exit 3)
   ```

<!-- exit: 0 5 -->
```console
$ export SECRET_API_KEY=sk-…   # sk-… is replaced
$ test $SECRET_API_KEY = loopback && exit 5
```

<!-- not run: it needs a mainframe -->
```bash
submit --job
```

```python
this is left alone
```
"""


def run_blocks(directory: Path, page: str) -> "subprocess.CompletedProcess[str]":
    """Run the blocks of a page that is committed to a repository."""
    directory.joinpath("page.md").write_text(page, encoding="utf-8")
    author = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for arguments in (["init", "--quiet"], ["add", "."], [*author, "commit", "--quiet", "--message=page"]):
        subprocess.run(["git", *arguments], cwd=directory, check=True)
    command = [sys.executable, str(RUNNER), "--repository", str(directory), "page.md"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_page_whose_blocks_run_passes_and_says_what_is_left_out(tmp_path: Path) -> None:
    result = run_blocks(tmp_path, GOOD)
    assert (result.returncode, result.stderr) == (0, "")
    lines = [line.partition(", ")[0] for line in result.stdout.splitlines()]
    assert lines == [
        "page.md:4: ok",
        "page.md:10: ok",
        "page.md:21: ok",
        "page.md:27: ok",
        "page.md:33: not run: it needs a mainframe",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == [".git", "page.md"]


@pytest.mark.extra
@pytest.mark.parametrize(
    ("page", "error"),
    [
        pytest.param(
            "```console\n$ true\n$ echo why; false\n```",
            "page.md:3: `echo why; false` ended with exit code 1, expected 0. Its last lines:\n    why\n",
            id="a command that fails",
        ),
        pytest.param(
            "<!-- exit: 1 -->\n```bash\ntrue\n```",
            "page.md:3: `true` ended with exit code 0, expected 1. Its last lines:\n\n",
            id="a command that does not fail",
        ),
        pytest.param(
            "<!-- output: compared -->\n```console\n$ echo 3 passed\n4 passed\n```",
            "page.md:3: `echo 3 passed` did not print the line that the page shows: 4 passed. Its last lines:\n"
            "    3 passed\n",
            id="other output",
        ),
        pytest.param(
            "<!-- exit: 1 -->\n```console\n$ echo '== 1 failed, 2 errors in 3.00s =='; false\n```",
            "page.md:3: `echo '== 1 failed, 2 errors in 3.00s =='; false` ran tasks or tests that ended in an error: "
            "1 failed, 2 errors in 3.00s. Its last lines:\n    == 1 failed, 2 errors in 3.00s ==\n",
            id="a run with errors",
        ),
        pytest.param(
            "<!-- exits: 1 -->\n```bash\nfalse\n```",
            "page.md:2: comments about a block are called file, in, exit, output, not run, not exits\n",
            id="an unknown comment",
        ),
        pytest.param(
            "<!-- exit: 1 -->\n\n```bash\nfalse\n```",
            "page.md:2: the line before is a comment about a block, and no block follows\n",
            id="a comment without a block",
        ),
        pytest.param(
            "<!-- exit: 0 1 -->\n```bash\nfalse\n```",
            "page.md:2: exit: 0 1: not a number, or more numbers than the block has commands\n",
            id="more exit codes than commands",
        ),
    ],
)
def test_a_block_that_does_not_run_is_told_with_its_place(tmp_path: Path, page: str, error: str) -> None:
    result = run_blocks(tmp_path, page)
    assert (result.returncode, result.stderr) == (1, error)
