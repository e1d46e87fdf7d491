"""The simulated shell: its grammar, its commands, and its walls."""

from pathlib import Path

import pytest

from tests.simulated.terminal.machines import Terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    directory = tmp_path / "home"
    directory.mkdir()
    (tmp_path / "outside.txt").write_text("nobody reads this")
    return Terminal(directory)


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("echo one; echo two", "one\ntwo\n"),
        ("true && echo yes || echo no", "yes\n"),
        ("false && echo yes || echo no", "no\n"),
        ("false; echo $?", "1\n"),
        ("x='a b'; echo $x \"$x\" '$x' ${x}c", "a b a b $x a bc\n"),
        ("echo a#b # a comment", "a#b\n"),
        ('echo "$(wc -l < fruit.txt) lines"', "4 lines\n"),
        ("echo `whoami` on $(hostname)", "nora on fernhill-03\n"),
        ("echo data/*.csv [x]* '*'", "data/a.csv data/b.csv [x]* *\n"),
        ('echo ~ ~/x "~"', "/home/ann /home/ann/x ~\n"),
        ("echo -n no newline", "no newline"),
        ('echo "a\\"b" a\\ b', 'a"b a b\n'),
        ("cat fruit.txt | sort | uniq -c | head -n 1", "      1 apple 12\n"),
        ("echo x > new.txt; echo y >> new.txt; cat new.txt", "x\ny\n"),
        ("cat nope fruit.txt 2>/dev/null | wc -l", "4\n"),
        ("cat nope > log.txt 2>&1; cat log.txt", "cat: nope: No such file or directory\n"),
        ("wc -w < fruit.txt", "8\n"),
        (
            "pwd; cd data; pwd; cd ..; pwd; cd -; cd; pwd",
            "/home/ann\n/home/ann/data\n/home/ann\n/home/ann/data\n/home/ann\n",
        ),
        ("export A=1; B=2; printenv A B", "1\n"),
        ("printf '%s=%d\\n' a 1 b 2", "a=1\nb=2\n"),
        ("seq 2 2 6 | tac | tr '\\n' ' '", "6 4 2 "),
        ("/bin/echo hi", "hi\n"),
        ("python3 -c 'print(6*7)'", "42\n"),
        ("echo '1 + 1\nprint(2 + 2)' | python3", "4\n"),
        ("date; date '+%d/%m/%Y %H:%M'", "Mon Mar  2 09:00:00 UTC 2026\n02/03/2026 09:00\n"),
    ],
)
def test_a_command_line_prints_what_a_shell_would(terminal: Terminal, command: str, printed: str) -> None:
    assert terminal.run(command) == printed


PRINTED_FROM_FILES = {
    "ls": "data\nfruit.txt\n",
    "ls -A": ".hidden\ndata\nfruit.txt\n",
    "ls -R data": "data:\na.csv\nb.csv\nold\n\ndata/old:\nc.txt\n",
    "ls -l fruit.txt": "-rw-r--r-- 1 nora nora 30 Mar  2 09:00 fruit.txt\n",
    "ls -pS data": "old/\na.csv\nb.csv\n",
    "ls nope": "ls: cannot access 'nope': No such file or directory\n",
    "head -n 2 fruit.txt": "pear 3\napple 12\n",
    "head -2 fruit.txt | tail -n 1": "apple 12\n",
    "tail -n +3 fruit.txt": "fig 1\napple 2\n",
    "head -c 4 fruit.txt": "pear",
    "cat -n fruit.txt | tail -n 1": "     4\tapple 2\n",
    "wc fruit.txt": " 4  8 30 fruit.txt\n",
    "wc -l data/*.csv": " 4 data/a.csv\n 2 data/b.csv\n 6 total\n",
    "sort fruit.txt": "apple 12\napple 2\nfig 1\npear 3\n",
    "sort -k2 -n -r fruit.txt": "apple 12\npear 3\napple 2\nfig 1\n",
    "sort -t, -k2 -n data/a.csv | tail -n 1": "bo,7\n",
    "cut -d' ' -f1 fruit.txt | sort -u": "apple\nfig\npear\n",
    "cut -c1-2 fruit.txt | head -n 1": "pe\n",
    "grep -n apple fruit.txt": "2:apple 12\n4:apple 2\n",
    "grep -c , data/*.csv": "data/a.csv:4\ndata/b.csv:2\n",
    "grep -rl ann .; grep -rl dee": "./data/a.csv\ndata/b.csv\n",
    "grep -iv APPLE fruit.txt": "pear 3\nfig 1\n",
    "grep -oE '[0-9]+' fruit.txt | sort -n | tail -n 1": "12\n",
    "grep -w 'apple 1' fruit.txt; echo $?": "1\n",
    "sed 's/apple/quince/' fruit.txt | head -n 2": "pear 3\nquince 12\n",
    "sed -n '2,3p' fruit.txt": "apple 12\nfig 1\n",
    "tr a-z A-Z < fruit.txt | head -n 1": "PEAR 3\n",
    "find . -name '*.csv'": "./data/a.csv\n./data/b.csv\n",
    "find data -type d": "data\ndata/old\n",
    "find . -type f -empty": "./data/old/c.txt\n",
    "find . -maxdepth 1 -type f -not -name '.*'": "./fruit.txt\n",
    "du -s data": "16\tdata\n",
    "basename data/a.csv .csv; dirname data/a.csv": "a\ndata\n",
    "uniq -d fruit.txt; rev fruit.txt | head -n 1": "3 raep\n",
}


