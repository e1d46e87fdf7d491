"""The directive ``live-page FILE``: a page that ``docs/gallery/make.py`` has made, inside another and by itself."""

from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata


class LivePage(SphinxDirective):
    """A frame with the page, and a link to it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        file = self.arguments[0]
        folder = Path(self.env.docname).parent.as_posix()
        if not any(Path(self.env.srcdir, path, folder, file).is_file() for path in self.config.html_extra_path):
            raise self.error(f"there is no page '{folder}/{file}' below html_extra_path; docs/gallery/make.py makes it")
        title = file.removesuffix(".html")
        html = (
            f'<iframe class="live-page" src="{file}" title="{title}" loading="lazy"></iframe>'
            f'<p><a class="reference" href="{file}">Open the {title} by itself</a></p>'
        )
        return [nodes.raw("", html, format="html")]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.add_directive("live-page", LivePage)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
