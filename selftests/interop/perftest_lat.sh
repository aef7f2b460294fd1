#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest as packaged by Debian, on rxe, against "xroce serve": latency of READ.
set -eu

. "$(dirname "$0")/../lib/serve.sh"

# Longer than the timeout for a step of the handshake: the client is silent on its TCP
# connection while it runs.
long() {
	timeout $perf_limit ib_read_lat -d rxe0 -x "$gid4" -m 1024 \
		-s 64 -D 13 -u $perf_timeout 10.77.0.2 2>&1 | grep -qE '^ *64 +[0-9]+ '
}

perf_up
run read_lat_long 'U4' long
perf_sizes read_lat
results
