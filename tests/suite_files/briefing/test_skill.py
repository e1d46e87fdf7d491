import pytest

from pytest_mcpbench.core.skill import Skill
from pytest_mcpbench.suite_files.briefing.suite_briefing import parse_skill

DOCUMENTS = {
    "plain": ("Do it well.\n", Skill(name="mail", text="Do it well.")),
    "front matter": (
        '---\nname: "lark"\ndescription: How Lark works: calendar, chats\nlicense: MIT\n---\n\n# Steps\n1. Look.\n',
        Skill(name="lark", text="# Steps\n1. Look.", description="How Lark works: calendar, chats"),
    ),
    "front matter without a name, Windows": (
        "\ufeff---\r\ndescription: d\r\n---\r\nText",
        Skill(name="mail", text="Text", description="d"),
    ),
    "a description of several lines": (
        "---\nname: pdf\ndescription: >-\n  Fill in forms:\n  PDF only.\nlicense: MIT\n---\nText",
        Skill(name="pdf", text="Text", description="Fill in forms: PDF only."),
    ),
    "a rule is no front matter": ("Text\n---\nname: x\n---\n", Skill(name="mail", text="Text\n---\nname: x\n---")),
}


@pytest.mark.parametrize(("document", "skill"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_a_document_is_a_skill(document: str, skill: Skill) -> None:
    assert parse_skill(document, "mail") == skill


def test_a_skill_is_shown_with_its_name_and_what_it_is_for() -> None:
    described = Skill(name="lark", text="Look first.", description="How Lark works")
    assert described.prompt_text == "# Skill: lark\n\nHow Lark works\n\nLook first."
    assert Skill(name="lark", text="Look first.").prompt_text == "# Skill: lark\n\nLook first."
