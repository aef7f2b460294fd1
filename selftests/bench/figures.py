#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the figures of "make bench" with those that are kept in figures.json.

  figures.py check DIR     compare DIR/bench*.json with figures.json: exit status 1
                           if a figure of xroce is missing, or is higher by more than
                           5% (or its limit: see limit_of())
  figures.py save DIR      replace the figures of figures.json by those in DIR
  figures.py rows FILE     print the rows of a file of figures.json, as "key=value ..."

Figures are instructions. Those of perftest and of storage are kept, but not compared: they
depend on scheduling. The cost of pinning 1 or 16 MiB in pages of 4 KiB depends on where these
pages are, for rxe as well, and varies from one start of the machine to the next. So does that of a
request on virtio-net, by up to 10%, with the same modules: batches arrive divided in other ways.
"""
import json
import os
import sys

KEPT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "figures.json")
FILES = ("bench", "bench-other", "bench-scale", "bench-perftest",
         "bench-regions", "bench-pool", "bench-windows", "bench-storage", "bench-pair")
UNSTEADY = ("bench-perftest", "bench-storage")
LIMIT = 0.05
LIMITS = {"bench-regions: 4 KiB 1024": 0.1, "bench-regions: 4 KiB 16384": 0.1}
LIMIT_VIRTIO = 0.12
SLACK = 5     # instructions
# Keys that identify a row; the others are figures.
NAMES = ("op", "size", "how", "net", "traffic", "many", "n", "program", "pages", "kib",
         "what", "allocator", "live", "longest", "region", "page")


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def load_dir(folder):
    paths = {name: os.path.join(folder, name + ".json") for name in FILES}
    return {name: load(path) for name, path in paths.items()
            if os.path.exists(path)}


def name_of(row):
    return " ".join(str(row[k]) for k in NAMES if k in row)


def own(row):
    """xroce's figures of a row, by name."""
    if row.get("allocator", "xroce") != "xroce":
        return {}
    if "traffic" in row:
        return {"more": row["xroce"] - row["empty"]}
    found = {}
    for key in ("xroce", "verbs", "instructions", "table_bytes"):
        value = row.get(key)
        if isinstance(value, dict):
            found.update({f"{key} {k}": v for k, v in value.items()})
        elif value is not None:
            found[key] = value
    return found


def limit_of(place, row):
    return LIMIT_VIRTIO if row.get("net") == "virtio" else LIMITS.get(place, LIMIT)


def check(folder):
    kept, now, bad, seen = load(KEPT), load_dir(folder), 0, 0
    for file, rows in kept.items():
        if file in UNSTEADY:
            continue
        new = {}
        for row in now.get(file, []):
            # xroce and rxe can have separate rows
            new.setdefault(name_of(row), {}).update(own(row))
        for row in rows:
            place = f"{file}: {name_of(row)}"
            limit = limit_of(place, row)
            for figure, was in own(row).items():
                label = f"{place}: {figure}"
                value = new.get(name_of(row), {}).get(figure)
                seen += 1
                if value is None:
                    print(f"{label}: {was}, now not measured")
                    bad += 1
                elif value > was * (1 + limit) + SLACK:
                    print(f"{label}: {was}, now {value} ({value / was:.3f})")
                    bad += 1
                elif value < was * (1 - limit) - SLACK:
                    print(f"{label}: {was}, now {value}: better; save it")
    print(f"{seen} figures compared, {bad} dearer by more than is allowed, or missing")
    return 1 if bad or not seen else 0


def save(folder):
    kept = load(KEPT) if os.path.exists(KEPT) else {}
    new = load_dir(folder)
    if not new:
        print(f"figures: no bench*.json in {folder}", file=sys.stderr)
        return 1
    kept.update(new)
    with open(KEPT, "w", encoding="utf-8") as f:
        # One row on a line, for readable diffs.
        f.write("{\n")
        f.write(",\n".join(
            f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]"
            for name, rows in sorted(kept.items())))
        f.write("\n}\n")
    print(f"saved {', '.join(new)}")
    return 0


def rows_of(file):
    for row in load(KEPT)[file]:
        print(" ".join(f"{k}={str(v).replace(' ', '_')}" for k, v in row.items()))
    return 0


def main(args):
    commands = {"check": check, "save": save, "rows": rows_of}
    if len(args) != 2 or args[0] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    return commands[args[0]](args[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
