#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The table of doc/networks.md, which is what "sim table WORD..." prints; the page has the words
# above it, in a line "<!-- sim table WORD... -->".
#
#   sim.sh check [PAGE]     compare it with the simulator
#   sim.sh save             replace it
set -eu

top=$(realpath "$(dirname "$0")/../..")
page=${2:-$top/doc/networks.md}

# The words of the page, and its table.
words() { sed -nE 's/^<!-- sim table (.*) -->$/\1/p' "$page"; }
kept() { sed -n '/^<!-- sim table /,/^```$/p' "$page" | sed '1,2d;$d'; }

# shellcheck disable=SC2046 # words
simulated() { "$top/build/selftests/sim/sim" table $(words); }

case ${1:-} in
check)	diff <(kept) <(simulated) ;;
save)	simulated | awk '
		NR == FNR { row[NR] = $0; rows = NR; next }
		/^<!-- sim table / { print; print "```text"
				     for (i = 1; i <= rows; i++) print row[i]
				     inside = 1; next }
		inside && /^```$/ { inside = 0 }
		!inside { print }' - "$page" >"$page.new"
	mv "$page.new" "$page" ;;
*)	echo "usage: sim.sh check [PAGE]|save" >&2; exit 2 ;;
esac
