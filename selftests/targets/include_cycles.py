#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that includes between the files of a directory have no cycles.

    include_cycles.py DIR...

Each directory is checked separately, with all directories below it. A .c and its .h in
one folder count as one node, as neither is of use without the other. Includes in quotes
count if the file exists: beside the including file, or else at a path that ends as the
include says. If several files match, that is an error as well.

Prints one of the shortest cycles, if there is any, and fails.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


class Ambiguous(Exception):
    pass


def sources(top):
    for folder, _, names in os.walk(top):
        for name in names:
            if name.endswith((".c", ".h")):
                yield os.path.normpath(os.path.join(folder, name))


def target(path, include, files):
    """Return: the included file; None: it is in another directory."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), include))
    if beside in files:
        return beside
    found = [f for f in files if f.endswith(os.sep + include)]
    if len(found) > 1:
        raise Ambiguous('%s: "%s" could be %s' % (path, include, " or ".join(sorted(found))))
    return found[0] if found else None


def graph(top):
    """Return: the includes of each node, as {node: nodes}."""
    files = set(sources(top))
    edges = {os.path.splitext(path)[0]: set() for path in files}
    for path in files:
        node = os.path.splitext(path)[0]
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for include in INCLUDE.findall(text):
            other = target(path, include, files)
            if other and os.path.splitext(other)[0] != node:
                edges[node].add(os.path.splitext(other)[0])
    return edges


def circle(edges):
    """Return: the nodes of one of the shortest cycles, or None."""
    best = None
    for start in sorted(edges):
        came = {start: None}
        queue = [start]
        for node in queue:
            if start in edges[node]:
                way = [start]
                while node != start:
                    way.insert(1, node)
                    node = came[node]
                if not best or len(way) < len(best):
                    best = way
                break
            for other in sorted(edges[node]):
                if other not in came:
                    came[other] = node
                    queue.append(other)
    return best


def main(tops):
    status = 0
    for top in tops:
        try:
            edges = graph(top)
        except Ambiguous as error:
            print("%s: error: %s" % (top, error))
            status = 1
            continue
        if not edges:
            print("%s: error: no sources" % top)
            status = 1
            continue
        way = circle(edges)
        if way:
            print("%s: error: includes go in a circle: %s" %
                  (top, " -> ".join(os.path.relpath(node, top) for node in way + way[:1])))
            status = 1
    return status


if len(sys.argv) < 2:
    sys.exit(__doc__.strip())
sys.exit(main(sys.argv[1:]))
