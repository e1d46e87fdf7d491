import pytest

from pytest_mcpbench.suite_files.briefing.suite_briefing import Skill

DOCUMENTS = {
    "plain": ("Do it well.\n", Skill("mail", "Do it well.")),
    "front matter": (
        '---\nname: "lark"\ndescription: How Lark works: calendar, chats\nlicense: MIT\n---\n\n# Steps\n1. Look.\n',
        Skill("lark", "# Steps\n1. Look.", "How Lark works: calendar, chats"),
    ),
    "front matter without a name, Windows": (
        "\ufeff---\r\ndescription: d\r\n---\r\nText",
        Skill("mail", "Text", "d"),
    ),
    "a rule is no front matter": ("Text\n---\nname: x\n---\n", Skill("mail", "Text\n---\nname: x\n---")),
}


@pytest.mark.parametrize(("document", "skill"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_a_document_is_a_skill(document: str, skill: Skill) -> None:
    assert Skill.from_document(document, "mail") == skill


def test_a_skill_is_shown_with_its_name_and_what_it_is_for() -> None:
    assert (
        Skill("lark", "Look first.", "How Lark works").prompt_text == "# Skill: lark\n\nHow Lark works\n\nLook first."
    )
    assert Skill("lark", "Look first.").prompt_text == "# Skill: lark\n\nLook first."
