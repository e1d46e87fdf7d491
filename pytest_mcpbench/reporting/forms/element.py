"""Elements of HTML and SVG; text and values of attributes are escaped when an element is written."""

from dataclasses import dataclass
from html import escape

from markupsafe import Markup

from pytest_mcpbench.reporting.forms.display_text import visible

_WITHOUT_CONTENT = frozenset({"line", "path", "circle", "rect", "polyline", "polygon", "use", "input", "br", "meta"})


@dataclass(frozen=True)
class Element:
    """Element with its attributes and content."""

    name: str
    attributes: tuple[tuple[str, str], ...] = ()
    children: tuple["Node", ...] = ()

    def __str__(self) -> str:
        attributes = "".join(f' {name}="{escape(visible(value))}"' for name, value in self.attributes)
        if self.name in _WITHOUT_CONTENT and not self.children:
            return f"<{self.name}{attributes}/>"
        content = "".join(
            str(child) if isinstance(child, Markup | Element) else escape(visible(child), quote=False)
            for child in self.children
        )
        return f"<{self.name}{attributes}>{content}</{self.name}>"

    def __html__(self) -> str:
        return str(self)

    @property
    def markup(self) -> Markup:
        """Return the element as markup, for templates and sections."""
        return Markup(self)


Node = str | Markup | Element
"""Text, which is escaped, or markup, which is not."""


def element(name: str, /, *children: Node | None, **attributes: str | float | None) -> Element:
    """Return an element; ``None`` is left out.

    ``_`` becomes ``-`` in names of attributes, and a trailing ``_`` is dropped (``class_``).
    """
    written = (
        (key.rstrip("_").replace("_", "-"), value if isinstance(value, str) else number(value))
        for key, value in attributes.items()
        if value is not None
    )
    return Element(name, tuple(written), tuple(child for child in children if child is not None))


def number(value: float) -> str:
    """Format a coordinate with at most one decimal."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text
