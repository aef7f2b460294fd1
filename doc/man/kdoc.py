#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
"""A page of the manual with what the headers say, and its example.

    kdoc.py PAGE.rst >PAGE.full.rst
    kdoc.py --names PAGE.rst...      only the names that the pages describe

Within the page, paths being those from the top of the tree:

    .. prototypes:: user/lib/libxroce.h
       NAME...                  the declarations, in one block
    .. kernel-doc:: HEADER
       NAME...                  a subsection each: declaration and comment
    .. constants:: HEADER
       NAME...                  definitions with their comments
    .. counters:: HEADER
       TABLE                    the rows of a table of counters
    .. overview:: HEADER        the comment at its head, up to the program in it
    .. example:: FILE           the program, without its SPDX line

so that no text stands twice. A name that the header does not have, or has without
a comment, is an error, and so is a comment that leaves out a parameter, a member or
what a function returns.
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
        found.setdefault(head[-1].lstrip("*").rstrip(";"), (code, comment))
    return found


def parse_constants(path):
    """What a header defines: name -> (definition, comment of it or of its group). A
    group is the lines below each other."""
    found = {}
    for match in re.finditer(r"^(?:/\*((?:(?!\*/).)*)\*/\n)?"
                             r"((?:#define XROCE_(?:[^\\\n]|\\\n|\\.)*\n)+)",
                             open(path).read(), re.M | re.S):
        comment = match[1]
        for define in re.findall(r"#define (?:[^\\\n]|\\\n|\\.)*\n", match[2]):
            found[re.match(r"#define (\w+)", define)[1]] = (define.rstrip(), comment)
    return found


def declaration(code):
    """Without the body of a function, and the comments in a structure: it has a
    kernel-doc, as an enum has not."""
    if code.startswith("static inline"):
        code = code.split("\n{")[0].removeprefix("static inline ") + ";"
    if not code.startswith("enum"):
        code = re.sub(r"[ \t]*/\*.*?\*/", "", code, flags=re.S)
    return literal(code)


def literal(code):
    return re.sub(r"@(\w+)", r"\1", code.expandtabs(8))


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


def is_function(code):
    return "(" in code.split("{")[0]


def check(name, code, comment):
    """A kernel-doc names each parameter or member, and nothing else."""
    if code.startswith("enum"):
        return
    plain = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    function = is_function(code)
    if function:
        have = re.findall(r"(\w+)(?:\[\w*\])?[,)]", plain.split("{")[0])
    else:
        have = re.findall(r"(\w+)(?:\[\w*\])*;", plain.partition("{")[2])
    said = re.findall(r"^ \* @(\w+):", comment, re.M)
    for first, last in re.findall(r"^ \* @(\w+):[^@]* up to\s[*\s]*@(\w+)$", comment, re.M):
        if {first, last} <= set(have):
            said += have[have.index(first):have.index(last) + 1]
    for word in sorted(set(have) ^ set(said)):
        sys.exit("kdoc: %s: %s is %s" % (name, word, "not described" if word in have
                                         else "not there"))
    if function and not code.startswith("void") and not re.search(r"\bReturn:", comment):
        sys.exit("kdoc: %s: no Return" % name)


def constants(path, names):
    """A block for those of a group, and the comment of the group."""
    out, group, known = [], [], parse_constants(path)

    def flush():
        if group:
            out.extend(block(literal("\n".join(d for d, _ in group))))
            if group[0][1]:
                out.extend(describe(group[0][1]))
            group.clear()

    for name in names:
        if name not in known:
            sys.exit("kdoc: %s: no %s" % (path, name))
        define, comment = known[name]
        if not comment and "/*" not in define:
            sys.exit("kdoc: %s: %s has no comment" % (path, name))
        if group and group[0][1] is not comment:
            flush()
        group.append((define, comment))
    flush()
    return out


def counters(path, table):
    """Rows KIND(field, "text", place) of a macro, and the comments behind them. A comment that
    ends with a colon is a heading. PARTLY is shown by the name of its place, PART is not."""
    text = open(path).read()
    body = re.search(r"^#define %s\(.*?\n\n" % table, text, re.M | re.S)[0]
    rows = re.findall(r"/\*(.*?)\*/|^\t([A-Z]+)\((\w+),((?: |\\\n|\s*\"[^\"]*\")+)(?:,\s*(\w+))?",
                      body, re.M | re.S)
    if sum(bool(row[1]) for row in rows) != len(re.findall(r"^\t[A-Z]+\(", body, re.M)):
        sys.exit("kdoc: %s: a row of %s is not as the others" % (path, table))
    out = []
    for comment, kind, name, note, place in rows:
        comment = " ".join(re.sub(r"^\s*\*", "", line).strip(" \t") for line in
                           comment.split("\n")).strip()
        if comment.endswith(":"):
            out += [escape(comment), ""]
        elif comment:
            out[-1:] = ["    " + escape(comment), ""]
        elif kind != "PART":
            note = "".join(re.findall(r'"(.*?)"', note))
            out += ["*%s*" % (place if kind == "PARTLY" else name),
                    "    %s." % escape(note[0].upper() + note[1:]), ""]
    return out


def overview(path):
    """The paragraphs of the comment at the head of a header; indented ones are literal."""
    comment = re.search(r"^/\*\n \* (\w+: .*?)\n \*\n \*\t", open(path).read(), re.M | re.S)[1]
    out = []
    for paragraph in re.sub(r"^ \* ?", "", comment, flags=re.M).split("\n\n")[:-1]:
        if paragraph.startswith(" "):
            out += block(paragraph)
        else:
            out += [escape(paragraph), ""]
    return out


def example(path):
    text = open(path).read().split("\n")
    return block("\n".join(text[1:]).rstrip("\n").expandtabs(8))


def block(text):
    return ["::", ""] + ["    " + line if line else "" for line in text.split("\n")] + [""]


def expand(page):
    headers, out = {}, []
    lines = page.split("\n")
    while lines:
        line = lines.pop(0)
        match = re.match(r"\.\. (prototypes|kernel-doc|constants|counters|overview|example):: (\S+)$", line)
        if not match:
            out.append(line)
            continue
        names = []
        while lines and lines[0].startswith("   "):
            names += lines.pop(0).split()
        if match[1] == "example":
            out += example(match[2])
            continue
        if match[1] == "overview":
            out += overview(match[2])
            continue
        if match[1] == "counters":
            out += counters(match[2], *names)
            continue
        if match[1] == "constants":
            out += constants(match[2], names)
            continue
        header = headers.setdefault(match[2], parse(match[2]))
        for name in names:
            if name not in header:
                sys.exit("kdoc: %s: %s has no comment" % (match[2], name))
        if match[1] == "prototypes":
            include = "" if any("#include" in line for line in out) else \
                "#include <libxroce.h>\n\n"
            out += block(include + "\n".join(declaration(header[name][0]) for name in names))
            continue
        for name in names:
            code, comment = header[name]
            check(name, code, comment)
            title = name + "()" if is_function(code) else code.split()[0] + " " + name
            out += ["", title, "-" * len(title), ""]
            out += block(declaration(code)) + describe(comment)
    return "\n".join(out)


def names_of(page):
    """Functions as "NAME()", structures and enumerations with the word before their
    name, constants by their name."""
    return re.findall(r"^(\w+\(\)|(?:struct|enum) \w+)\n-+$", page, re.M) + \
        re.findall(r"^    #define (XROCE_\w+)", page, re.M) + \
        [word for body in re.findall(r"^    enum \w+ \{\n(.*?)^    \}", page, re.M | re.S)
         for word in re.findall(r"^ +(XROCE_\w+)", body, re.M)]


def main(args):
    if args[0] == "--names":
        for path in args[1:]:
            print("\n".join(names_of(expand(open(path).read()))))
    else:
        sys.stdout.write(expand(open(args[0]).read()))


main(sys.argv[1:])
