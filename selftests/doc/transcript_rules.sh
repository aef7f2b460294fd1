#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Which differences between a page and a run transcript.py reports, and which it allows.
# Needs no module: the pages are made here.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/../lib/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# page FILE: run the examples of a page
page() { "$here/transcript.py" "$1" env; }

# wrong LINE EXPECTED GOT: the page on stdin fails at this line
wrong() {
	cat >"$work/wrong.rst"
	! page "$work/wrong.rst" >"$work/said" &&
		grep -q "^# wrong.rst:$1: " "$work/said" &&
		grep -qE "^#   expected: *$2$" "$work/said" &&
		grep -qE "^#   got: *$3$" "$work/said" || {
		sed 's/^/# /' "$work/said"
		return 1
	}
}

in_block() { printf '::\n\n'; sed 's/^/    /'; }

another_word() {
	printf '%s\n' '# echo one two' 'one three' | in_block | wrong 3 'one three' 'one two'
}

another_number() {
	printf '%s\n' '# echo length 7' 'length 8' | in_block | wrong 3 'length 8' 'length 7'
}

# Two numbers that are equal on the page but differ in the run; and the reverse.
another_key() {
	printf '%s\n' '# echo mr 0x77; echo mr 0x88' 'mr 0x12' 'mr 0x12' |
		in_block | wrong 3 'mr 0x12' 'mr 0x88' &&
	printf '%s\n' '# echo mr 0x77; echo mr 0x77' 'mr 0x12' 'mr 0x13' |
		in_block | wrong 3 'mr 0x13' 'mr 0x77'
}

another_size() {
	printf '%s\n' '# echo length 1M' 'length 1K' | in_block | wrong 3 'length 1K' 'length 1M'
}

# Numbers and sizes that depend on the machine, of all pages and of one.
measured() {
	printf '%s\n' '<!-- measured: used -->' '```' '# echo page_size 8K offset 4096 pages 2 used 7' \
		'page_size 4K offset 0 pages 4 used 9' '```' >"$work/measured.md"
	page "$work/measured.md" &&
	printf '%s\n' '# echo at offset 4096' 'at offset 0' | in_block |
		wrong 3 'at offset 0' 'at offset 4096'
}

# A key that does not begin with its handle.
key_of_another() {
	printf '%s\n' '# echo mr 0x77 rkey 0x00007811' 'mr 0x12 rkey 0x00001211' |
		in_block | wrong 3 'mr 0x12 rkey 0x00001211' 'mr 0x77 rkey 0x00007811'
}

too_little() {
	printf '%s\n' '# echo one' 'one' 'two' | in_block | wrong 3 'two' 'no more'
}

too_much() {
	printf '%s\n' '# printf "one\ntwo\n"' 'one' | in_block | wrong 3 'no more' 'two'
}

between() {
	printf '%s\n' '# seq 9' '1' '...' '8' | in_block | wrong 3 '8' '2'
}

# A block that is neither a transcript nor marked with a reason.
unmarked() {
	echo 'make all' | in_block >"$work/unmarked.rst"
	! page "$work/unmarked.rst" >"$work/said" &&
		grep -q '^# unmarked.rst:3: neither' "$work/said"
}

# Numbers that differ from run to run are allowed, and are substituted in commands.
own_numbers() {
	{
		printf '%s\n' '# echo mr 0x77 rkey 0x00007711 at 0x10' \
			'mr 0x12 rkey 0x000012ab at 0x10' '# echo say 0x12 is 119' \
			'say 0x12 is 18' '# echo key 0x12 0x00 0x00 0x00 0x00007711' \
			'key 0x12 0x00 0x00 0x00 0x000012ab' '# seq 9' '1' '...' '9' \
			'client# echo 2.5 seconds from 10.77.0.1' '1.75 seconds from 10.77.0.1'
	} | sed '4s/18/119/' | in_block >"$work/own.rst"
	page "$work/own.rst"
}

# An IP address is not a number with a fraction.
other_address() {
	printf '%s\n' '# echo peer 10.77.0.1' 'peer 10.77.0.9' |
		in_block | wrong 3 'peer 10.77.0.9' 'peer 10.77.0.1'
}

# The output of a background job is awaited, and does not mix with that of another shell.
background() {
	printf '%s\n' '# (sleep 1; echo done) &' 'done' 'client# echo other' 'other' 'other# echo third' 'third' \
		'# sleep 1 & echo no wait >/dev/null' '# wait' | in_block >"$work/back.rst"
	page "$work/back.rst"
}

# Marked blocks are listed with their reason, here in Markdown.
listed() {
	printf '%s\n' '<!-- not run: of no use -->' '```' 'rm -rf /' '```' '' '```' \
		'# echo one' 'one' '```' >"$work/listed.md"
	page "$work/listed.md" >"$work/said" &&
		grep -qx '# not run: listed.md:3: of no use' "$work/said" &&
		grep -q '^# listed.md: 1 commands' "$work/said"
}

echo 'TAP version 13'
run transcript_another_word U5 another_word
run transcript_another_number U5 another_number
run transcript_another_key U5 another_key
run transcript_another_size U5 another_size
run transcript_measured U5 measured
run transcript_key_of_another U5 key_of_another
run transcript_too_little U5 too_little
run transcript_too_much U5 too_much
run transcript_between U5 between
run transcript_unmarked U5 unmarked
run transcript_own_numbers U5 own_numbers
run transcript_other_address U5 other_address
run transcript_background U5 background
run transcript_listed U5 listed
results
