"""Web search domain: pages about invented islands, and questions that only these pages answer."""

from pytest_mcpbench.generation.radar.web.pages import page_files, pages
from pytest_mcpbench.generation.radar.web.question import Question, questions

__all__ = ["Question", "page_files", "pages", "questions"]
