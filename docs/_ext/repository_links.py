"""Links of pages to files elsewhere lead to the page that includes the file, or to the repository."""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

REPOSITORY = "https://github.com/pytest-mcpbench/pytest-mcpbench"
PAGES = {
    "ARCHITECTURE.md": "explanation/architecture",
    "CHANGELOG.md": "project/changelog",
    "CONTRIBUTING.md": "project/contributing",
    "README.md": "index",
    "SECURITY.md": "project/security",
}
"""Files of the repository's root with the pages that include them."""


def redirect_links(app: Sphinx, doctree: nodes.document) -> None:
    """Redirect links to files that exist beside the documentation; Sphinx reports all others as broken."""
    root = Path(app.srcdir).parent
    for node in [*doctree.findall(addnodes.pending_xref), *doctree.findall(addnodes.download_reference)]:
        target = _file(app, node)
        if target is None or not target.is_relative_to(root) or target.is_relative_to(app.srcdir):
            continue
        file = target.relative_to(root).as_posix()
        if page := PAGES.get(file):
            node.attributes |= {"refdomain": "doc", "reftarget": page, "reftargetid": node.get("reftargetid")}
            continue
        kind = "tree" if target.is_dir() else "blob"
        anchor = f"#{node['reftargetid']}" if node.get("reftargetid") else ""
        address = f"{REPOSITORY}/{kind}/main/{file}{anchor}"
        node.replace_self(nodes.reference("", "", *node.children, refuri=address, internal=False))


def _file(app: Sphinx, node: nodes.Element) -> Path | None:
    """Return the file that a link of MyST names, ``None`` for a link to a page or to no file."""
    if node.get("reftype") != "myst" or not node["reftarget"]:
        return None
    if node.get("refdomain") == "doc":
        # MyST has removed the suffix of what may be a page.
        candidates = [Path(app.srcdir, f"{node['reftarget']}.md")]
    else:
        # A file that is included from the root has links that begin there.
        folders = (Path(app.srcdir, node["refdoc"]).parent, Path(app.srcdir).parent)
        candidates = [folder / node["reftarget"] for folder in folders]
    return next((path.resolve() for path in candidates if path.exists()), None)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension."""
    app.connect("doctree-read", redirect_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
