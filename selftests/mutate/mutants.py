#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# Copy the module's sources, with a switch in each of their checks.
#
# usage: mutants.py KMOD COPY TABLE
#
# A check is an "if" whose body returns, jumps or sets a result, below the folders of FOLDERS.
# Its condition C becomes MUTANT(number, C): see mutant.h. Each part of "A || B" is a check of its
# own. TABLE gets a line a check: number, file, function, condition.
import os
import re
import shutil
import sys

FOLDERS = ("defer", "frame", "front", "obj", "own", "qp", "recv", "respond", "send")
BODY = re.compile(r"\s*(\{\s*)?(/\*.*?\*/\s*)?(return\b|goto\b|ret = -|status = XROCE_WC|continue;|break;)",
                  re.S)
FUNCTION = re.compile(r"^[a-z][^\n;=]*?\b(\w+)\([^;{}]*\)\n\{", re.M)


def closing(text, at):
    """The parenthesis that closes the one at @at."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth:
            return i
    raise ValueError("unbalanced")


def parts(text):
    """The operands of || outside of parentheses."""
    found, begin, depth, i = [], 0, 0, 0
    while i < len(text):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth and text[i:i + 2] == "||":
            found.append(text[begin:i])
            begin = i = i + 2
            continue
        if not depth and text[i] == "?":
            return [text]
        i += 1
    return found + [text[begin:]]


class Source:
    def __init__(self, name, text, table):
        self.name, self.text, self.table = name, text, table
        self.functions = [(m.start(), m.group(1)) for m in FUNCTION.finditer(text)]

    def function(self, at):
        name = "?"
        for begin, found in self.functions:
            if begin > at:
                break
            name = found
        return name

    def switch(self, condition, at):
        hint = re.fullmatch(r"\s*(likely|unlikely)\((.*)\)\s*", condition, re.S)
        if hint and closing(condition, condition.index("(")) == len(condition.rstrip()) - 1:
            return "%s(%s)" % (hint.group(1), self.switch(hint.group(2), at))
        out = []
        for part in parts(condition):
            line = re.sub(r"\s+", " ", part).strip()
            self.table.append((self.name, self.function(at), line))
            out.append("MUTANT(%d, %s)" % (len(self.table), part))
        return " || ".join(out)

    def changed(self):
        out, done = "", 0
        for m in re.finditer(r"\bif \(", self.text):
            begin = m.end() - 1
            line = self.text[self.text.rindex("\n", 0, begin):self.text.index("\n", begin)]
            end = closing(self.text, begin)
            condition = self.text[begin + 1:end]
            if begin < done or line.endswith("\\") or "/*" in condition or "#" in line or \
               re.search(r"^\s*(\*|//|/\*)", line.strip("\n")) or \
               not BODY.match(self.text, end + 1):
                continue
            out += self.text[done:begin + 1] + self.switch(condition, begin)
            done = end
        return out + self.text[done:]


def sources(top):
    """The .c files below a folder; without any, FOLDERS is out of date."""
    found = sorted(os.path.join(folder, name) for folder, _, names in os.walk(top)
                   for name in names if name.endswith(".c"))
    if not found:
        sys.exit("mutants.py: no file below %s" % top)
    return found


def main():
    kmod, copy, where = sys.argv[1:]
    table = []
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(kmod, copy)
    for folder in FOLDERS:
        for path in sources(os.path.join(copy, folder)):
            with open(path) as f:
                text = f.read()
            with open(path, "w") as f:
                f.write(Source(os.path.relpath(path, copy), text, table).changed())
    with open(where, "w") as f:
        for number, row in enumerate(table, 1):
            f.write("%d\t%s\n" % (number, "\t".join(row)))


main()
