# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For tests that repeat the same rounds for a long time: the kernel's memory must not grow.
# Source it after tap.sh; $work is a directory. XROCE_SOAK: seconds (3600).

seconds=${XROCE_SOAK:-3600}
rounds=0
# Rounds until all caches are filled, which are not compared.
warm=2
least=$((warm + 2))
# KiB that memory may grow by, from the first compared rounds to the last.
slack_slab=4096
slack_held=8192

# Whether there is another round: until the time is up or a test has failed, but at least as many
# as the comparison needs.
another_round() {
	[ "$failed" = 0 ] && { [ $SECONDS -lt "$seconds" ] || [ $rounds -lt $least ]; } || return
	rounds=$((rounds + 1))
}

# Print KiB: slab; memory used by neither programs nor files; available memory.
memory() {
	local i

	for i in 1 2; do
		sync
		echo 3 >/proc/sys/vm/drop_caches
		echo 1 >/proc/sys/vm/compact_memory
		sleep $i
	done
	awk '{ sub(/:/, "", $1); v[$1] = $2 }
	END { print v["Slab"], v["MemTotal"] - v["MemFree"] - v["Buffers"] - \
		v["Cached"] - v["SwapCached"] - v["AnonPages"], \
		v["MemAvailable"] }' /proc/meminfo
}

# A round has ended: take a sample.
round_ends() {
	memory >>"$work/samples"
	echo "# round $rounds, $SECONDS s: slab held available $(tail -n 1 "$work/samples") KiB"
	[ $rounds != $warm ] || cat /proc/slabinfo >"$work/slab"
}

# grown COLUMN SLACK: fail if the minimum of the last third exceeds that of the first third
# by more than SLACK
grown() {
	awk -v column="$1" -v slack="$2" -v warm=$warm '
	NR > warm { v[++n] = $column }
	function least(from, to,   i, m) {
		m = v[from]
		for (i = from; i <= to; i++)
			m = v[i] < m ? v[i] : m
		return m
	}
	END {
		third = int((n + 2) / 3)
		by = least(n - third + 1, n) - least(1, third)
		print "# column " column ": by " by " KiB in " n " rounds"
		exit by <= slack
	}' "$work/samples"
}

# memory_flat NAME IDS: the result of all rounds. If it is a failure, print the slab caches that
# have grown.
memory_flat() {
	local status=0

	! grown 1 $slack_slab || status=1
	! grown 2 $slack_held || status=1
	[ $status = 0 ] || awk '
		FNR == NR { was[$1] = $3 * $4; next }
		$3 * $4 - was[$1] > 65536 { printf "# %s: %d KiB more\n", $1,
			($3 * $4 - was[$1]) / 1024 }' "$work/slab" /proc/slabinfo
	result $status "$1" "$2"
}