def test_commands_read_files_and_directories(terminal: Terminal) -> None:
    assert {command: terminal.run(command) for command in PRINTED_FROM_FILES} == PRINTED_FROM_FILES


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("mkdir -p x/y && touch x/y/z", {"x/y/z"}),
        ("cp fruit.txt x.txt", {"x.txt"}),
        ("cp -r data copy", {"copy/a.csv", "copy/b.csv", "copy/old/c.txt"}),
        ("cp fruit.txt data/a.csv data/old", {"data/old/fruit.txt", "data/old/a.csv"}),
        ("cp data copy", set()),
    ],
)
def test_commands_make_files(terminal: Terminal, command: str, names: set[str]) -> None:
    before = _files(terminal)
    terminal.run(command)
    assert _files(terminal) - before == names


@pytest.mark.parametrize(
    ("command", "gone"),
    [
        ("rm fruit.txt", {"fruit.txt"}),
        ("rm data/*.csv", {"data/a.csv", "data/b.csv"}),
        ("rm -r data", {"data/a.csv", "data/b.csv", "data/old/c.txt"}),
        ("rm data; rmdir data; rm -f nope", set()),
        ("mv fruit.txt data", {"fruit.txt"}),
        ("rm -rf / ~ . ../outside.txt", set()),
    ],
)
def test_commands_remove_files_and_nothing_above_the_home_directory(
    terminal: Terminal, command: str, gone: set[str]
) -> None:
    before = _files(terminal)
    terminal.run(command)
    assert before - _files(terminal) == gone
    assert (terminal.directory.parent / "outside.txt").exists()


def _files(terminal: Terminal) -> set[str]:
    found = (path for path in terminal.directory.rglob("*") if path.is_file())
    return {path.relative_to(terminal.directory).as_posix() for path in found}


@pytest.mark.parametrize(
    "command",
    [
        *("cat ../outside.txt", "cat /etc/hostname", "cat way-out/outside.txt", "cd ..; cat outside.txt"),
        *("echo x > ../outside.txt", "echo x >> way-out/outside.txt", "cp fruit.txt ../copy.txt", "mv fruit.txt .."),
        *("cp way-out/outside.txt x", "grep -r nobody way-out", "ls way-out", "find way-out/", "touch way-out/new"),
        *("mkdir -p ../new/deep", "rm -r way-out/", "python3 ../outside.txt", "wc -l < ../outside.txt"),
    ],
)
def test_nothing_outside_of_the_directory_is_read_or_changed(terminal: Terminal, command: str) -> None:
    (terminal.directory / "way-out").symlink_to(terminal.directory.parent)
    printed = terminal.run(command)
    assert "nobody" not in printed
    above = terminal.directory.parent
    assert {path.name: path.is_dir() or path.read_text() for path in above.iterdir()} == {
        "home": True,
        "outside.txt": "nobody reads this",
    }


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("nosuch", "/bin/sh: 1: nosuch: not found"),
        ("for i in 1 2; do echo $i; done", "Syntax error: 'for' is not supported by this simulated shell"),
        ("sleep 5 &", "Syntax error: '&' is not supported"),
        ("cat << END", "Syntax error: '<<' is not supported"),
        ("echo 'open", "Syntax error: Unterminated quoted string"),
        ("echo $(date", "end of line unexpected"),
        ("ls |", 'Syntax error: "|" unexpected'),
        ("ls >", "Syntax error: end of line unexpected"),
        ("ls -Q", "ls: invalid option -- 'Q'"),
        ("head -n x fruit.txt", "head: invalid number of lines: 'x'"),
        ("grep '(a*)*b' fruit.txt", "no repeated groups"),
        ("sed 'y/a/b/' fruit.txt", "does not know the script"),
        ("cp fruit.txt", "cp: missing destination file operand after 'fruit.txt'"),
        ("cat < nope", "cannot open nope: No such file or directory"),
        ("cat data", "cat: data: Is a directory"),
        ("mkdir data", "mkdir: cannot create directory 'data': File exists"),
    ],
)
def test_what_cannot_be_done_is_said(terminal: Terminal, command: str, complaint: str) -> None:
    assert complaint in terminal.run(command)


def test_another_shell_complains_in_its_own_words(terminal: Terminal) -> None:
    assert terminal.run("nosuch", shell="/bin/bash") == "bash: line 1: nosuch: command not found\n"


def test_files_that_double_fill_the_disk_and_not_the_memory(terminal: Terminal) -> None:
    doubled = "; ".join("cat a a > b && mv b a" for _ in range(8))
    terminal.run("echo 123456789 > a")
    printed = [terminal.run(doubled) for _ in range(3)]
    assert printed[-1].count("b: No space left on device") == 8 - 3
    assert "reads at most 10000000 characters" in terminal.run("cat " + "a " * 20)
