#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The xroce command: batches, colours, units, and the syntax of its words.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/command.sh"

# batch STATUS FILE OPTION...: run a batch; its output is in out and err
batch() {
	local want=$1 file=$2 status=0

	shift 2
	xr "$@" -b "$file" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" = "$want" ] ||
		not_so "exit status $want: $status: $(cat "$work/err")"
}

# The third command, on line five, fails; the others work.
write_batch() {
	cat >"$work/batch" <<-'END'
	# a comment, and a command in two lines
	pd \
	  add		# and another one

	pd del pd 999
	pd add
	nonsense "and a quote
	pd add
	END
}

pds() { xr -j pd show | jq length; }

del_pds() {
	local pd

	for pd in $(makes pd pd show); do xr pd del pd "$pd"; done
}

batch_ends_with_an_error() {
	write_batch
	batch 1 "$work/batch"
	grep -qx "xroce: $work/batch:5: pd 999: no such protection domain" \
		"$work/err" || not_so "the line: $(cat "$work/err")"
	[ "$(wc -l <"$work/err")" = 1 ] || not_so "one message"
	[ "$(wc -l <"$work/out")" = 1 ] || not_so "one pd is said"
	[ "$(pds)" = 1 ] || not_so "one pd: $(pds)"
	del_pds
}

batch_goes_on() {
	write_batch
	batch 1 - -force <"$work/batch"
	grep -q '^xroce: -:5: pd 999' "$work/err" &&
		grep -q '^xroce: -:7: a quote is not closed' "$work/err" ||
		not_so "both lines: $(cat "$work/err")"
	[ "$(pds)" = 3 ] || not_so "three pds: $(pds)"
	del_pds
	printf 'pd show\n' >"$work/batch"
	batch 0 "$work/batch" --force
	batch 1 "$work/none"
	grep -q "batch $work/none: No such file" "$work/err"
	printf -- '-b %s\n' "$work/batch" >"$work/nested"
	batch 2 "$work/nested"
	grep -q "$work/nested:1: -b: a batch cannot contain another batch" "$work/err"
	fails 2 '-b: cannot be combined with a command' -b "$work/batch" pd show
}

# Quoted words may contain blanks; options on a line are for that line only.
batch_words() {
	local pd=$1

	truncate -s 64K "$work/file"
	cat >"$work/batch" <<-END
	mr add pd $pd name "two words # no comment" access none file '$work/file'
	mr add pd $pd name a\ \"b' c' access none file $work/file
	-j mr show "two words # no comment"
	mr show 'a "b c' -jp
	mr show
	mr del mr "two words # no comment"
	mr del mr 'a "b c'
	END
	batch 0 "$work/batch"
	sed -n 3p "$work/out" >"$work/one"
	sed -n '4,/^\]/p' "$work/out" >"$work/two"
	sed '1,/^\]/d' "$work/out" >"$work/text"
	holds 'one[0]["name"] == "two words # no comment" and
		one[0]["length"] == 65536 and two[0]["name"] == "a \"b c"' one two
	[ "$(grep -c '^mr 0x.* length 64K ' "$work/text")" = 2 ] ||
		not_so "text again: $(cat "$work/text")"
	[ "$(xr -j mr show)" = '[]' ]
}

# on_terminal COMMAND: print what it writes to a terminal
on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null; }

colored() { grep -q $'\e\\[36mx0\e\\[0m' "$work/out"; }
plain() { grep -q 'dev x0 ' "$work/out" && ! grep -q $'\e' "$work/out"; }

# shows HOW COMMAND WORD...: HOW is colored or plain
shows() {
	local how=$1

	shift
	"$@" >"$work/out"
	$how || not_so "$how: $*: $(cat -v "$work/out")"
}

