#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Check the documents of the tree: each link leads to an existing file and heading; each file
# that doc/architecture.md names exists; each block of code is a transcript, is marked as not
# run, or is in a language that is not run; the README is short. Needs no module.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/tap.sh"
longest=8000	# limit for the README, in bytes

documents() { ls "$top"/*.md "$top"/doc/*.md; }

# anchors FILE: print the anchors of its headings, as Markdown viewers make them
anchors() {
	sed -nE 's/^#+ (.*)/\L\1/p' "$1" | tr -d "\`,.:()'" | tr ' ' '-'
}

# links_of FILE: print the targets of its links, except links to the web
links_of() { grep -oE '\]\([^)]+\)' "$1" | sed 's/^](//; s/)$//' | grep -v '://' || :; }

# links FILE...: check the links of these files
links() {
	local file target path status=0

	for file; do
		for target in $(links_of "$file"); do
			path=${target%%#*}
			path=${path:+${file%/*}/$path}
			if [ ! -e "${path:=$file}" ]; then
				echo "# ${file##*/}: no $target"
				status=1
			elif [ "$target" != "${target#*#}" ] &&
			     ! anchors "$path" | grep -qxF "${target#*#}"; then
				echo "# ${file##*/}: no heading $target"
				status=1
			fi
		done
	done
	return $status
}

all_links() {
	local files

	mapfile -t files < <(documents)
	[ ${#files[@]} -ge 10 ] && links "${files[@]}"
}

# blocks FILE...: check the blocks of code of these files
blocks() {
	PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 - "$@" <<-'END'
		import sys
		import transcript

		bad = 0
		for path in sys.argv[1:]:
		    lines = open(path).read().expandtabs(8).split("\n")
		    for block in transcript.blocks_of_markdown(lines):
		        if block.why or block.language in ("c", "text"):
		            continue
		        if transcript.steps_of(block) is None:
		            print("# %s:%d: neither a transcript nor marked" % (path, block.first))
		            bad = 1
		sys.exit(bad)
	END
}

all_blocks() {
	local files

	mapfile -t files < <(documents)
	blocks "${files[@]}"
}

# named PAGE: check that each file and folder that the page names exists in the tree. A name may
# have a *. In a column of a table whose head is a folder it begins there, or at the top of the tree.
# Elsewhere it may lack folders; but a name without any is not looked for in examples/.
named() {
	python3 - "$top" "$1" <<-'END'
		import os
		import re
		import sys

		NAME = re.compile(r"`([\w.*/-]+(?:\.(?:c|h|sh|py|md|rst|json|yml|map|conf|rules)|/))`")
		top, page = sys.argv[1:]

		def tree():
		    for folder, folders, files in os.walk(top):
		        at = os.path.relpath(folder, top) + "/"
		        at = "" if at == "./" else at
		        folders[:] = [f for f in folders if f != ".git" and at + f != "build"]
		        yield from (at + f for f in files)
		        yield from (at + f + "/" for f in folders)

		def exists(name, folder):
		    pattern = re.escape(name).replace(r"\*", "[^/]*")
		    before = "(%s)?" % re.escape(folder) if folder else "(.*/)?"
		    if "/" not in name:
		        before = "(?!examples/)" + before
		    return any(re.fullmatch(before + pattern, path) for path in paths)

		def names(lines):
		    heads = []
		    for line in lines:
		        cells = line.strip().strip("|").split("|") if line[0] == "|" else [line]
		        if line[0] != "|":
		            heads = []
		        elif not heads:
		            heads = [re.fullmatch(r" *`([\w/]+/)` *", c) for c in cells]
		            heads = [h and h.group(1) for h in heads]
		            continue
		        for i, cell in enumerate(cells):
		            folder = heads[i] if i < len(heads) else None
		            yield from ((name, folder) for name in NAME.findall(cell))

		paths = list(tree())
		bad = [pair for pair in sorted(set(names(open(page))), key=str) if not exists(*pair)]
		for name, folder in bad:
		    print("# %s: no file %s%s" % (os.path.basename(page), name,
		                                  " in " + folder if folder else ""))
		sys.exit(bool(bad))
	END
}

short_readme() {
	local bytes

	bytes=$(wc -c <"$top/README.md")
	[ "$bytes" -le $longest ] || { echo "# README.md: $bytes bytes"; return 1; }
}

# shellcheck disable=SC2016 # Markdown
complains() {
	local dir status=0

	dir=$(mktemp -d)
	printf '# A page\n[one](#a-page) [two](b.md)\n' >"$dir/a.md"
	printf '# Other\n[one](a.md#a-page)\n```\n# true\n```\n' >"$dir/b.md"
	links "$dir"/*.md && blocks "$dir"/*.md || status=1
	printf '[three](c.md)\n[four](a.md#none)\n```\nmake\n```\n' >>"$dir/b.md"
	[ "$(links "$dir/b.md" | wc -l)" = 2 ] || status=1
	! blocks "$dir/b.md" >/dev/null || status=1
	printf '`mem/pool.h` `pool.c` `clmul*.c` `kmod/`\n' >"$dir/a.md"
	named "$dir/a.md" || status=1
	printf '`mem/key.h` `ool.c` `nowhere/` `poolxc`\n' >>"$dir/a.md"
	[ "$(named "$dir/a.md" | wc -l)" = 3 ] || status=1
	printf '| x | `kmod/` |\n|---|---|\n| x | `mem/pool.h`, `bpf/uc.bpf.h` |\n' >"$dir/a.md"
	named "$dir/a.md" || status=1
	printf '| `kmod/mem/pool.h` | `pool.h` |\n\n`exchange_json.c`\n' >>"$dir/a.md"
	[ "$(named "$dir/a.md" | wc -l)" = 2 ] || status=1
	rm -rf "$dir"
	return $status
}

echo 'TAP version 13'
run documents_links U5 all_links
run documents_blocks U5 all_blocks
run documents_files U5 named "$top/doc/architecture.md"
run documents_readme U5 short_readme
run documents_complains U5 complains
results
