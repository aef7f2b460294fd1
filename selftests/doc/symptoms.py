#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Look a failure up in xroce-debug(8), as its reader does.

    symptoms.py PAGE STATUS [EVIDENCE]

The page has a table for each status of a client, below a title that names it. STATUS
picks the table. In EVIDENCE each line is something that a command has shown. A row fits
if each emphasised phrase in its first cell is in EVIDENCE. Prints the second cell, the
cause, of the first row that fits, and fails if there is none. Without EVIDENCE it prints
the causes of all rows.
"""
import re
import sys

from docutils import core, nodes


def tables(page):
    """(title, rows) of each table; a row is a list of cells."""
    with open(page, encoding="utf-8") as f:
        tree = core.publish_doctree(f.read(), settings_overrides={"report_level": 5})
    for table in tree.traverse(nodes.table):
        section = table.parent
        while not isinstance(section, nodes.section):
            section = section.parent
        body = next(iter(table.traverse(nodes.tbody)))
        yield section[0].astext(), [list(row.children) for row in body.children]


def text(node):
    return " ".join(node.astext().split())


def phrases(cell):
    return [text(e) for e in cell.traverse(nodes.emphasis)]


def shown(phrase, evidence):
    pattern = r"(?<![\w.-])" + re.escape(phrase) + r"(?![\w-])"
    return any(re.search(pattern, line) for line in evidence)


def main():
    page, status = sys.argv[1:3]
    rows = next((rows for title, rows in tables(page) if title == status), [])
    if len(sys.argv) == 3:
        print("\n".join(text(row[1]) for row in rows))
        return 0 if rows else 1
    with open(sys.argv[3], encoding="utf-8", errors="replace") as f:
        evidence = f.read().splitlines()
    for row in rows:
        wanted = phrases(row[0])
        if wanted and all(shown(p, evidence) for p in wanted):
            print(text(row[1]))
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