colors() {
	local link="nsenter --net=/run/netns/xr $xroce link show"

	shows plain xr link show
	shows colored xr -c link show
	shows colored xr -color=always link show
	shows colored xr link show --color
	shows plain xr -c -c=never link show
	shows plain xr -c=auto link show
	shows colored on_terminal "$link -c=auto"
	shows plain on_terminal "$link"
	NO_COLOR=1 shows plain on_terminal "$link -c=auto"
	NO_COLOR='' shows colored on_terminal "$link -c=auto"
	NO_COLOR=1 shows colored xr -c link show
	shows plain on_terminal "TERM=dumb $link -c=auto"
	xr -c -j link show >"$work/link"
	holds 'link[0]["dev"] == "x0"' link
	fails 2 'color "sometimes"' -c=sometimes link show
}

# Text has units for multiples of a unit; JSON has plain numbers.
units() {
	local pd=$1 bytes text

	truncate -s 16M "$work/file"
	while read -r bytes text; do
		xr mr add pd "$pd" name unit access local-write \
			file "$work/file" size "$bytes" >"$work/made"
		xr mr show unit | grep -q " access local-write .* length $text " ||
			not_so "$text: $(xr mr show unit)"
		xr -r mr show unit | grep -q " access 0x1 .* length $bytes " ||
			not_so "$bytes: $(xr -r mr show unit)"
		xr -jr mr show unit >"$work/mr"
		holds "mr[0]['length'] == $bytes and
			mr[0]['access'] == ['local-write']" mr
		xr mr del mr unit
	done <<-END
		1023	1023
		1024	1K
		65536	64K
		65537	65537
		1572864	1536K
		16777216	16M
	END
}

# clean FILE...: the files contain no control characters for terminals
clean() {
	! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' "$@" &&
		! LC_ALL=C grep -q $'\xc2[\x80-\x9f]' "$@" ||
		not_so "clean: $(cat -v "$@")"
}

# A device's name from somebody else, and the user's own words, are escaped on the terminal.
names_are_escaped() {
	local dev=$'e\e[31m\xc2\x9b\xff' status

	in_xr ip link add "$dev" type dummy
	xr link add dev "$dev" mode generic mpt 16 qp 16 >"$work/text"
	for words in 'link show' 'stat show' 'top -n 1' 'monitor count 1' \
		'stat show -o prometheus' 'feature probe'; do
		status=0
		# shellcheck disable=SC2086 # words
		timeout 3 nsenter --net=/run/netns/xr "$xroce" $words >>"$work/text" \
			2>>"$work/text" || status=$?
	done
	xr mr show dev "$dev" no >>"$work/text" 2>&1 || status=$?
	xr mr show dev "$dev"x >>"$work/text" 2>&1 || status=$?
	xr pd $'\e[2J' >>"$work/text" 2>&1 || status=$?
	printf 'pd del pd \033[2J\n' >"$work/"$'b\e[2J'
	xr -b "$work/"$'b\e[2J' >>"$work/text" 2>&1 || status=$?
	grep -qF 'dev e\x1b[31m\xc2\x9b\xff ' "$work/text" &&
		grep -qF '/b\x1b[2J:1: pd "\x1b[2J"' "$work/text" &&
		grep -qF 'pd \x1b[2J: no such verb' "$work/text" ||
		not_so "escaped: $(cat -v "$work/text")"
	clean "$work/text"
	xr -j link show dev "$dev" >"$work/link"
	clean "$work/link"
	holds 'link[0]["dev"] == "e\x1b[31m\x9b\ufffd"' link
	xr link del dev "$dev"
	in_xr ip link del "$dev"
}

