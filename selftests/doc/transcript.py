#!/usr/bin/env -S python3 -SI
# SPDX-License-Identifier: GPL-2.0-only
"""Run the examples of a page of documentation, and compare their output with the page.

    [XROCE_KEEP_ON=1] transcript.py PAGE COMMAND...

PAGE is Markdown or reStructuredText. COMMAND is put before the shell of the server's
side, as in "nsenter --net=/run/netns/xr". Exit status: 0: the output is as on the page;
1: it differs; 4: the page has nothing to run. Stops at the first difference, because
later ones may follow from it; with XROCE_KEEP_ON, for authors of a page, it continues.

A block of code (``` in Markdown, :: in reST) is either a transcript:

    # COMMAND                   by root on the server's side
    other# COMMAND              there, in another terminal
    client# COMMAND             by root on the client's side
    > MORE                      continues the command
    OUTPUT                      both streams; "..." on a line is any number of lines

or is marked, before the block, with the reason why it cannot be run:

    .. not run: WHY             <!-- not run: WHY -->

Any other block is an error, unless its language is c or text. Each of the three
terminals has one shell for the whole page. After a command that ends in & its output is
awaited if the page shows some; otherwise there is a pause until it waits for something, as
before somebody types in another terminal.

White space is not compared. Words and numbers must be the same, except:

  * a hexadecimal number after one of HANDLES, which the module draws at random. From
    there on it stands for the number of this run, in outputs of either base and in
    commands, there also as four bytes, lowest first. Two numbers that differ on the page
    must differ in the run, and a key of eight digits must begin with its handle in both.
    0, and numbers that a command was the first to name, stand for themselves.
  * a decimal number after one of NUMBERS, or in a line that begins with "maps": the
    same, among numbers of one kind; in a command after the same name
  * a number with a fraction, which is a rate or a time, and a number or a size as in 4K
    after one of MEASURED, or of the names that the page gives:
    ".. measured: NAME...", "<!-- measured: NAME... -->"
"""
import os
import re
import select
import signal
import subprocess
import sys
import time

HANDLES = "mr mw lkey rkey key qp qpn index addr va iova mtt".split()
NUMBERS = {"pid": "pid", "psn": "psn", "rq_psn": "psn", "prog": "prog", "bpf_link": "link",
           "bpf_map": "map", "sport": "sport"}
# A slow machine retransmits; how much is prefetched depends on timing. Where memory is
# physically contiguous, a region has fewer and larger pages, and an offset into the first.
MEASURED = ("duplicates naks tx tx_bytes faults fault_pages resident pages page_size "
            "page_size_offset").split()

SLOW = int(os.environ.get("XROCE_SLOW", "1"))
LIMIT = 180 * SLOW         # seconds for a command
PAUSE = 3 * SLOW           # seconds behind a command in the background, at most
CALM = 0.5 * SLOW          # a program that has not run for so long waits

PROMPT = re.compile(r"(client|other)?# (.*)")
TOKEN = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+){3}|\d+\.\d+|\d+[KMGT]\b|\d+|[A-Za-z_]+|\S")
SIZE = re.compile(r"\d+[KMGT]?$")
FRACTION = re.compile(r"\d+\.\d+$")
HEX = re.compile(r"\b0x[0-9a-f]+\b")
WORDS = re.compile(r"\b([a-z][a-z-]*) (\d+)\b")
BYTES = re.compile(r"\b0x[0-9a-f]{2}(?: 0x[0-9a-f]{2}){3}\b")


class Block:
    """A block of code: its lines, the number of the first, and why it is not run."""
    def __init__(self, first, why, language):
        self.first, self.why, self.language, self.lines = first, why, language, []


def blocks_of_markdown(lines):
    why, block = None, None
    for number, line in enumerate(lines, 1):
        fence = re.match(r"```(.*)", line)
        if block is not None and not fence:
            block.lines.append(line)
        elif block is not None:
            yield block
            why, block = None, None
        elif fence:
            block = Block(number + 1, why, fence[1])
        elif mark := re.match(r"<!-- not run: (.*?)\s*-->$", line):
            why = mark[1]


