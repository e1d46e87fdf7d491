"""Web search domain: pages about invented islands, and questions that only these pages answer."""

from pytest_mcpbench.generation.radar.web.derivation import derivation
from pytest_mcpbench.generation.radar.web.pages import page_files, pages
from pytest_mcpbench.generation.radar.web.question import WebQuestion, questions

__all__ = ["WebQuestion", "derivation", "page_files", "pages", "questions"]
