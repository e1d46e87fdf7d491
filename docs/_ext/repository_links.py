"""Links of pages to files outside of the documentation lead to the repository."""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

REPOSITORY = "https://github.com/pytest-mcpbench/pytest-mcpbench"


def link_to_repository(app: Sphinx, doctree: nodes.document) -> None:
    """Replace links to files that exist beside the documentation; Sphinx reports all others as broken."""
    root = Path(app.srcdir).parent
    links = [*doctree.findall(addnodes.pending_xref), *doctree.findall(addnodes.download_reference)]
    for node in links:
        target = _file(app, node)
        if target is None or not target.is_relative_to(root) or target.is_relative_to(app.srcdir):
            continue
        kind = "tree" if target.is_dir() else "blob"
        anchor = f"#{node['reftargetid']}" if node.get("reftargetid") else ""
        address = f"{REPOSITORY}/{kind}/main/{target.relative_to(root).as_posix()}{anchor}"
        node.replace_self(nodes.reference("", "", *node.children, refuri=address, internal=False))


def _file(app: Sphinx, node: nodes.Element) -> Path | None:
    """Return the file that a link of MyST names; it leaves out the suffix of what may be a page."""
    if node.get("reftype") != "myst":
        return None
    path = Path(app.srcdir, node["refdoc"]).parent / node["reftarget"]
    if node.get("refdomain") == "doc":
        path = Path(app.srcdir, node["reftarget"] + ".md")
    path = path.resolve()
    return path if path.exists() else None


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the extension."""
    app.connect("doctree-read", link_to_repository)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