def blocks_of_rest(lines):
    why, at = None, 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if mark := re.match(r"\.\. not run: (.*)", line):
            why = mark[1]
            continue
        code = re.match(r"\.\. code-block::\s*(\w*)$", line)
        if not code and not (line.endswith("::") and not line.startswith("..")):
            continue
        margin = len(line) - len(line.lstrip())
        while at < len(lines) and not lines[at]:
            at += 1
        block = Block(at + 1, why, code[1] if code else "")
        while at < len(lines) and (not lines[at] or
                                   len(lines[at]) - len(lines[at].lstrip()) > margin):
            block.lines.append(lines[at])
            at += 1
        indent = min(len(l) - len(l.lstrip()) for l in block.lines if l)
        block.lines = [l[indent:] for l in block.lines]
        why = None
        yield block


def steps_of(block):
    """Return: a list of [line number, side, command, output]; output is None if absent."""
    steps = []
    for number, line in enumerate(block.lines, block.first):
        if prompt := PROMPT.match(line):
            steps.append([number, prompt[1] or "server", prompt[2], []])
        elif not steps:
            return None
        elif re.match(r">( |$)", line) and not steps[-1][3]:
            steps[-1][2] += "\n" + line[2:]
        else:
            steps[-1][3].append(line)
    for step in steps:
        while step[3] and not step[3][-1].strip():
            step[3].pop()
    return steps


class Differs(Exception):
    pass


class Values:
    """Maps numbers of the page to those of this run."""
    def __init__(self, other=None):
        self.there = dict(other.there) if other else {}
        self.back = dict(other.back) if other else {}

    def bind(self, kind, want, got):
        here, there = (kind, want), (kind, got)
        if self.there.setdefault(here, got) != got or \
           self.back.setdefault(there, want) != want:
            raise Differs
        if (want == 0) != (got == 0):
            raise Differs

    def named(self, value):
        """A command has it: the run's, or itself."""
        return self.there.setdefault(("hex", value), value)

    def number(self, name, kind, want, got):
        """Two numbers behind a name; they differ, or may not be the same."""
        hexadecimal = want.startswith("0x")
        if FRACTION.match(want) and FRACTION.match(got) or \
                name in MEASURED and SIZE.match(want) and SIZE.match(got):
            return
        if hexadecimal != got.startswith("0x"):
            raise Differs
        if hexadecimal:
            value, is_ = int(want, 16), int(got, 16)
            if ("hex", value) not in self.there and name not in HANDLES:
                raise Differs
            if len(want) == 10 and value >> 8:
                self.bind("hex", value >> 8, is_ >> 8)
            self.bind("hex", value, is_)
        elif kind and (want + got).isdigit():
            self.bind(kind, int(want), int(got))
        elif not (want + got).isdigit() or int(want) < 256 or \
                self.there.get(("hex", int(want))) != int(got):
            raise Differs

    def line(self, want, got):
        wants, gots, name = TOKEN.findall(want), TOKEN.findall(got), ""
        maps = "map" if wants and wants[0] == "maps" else None
        if len(wants) != len(gots):
            raise Differs
        for word, is_ in zip(wants, gots):
            if word != is_ and not (word[0].isdigit() and is_[0].isdigit()):
                raise Differs
            if word[0].isalpha():
                name = word if (name, word) != ("page_size", "offset") else name + "_" + word
                continue
            kind = maps or NUMBERS.get(name)
            if word != is_ or self.varies(name, kind, word):
                self.number(name, kind, word, is_)

    def varies(self, name, kind, word):
        """Whether the number behind a name is not the same in each run."""
        if word.startswith("0x") and int(word, 16):
            return name in HANDLES or ("hex", int(word, 16)) in self.there
        return word.isdigit() and kind is not None

    def command(self, text):
        def in_bytes(match):
            value = int.from_bytes(bytes(int(b, 16) for b in match[0].split()), "little")
            value = self.there.get(("hex", value), value)
            return " ".join("0x%02x" % b for b in value.to_bytes(4, "little"))

        def whole(match):
            if re.search(r"(?:^| )0x\w\w $", text[:match.start()]) or \
               BYTES.match(text, match.start()):
                return match[0]
            return "0x%0*x" % (len(match[0]) - 2, self.named(int(match[0], 16)))

        def behind_name(match):
            kind = NUMBERS.get(match[1].replace("-", "_"))
            return "%s %d" % (match[1], self.there.get((kind, int(match[2])), int(match[2])))

        text = WORDS.sub(behind_name, HEX.sub(whole, text))
        return BYTES.sub(in_bytes, text)


