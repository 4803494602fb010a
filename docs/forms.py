"""How headings and docstrings are written in the course, told to Sphinx."""

import re


def anchor(title: str) -> str:
    """The name that JupyterLab gives a heading, so that one link works there and on the site."""
    return title.replace(" ", "-")


def as_rst(lines: list[str]) -> list[str]:
    """A docstring as reStructuredText. Ours are plain text: what is indented or set as a table is kept as it stands."""
    written = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        rows = paragraph.strip("\n").split("\n")
        if rows[0].startswith(">>>"):
            written += [*rows, ""]
            continue
        kept = []
        for row in [*rows, None]:
            if row is not None and re.match(r" |\|", row):
                kept.append(row)
                continue
            if kept:
                written += ["", "::", "", *("    " + line for line in kept), ""]
                kept = []
            if row is not None:
                written.append(escaped(row))
        written.append("")
    return written


def escaped(row: str) -> str:
    """A line of prose, with the signs that mean something in reStructuredText alone as plain signs, outside of `code`."""
    parts = re.split(r"(`+[^`]*`+)", row)
    return "".join(
        part if i % 2 else re.sub(r"([|*])|(?<=\w)(_)(?=\W|$)", lambda m: "\\" + m[0], part)
        for i, part in enumerate(parts)
    )
