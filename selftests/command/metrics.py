#!/usr/bin/env -S python3 -SI
# SPDX-License-Identifier: GPL-2.0-only
"""Check that dashboards and alerts use only metrics that the command prints.

    metrics.py EXPOSITION FILE...

EXPOSITION is the output of "xroce -o prometheus stat show" with at least one link, queue
pair and region. FILE is a Grafana dashboard (.json) or a Prometheus file of rules (.yml).
Each metric in an expression must be in EXPOSITION, or in OTHERS. Each label that is
compared, grouped by or printed must be a label of the metric, or one that Prometheus
adds. A counter must have a range. Exit status: 0: all of this holds; 1: it does not.
"""
import json
import re
import sys

# Metrics and labels that the collectors of the text add.
OTHERS = {"node_textfile_mtime_seconds": {"file"}}
ADDED = {"instance", "job"}

WORDS = set("and or unless by without on ignoring group_left group_right offset bool "
            "inf nan".split())
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"


def read_exposition(text):
    """Return: the labels of each metric, as {metric: labels}."""
    metrics = {name: set() for name in re.findall(rf"^# TYPE ({NAME}) ", text, re.M)}
    for name, labels in re.findall(rf"^({NAME})(?:\{{(.*)\}})? \d+$", text, re.M):
        metrics[name] |= set(re.findall(r'(\w+)="', labels))
    return metrics


def of_dashboard(text):
    """Return: expressions, and texts with labels in them. Variables are not expanded."""
    exprs, texts = [], []

    def walk(node):
        if isinstance(node, list):
            for each in node:
                walk(each)
        elif isinstance(node, dict):
            for key, value in node.items():
                if key == "expr":
                    exprs.append(value)
                elif key == "definition":
                    # label_values(METRIC, LABEL)
                    metric, label = re.fullmatch(r"label_values\((.*), *(\w+)\)", value).groups()
                    exprs.append(metric)
                    texts.append("{{%s}}" % label)
                elif key == "legendFormat":
                    texts.append(value)
                else:
                    walk(value)

    walk(json.loads(text))
    return exprs, texts


def of_rules(text):
    """The same for rules: the text after "expr:", on that line or indented below."""
    exprs, lines = [], text.split("\n")
    for at, line in enumerate(lines):
        found = re.match(r"( *)(- )?expr: *(.*)$", line)
        if not found:
            continue
        if found[3] not in ("|", ">", "|-", ">-"):
            exprs.append(found[3])
            continue
        indent, block = len(found[1] + (found[2] or "")), []
        for below in lines[at + 1:]:
            if below.strip() and len(below) - len(below.lstrip()) <= indent:
                break
            block.append(below)
        exprs.append("\n".join(block))
    return exprs, [text]


class Wrong(Exception):
    pass


def labels_of(name, metrics):
    if name in metrics:
        return metrics[name]
    if name in OTHERS:
        return OTHERS[name]
    raise Wrong("no such metric: %s" % name)


def check_expr(expr, metrics):
    """Check an expression. Return: labels of its metrics."""
    strings = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expr)
    lists = re.findall(r"\b(?:by|without|on|ignoring|group_left|group_right) *\(([^)]*)\)", strings)
    bare = re.sub(r"\b(by|without|on|ignoring|group_left|group_right) *\([^)]*\)", " ", strings)
    known, names = set(ADDED), 0
    for found in re.finditer(rf"({NAME})\s*(\{{[^}}]*\}})?\s*(\[[^\]]*\])?(\s*\()?",
                             re.sub(r"\b\d[\w.]*", "0", bare)):
        name, selector, span, call = found.groups()
        if call or name in WORDS or name.startswith("__"):
            continue
        names += 1
        labels = labels_of(name, metrics) | ADDED
        known |= labels
        for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector or ""):
            if label not in labels:
                raise Wrong("%s has no label %s" % (name, label))
        if name.endswith("_total") and not span:
            raise Wrong("%s is a counter, and has no range" % name)
        if not name.endswith("_total") and span:
            raise Wrong("%s is a gauge, and has a range" % name)
    if not names:
        raise Wrong("no metric")
    for label in re.findall(r"\w+", " ".join(lists)):
        if label not in known:
            raise Wrong("grouped by %s, which is no label" % label)
    return known


def check(path, metrics):
    """Check a file. Return: number of expressions."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    exprs, texts = of_rules(text) if path.endswith(".yml") else of_dashboard(text)
    known, bad = set(), 0
    for expr in exprs:
        try:
            known |= check_expr(expr, metrics)
        except Wrong as why:
            print("# %s: %s: %s" % (path, " ".join(expr.split()), why))
            bad += 1
    for label in re.findall(r"\{\{ *(?:\$labels\.)?(\w+) *\}\}", " ".join(texts)):
        if label not in known:
            print("# %s: {{ %s }}: no such label" % (path, label))
            bad += 1
    if not exprs:
        print("# %s: no expression" % path)
    return 0 if bad else len(exprs)


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        metrics = read_exposition(f.read())
    counts = [check(path, metrics) for path in sys.argv[2:]]
    print("# %d metrics, expressions: %s" % (len(metrics), counts))
    sys.exit(0 if metrics and counts and all(counts) else 1)


if __name__ == "__main__":
    main()
