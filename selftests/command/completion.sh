#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Shell completion matches the command's own help: all nouns, verbs, words and options.
# Needs no module.
set -eu

top=$(realpath "$(dirname "$0")/../..")
xroce=$top/build/user/xroce
. "$top/user/bash-completion/xroce"

failed=0 count=0

# completions WORD...: print the completions of the last word, one on a line
completions() {
	local COMP_WORDS=(xroce "$@") COMP_CWORD=$# COMPREPLY=()

	_xroce
	[ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
}

# offers WANTED WORD...: WANTED is among the completions
offers() {
	local want=$1

	shift
	completions "$@" | grep -qxF -- "$want" ||
		{ echo "# no $want after: xroce $*"; return 1; }
}

nouns() { "$xroce" help | sed -nE 's/^  ([a-z]+)  .*/\1/p'; }

# A form begins with "xroce NOUN VERB"; continuation lines do not.
verbs() { "$xroce" "$1" help | sed -nE "s/^xroce $1 ([a-z]+).*/\1/p"; }

# The literal words of a form, without alternatives of values.
words() { # NOUN [VERB]
	"$xroce" "$@" help | sed -e "s/^xroce $*//" -e 's/[a-z0-9]*|[a-z0-9|]*//g' |
		grep -oE '\b[a-z][a-z-]*\b' | sort -u
}

options() { "$xroce" help | grep -oE -- '--[a-z]+' | sort -u; }

all_nouns() {
	local noun status=0

	[ "$(nouns | wc -l)" -ge 10 ] || return 1
	for noun in $(nouns); do
		offers "$noun" '' || status=1
		offers "$noun" "${noun:0:2}" || status=1
		offers "$noun" -j -o json '' || status=1
		offers "$noun" help '' || status=1
	done
	return $status
}

all_verbs() {
	local noun verb status=0 seen=0

	for noun in $(nouns); do
		for verb in $(verbs "$noun"); do
			seen=$((seen + 1))
			offers "$verb" "$noun" '' || status=1
			offers "$verb" -d "$noun" "${verb:0:1}" || status=1
		done
		offers help "$noun" '' || status=1
	done
	[ $seen -ge 20 ] && return $status
}

# With "top" and "monitor", which have words but no verbs.
all_words() {
	local noun verb word status=0 seen=0

	for noun in $(nouns); do
		for verb in $(verbs "$noun"); do
			for word in $(words "$noun" "$verb"); do
				case $word in mtt | type | b | n) ;; *)
					seen=$((seen + 1))
					offers "$word" "$noun" "$verb" '' ||
						status=1 ;;
				esac
			done
		done
	done
	for noun in top monitor; do
		for word in $(words $noun); do
			case $word in n) continue ;; esac
			seen=$((seen + 1))
			offers "$word" $noun '' || status=1
			offers "$word" $noun dev x0 '' || status=1
		done
	done
	[ $seen -ge 40 ] && return $status
}

all_options() {
	local option status=0

	[ "$(options | wc -l)" -ge 14 ] || return 1
	for option in $(options); do
		offers "$option" -- || status=1
	done
	offers --mtt mr show --m || status=1
	! offers --mtt pd show --m >/dev/null || status=1
	return $status
}

serve_options() {
	local option status=0

	for option in $("$xroce" serve --help | grep -oE -- '--[a-z-]+'); do
		offers "$option" serve -- || status=1
	done
	for option in $("$xroce" serve --help | sed -n '1,2s/\[OPTIONS\]//p' |
			grep -oE '\[[a-z]+' | tr -d '['); do
		[ "$option" = region ] || ! offers "$option" serve '' >/dev/null ||
			status=1
		offers "$option" serve region a '' || status=1
	done
	offers remote-read serve region a access '' || status=1
	return $status
}

values() {
	offers prometheus -o '' && offers native link add dev lo mode '' &&
		offers 2a mw add type '' && offers 4096 qp modify mtu '' &&
		offers lo link add dev '' && offers errors top sort ''
}

# A list: what it has is not offered again, and "none" stands alone.
lists() {
	local cmd status=0

	for cmd in 'mr add' 'mr change' 'mw bind' 'qp modify' 'serve region a'; do
		# shellcheck disable=SC2086 # words
		{
			offers local-write,remote-read $cmd access local-write,remote-r || status=1
			offers local-write,remote-read,mw-bind $cmd access local-write,remote-read, ||
				status=1
			! offers remote-read,remote-read $cmd access remote-read, >/dev/null || status=1
			! offers remote-read,none $cmd access remote-read, >/dev/null || status=1
			offers none $cmd access '' || status=1
		}
	done
	return $status
}

# Without the module no objects are completed, and there is no message.
no_objects() {
	local PATH=$top/build/user:$PATH word

	for word in pd mr share; do
		[ -z "$(completions mr add $word '' 2>&1)" ] || return 1
	done
	[ -z "$(completions qp del qpn '' 2>&1)" ] &&
		[ "$(completions qp del '' 2>&1 | xargs)" = 'dev qpn' ] &&
		[ "$(completions mr show '' 2>&1 | xargs)" = 'dev mr pd name owner' ]
}

nothing_else() {
	[ -z "$(completions nonsense '')" ] &&
		[ -z "$(completions mr x)" ] &&
		[ "$(completions mo)" = monitor ] &&
		! offers nonsense '' >/dev/null
}

run() { # FUNCTION
	count=$((count + 1))
	if "$1"; then
		echo "ok $count completion_$1 U1"
	else
		failed=$((failed + 1))
		echo "not ok $count completion_$1 U1"
	fi
}

echo 'TAP version 13'
echo "1..$(grep -c '^run [a-z]' "$0")"
run all_nouns
run all_verbs
run all_words
run all_options
run serve_options
run values
run lists
run no_objects
run nothing_else
[ $failed = 0 ]
