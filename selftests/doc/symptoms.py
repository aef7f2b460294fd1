#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Look a failure up in xroce-debug(8), as its reader does.

    symptoms.py PAGE [STATUS [EVIDENCE]]

The page has a table for each status of a client, below a title that names it. STATUS
picks the table. In EVIDENCE each line is something that a command has shown. A row fits
if each emphasised phrase in its first cell is in EVIDENCE. Prints the second cell, the
cause, of the first row that fits, and fails if there is none. Without EVIDENCE it prints
the causes of all rows.

Without STATUS it prints all tables as JSON. A file with that may stand for PAGE: parsing the page
takes long on a slow machine.
"""
import json
import re
import sys


def tables(page):
    """The rows of each table, by its title; a row is the phrases of its first cell and the text of
    the second."""
    if page.endswith(".json"):
        with open(page, encoding="utf-8") as f:
            return json.load(f)
    from docutils import core, nodes

    found = {}
    with open(page, encoding="utf-8") as f:
        tree = core.publish_doctree(f.read(), settings_overrides={"report_level": 5})
    for table in tree.traverse(nodes.table):
        section = table.parent
        while not isinstance(section, nodes.section):
            section = section.parent
        body = next(iter(table.traverse(nodes.tbody)))
        found[section[0].astext()] = [
            ([text(e) for e in row[0].traverse(nodes.emphasis)], text(row[1]))
            for row in body.children]
    return found


def text(node):
    return " ".join(node.astext().split())


def shown(phrase, evidence):
    pattern = r"(?<![\w.-])" + re.escape(phrase) + r"(?![\w-])"
    return any(re.search(pattern, line) for line in evidence)


def main():
    found = tables(sys.argv[1])
    if len(sys.argv) == 2:
        json.dump(found, sys.stdout)
        return 0
    rows = found.get(sys.argv[2], [])
    if len(sys.argv) == 3:
        print("\n".join(cause for _, cause in rows))
        return 0 if rows else 1
    with open(sys.argv[3], encoding="utf-8", errors="replace") as f:
        evidence = f.read().splitlines()
    for wanted, cause in rows:
        if wanted and all(shown(p, evidence) for p in wanted):
            print(cause)
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