def compare(values, want, got):
    """Return: the values that make them equal, or the indices at which they differ."""
    at = 0
    while at < len(want) and want[at].strip() != "...":
        if at >= len(got):
            return None, at, at
        try:
            values.line(want[at], got[at])
        except Differs:
            return None, at, at
        at += 1
    if at == len(want):
        return (values, 0, 0) if at == len(got) else (None, at, at)
    for skip in range(at, len(got) + 1):
        found, i, j = compare(Values(values), want[at + 1:], got[skip:])
        if found:
            return found, 0, 0
    return None, at + 1, at


class Shell:
    def __init__(self, prefix):
        self.child = subprocess.Popen(
            prefix + ["bash", "--norc", "--noprofile"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.text, self.commands = b"", 0

    def read(self, enough, seconds):
        """Until the output is enough; False: it took too long."""
        end = time.monotonic() + seconds
        while not enough():
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.child.stdout], [], [], left)[0]:
                return False
            data = os.read(self.child.stdout.fileno(), 65536)
            if not data:
                return False
            self.text += data
        return True

    def run(self, command, lines):
        self.commands += 1
        mark = b"\x01%d\x01\n" % self.commands
        self.child.stdin.write(b"{ %s\n} </dev/null\nprintf '\\001%d\\001\\n'\n" %
                               (command.encode(), self.commands))
        self.child.stdin.flush()
        ended = self.read(lambda: mark in self.text, LIMIT)
        self.text = self.text.replace(mark, b"")
        if not ended:
            self.text += b"(no end within %d s)\n" % LIMIT
        elif command.rstrip().endswith("&"):
            if lines:
                self.read(lambda: self.text.count(b"\n") >= lines, LIMIT)
            else:
                self.settle()
                return []
        text, self.text = self.text, b""
        return text.decode(errors="replace").rstrip("\n").split("\n") if text.strip() else []

    def work(self):
        """The programs of this terminal: state and time on a CPU of each; None: one runs."""
        found = {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/stat" % pid, encoding="ascii", errors="replace") as f:
                    words = f.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(words[3]) == self.child.pid:
                found[pid] = words[0], words[11], words[12]
        return None if any(words[0] in "RD" for words in found.values()) else found

    def settle(self):
        """Until the programs wait for something, but not for ever."""
        end = time.monotonic() + PAUSE
        since, seen = time.monotonic(), None
        while time.monotonic() < min(end, since + CALM):
            now = self.work()
            if now is None or now != seen:
                since, seen = time.monotonic(), now
            time.sleep(0.05)

    def end(self):
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.child.wait()


def run_step(page, values, shell, step):
    number, _, command, want = step
    got = shell.run(values.command(command), len(want))
    found, at, is_ = compare(Values(values), want, got)
    if found:
        return found
    print("# %s:%d: # %s" % (page, number, command.replace("\n", "\n#   > ")))
    print("#   expected: %s" % (want[at] if at < len(want) else "no more"))
    print("#   got:      %s" % (got[is_] if is_ < len(got) else "no more"))
    for line in got:
        print("#     %s" % line)
    return None


def run(page, blocks, prefix):
    shells = {"server": Shell(prefix), "other": Shell(prefix), "client": Shell([])}
    values, ran, good = Values(), 0, True
    try:
        for block in blocks:
            steps = steps_of(block)
            if block.why:
                print("# not run: %s:%d: %s" % (page, block.first, block.why))
                continue
            if block.language in ("c", "text"):
                continue
            if steps is None:
                print("# %s:%d: neither a transcript nor marked \"not run: WHY\"" %
                      (page, block.first))
                good = False
                continue
            for step in steps:
                found = run_step(page, values, shells[step[1]], step)
                ran += 1
                if found:
                    values = found
                else:
                    good = False
                    if not os.environ.get("XROCE_KEEP_ON"):
                        return False, ran
    finally:
        for shell in shells.values():
            shell.end()
    return good, ran


def main():
    path, prefix = sys.argv[1], sys.argv[2:]
    lines = open(path).read().expandtabs(8).split("\n")
    for line in lines:
        if line.startswith((".. measured: ", "<!-- measured: ")):
            MEASURED.extend(line.removesuffix("-->").split()[2:])
    parse = blocks_of_markdown if path.endswith(".md") else blocks_of_rest
    begin = time.monotonic()
    good, ran = run(os.path.basename(path), list(parse(lines)), prefix)
    print("# %s: %d commands, %d s" %
          (os.path.basename(path), ran, time.monotonic() - begin))
    sys.exit(1 if not good else 0 if ran else 4)


if __name__ == "__main__":
    main()