# Columns stay aligned, however wide a name is.
columns() {
	local pd=$1 name

	truncate -s 4K "$work/file"
	for name in plain $'\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e' $'e\xcc\x81a\xcc\x88' \
		$'\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe6\x97\xa5\xe6\x9c\xac'; do
		xr mr add pd "$pd" name "$name" access none file "$work/file" \
			>"$work/made"
	done
	xr top -n 1 interval 0.1 >"$work/top"
	python3 -SI - "$work/top" <<-'END' || not_so "aligned: $(cat "$work/top")"
	import sys, unicodedata as u
	wide = lambda c: 0 if u.combining(c) else 2 if u.east_asian_width(c) in "WF" else 1
	lines = open(sys.argv[1], encoding="utf-8").read().split("REGION", 1)[1].splitlines()
	at = {sum(map(wide, l[:l.index(" 4K ")])) for l in lines if " x0 " in l}
	assert len([l for l in lines if " x0 " in l]) == 4 and len(at) == 1, at
	END
	for mr in $(makes mr mr show); do xr mr del mr "$mr"; done
}

forms() {
	local full

	full=$(xr -j link show)
	for words in 'l s' 'link' 'li sh' 'link list' 'link ls' 'link show dev x0'; do
		# shellcheck disable=SC2086 # words
		[ "$(xr -j $words)" = "$full" ] || not_so "the same: $words"
	done
	fails 2 '^xroce: m: could be mr, mw, mpt, mtt, monitor$' m show
	fails 2 '^xroce: frob: no such noun; there are link, pd, mr, .*, serve$' frob show
	fails 2 '^xroce: mr x: no such verb; there are show, add, change, advise, del$' mr x
	fails 2 '^xroce: mr a: could be add, advise$' mr a
	fails 2 ': -x: no such option' -x
	fails 2 'iterations.*only be used with' pd show -n 2
	fails 2 'prometheus.*only be used with' pd show -o prometheus
	fails 2 'output "xml"' pd show -o xml
	xr pd add >"$work/made"
	xr pd delete pd "$(makes pd pd show)"
	xr help >"$work/out"
	grep -q '^  feature ' "$work/out" && grep -q -- '--batch' "$work/out"
	for words in 'qp help' 'help qp' 'qp -h' 'qp -help'; do
		# shellcheck disable=SC2086
		xr $words >"$work/out"
		[ "$(grep -c '^xroce qp ' "$work/out")" = 5 ] ||
			not_so "five forms: $words: $(cat "$work/out")"
	done
	for words in 'qp del help' 'help qp del' 'qp del -h' 'q d help'; do
		# shellcheck disable=SC2086
		[ "$(xr $words)" = 'xroce qp del [dev DEV] [qpn] N' ] ||
			not_so "one form: $words"
	done
	xr -V | grep -qE '^xroce [0-9.]+$'
}

# Pinning a large file takes a while: progress is shown on a terminal, not in a pipe.
work_is_told() {
	local pd=$1 add

	truncate -s 768M "$work/big"
	add="nsenter --net=/run/netns/xr $xroce mr add pd $pd name big access local-write file $work/big"
	on_terminal "$add" >"$work/terminal"
	grep -qE $'\r\e\\[Kregistering 768M +[0-9]+% [0-9]+ s' "$work/terminal" ||
		not_so "told: $(cat -v "$work/terminal")"
	tail -n 1 "$work/terminal" | grep -qE $'\r\e\\[Kmr 0x[0-9a-f]+ ' ||
		not_so "taken back: $(cat -v "$work/terminal")"
	xr mr del mr big
	rm "$work/big"
	truncate -s 768M "$work/big"
	$add >"$work/out" 2>"$work/err"
	[ ! -s "$work/err" ] && ! grep -q $'\r' "$work/out" ||
		not_so "silent: $(cat -v "$work/err" "$work/out")"
	xr mr del mr big
	rm "$work/big"
}

progress() { with_a_pd work_is_told; }

no_packets
command_up

run batch_ends_with_an_error U1
run batch_goes_on U1
run words_of_a_batch U1 with_a_pd batch_words
run colors U1
run units_of_sizes U1 with_a_pd units
run names_are_escaped U1
run columns_of_top U1 with_a_pd columns
run forms U1
run progress U1
command_passed
