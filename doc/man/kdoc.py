#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
"""A page of the manual with what the headers say about functions and structures.

    kdoc.py PAGE.rst >PAGE.full.rst
    kdoc.py --names PAGE.rst...      only which functions the pages describe

Within the page, paths being those from the top of the tree:

    .. prototypes:: user/lib/libxroce.h
       NAME...                  the declarations, in one block
    .. kernel-doc:: HEADER
       NAME...                  a subsection each: declaration and comment

so that no text stands twice. A name that the header does not have, or has without
a comment, is an error.
"""
import re
import sys


def parse(path):
    """What a header declares: name -> (declaration, comment)."""
    text = open(path).read()
    found = {}
    pattern = re.compile(
        r"^/\*(?P<comment>(?:(?!\*/).)*)\*/\n"
        r"(?P<code>(?:static inline |const |struct |enum |void|int|bool|__u)[^;{/]*"
        r"(?:;|\{.*?^\};?))", re.M | re.S)
    for match in pattern.finditer(text):
        code, comment = match["code"], match["comment"]
        head = code.split("{")[0].split("(")[0].split()
        found.setdefault(head[-1].lstrip("*"), (code, comment))
    return found


def declaration(code):
    """Without the body of a function, and the comments in a structure: it has a
    kernel-doc, as an enum has not."""
    if code.startswith("static inline"):
        code = code.split("\n{")[0] + ";"
    if not code.startswith("enum"):
        code = re.sub(r"[ \t]*/\*.*?\*/", "", code, flags=re.S)
    return code.expandtabs(8)


def escape(text):
    text = re.sub(r"([\\*`|])", r"\\\1", text)
    text = re.sub(r"_\b(?=\W|$)", r"\\_", text)
    text = re.sub(r"::$", r":\\:", text)
    return re.sub(r"@(\w+)", r"*\1*", text)


def lines_of(comment):
    lines = [re.sub(r"^ ?\*? ?", "", line, count=1).rstrip()
             for line in comment.strip("\n").split("\n")]
    while lines and lines[0] in ("", "*"):
        lines.pop(0)
    return lines


def describe(comment):
    """The comment as reST, parameters behind the text."""
    lines, members, body = lines_of(comment), [], []
    title = None
    if comment.startswith("*"):
        title = lines.pop(0)
        while lines and lines[0].startswith("\t"):
            title += " " + lines.pop(0).strip()
        title = re.sub(r"^(struct )?\w+(\(\))? - ([A-Z_]+: )?", "", title)
    while lines:
        line = lines.pop(0)
        member = re.match(r"@(\w+): *(.*)", line) if not body or members and not any(body) else None
        if member:
            text = member[2]
            while lines and lines[0].startswith(("\t", " ")) and lines[0].strip():
                text += " " + lines.pop(0).strip()
            members.append((member[1], text))
        else:
            body.append(line)
    out = []
    if title:
        out += [escape(title[0].upper() + title[1:].rstrip(".") + "."), ""]
    text = "\n".join(body).strip("\n")
    text = re.sub(r"(?<=\. )(Errors?|Return):", r"\n\n\1:", text)
    for line in text.split("\n"):
        bullet = line.startswith("* ")
        line = escape(line[2:] if bullet else line)
        line = re.sub(r"^(Errors?|Return):", r"**\1:**", line)
        out.append("* " + line if bullet else line)
    out.append("")
    for name, text in members:
        out += ["*%s*" % name, "    " + escape(text), ""]
    return out


def block(text):
    return ["::", ""] + ["    " + line if line else "" for line in text.split("\n")] + [""]


def expand(page):
    headers, out = {}, []
    lines = page.split("\n")
    while lines:
        line = lines.pop(0)
        match = re.match(r"\.\. (prototypes|kernel-doc):: (\S+)$", line)
        if not match:
            out.append(line)
            continue
        names = []
        while lines and lines[0].startswith("   "):
            names += lines.pop(0).split()
        header = headers.setdefault(match[2], parse(match[2]))
        for name in names:
            if name not in header:
                sys.exit("kdoc: %s: %s has no comment" % (match[2], name))
        if match[1] == "prototypes":
            out += block("#include <libxroce.h>\n\n" +
                         "\n".join(declaration(header[name][0]) for name in names))
            continue
        for name in names:
            code, comment = header[name]
            kind = code.split()[0]
            title = name + "()" if "(" in code.split("{")[0] else kind + " " + name
            out += ["", title, "-" * len(title), ""]
            out += block(declaration(code)) + describe(comment)
    return "\n".join(out)


def main(args):
    if args[0] == "--names":
        for path in args[1:]:
            page = expand(open(path).read())
            print("\n".join(re.findall(r"^(\w+)\(\)\n-+$", page, re.M)))
    else:
        sys.stdout.write(expand(open(args[0]).read()))


main(sys.argv[1:])
