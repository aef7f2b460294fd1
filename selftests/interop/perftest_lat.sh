#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest's programs, as Debian ships them, on rxe against "xroce serve": the time
# that a READ takes.
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/serve.sh"

# Longer than a step of the handshake may take: the client says something before it
# works, and then nothing until it is done.
long() {
	timeout $perf_limit ib_read_lat -d rxe0 -x "$gid4" -m 1024 \
		-s 64 -D 13 -u $perf_timeout 10.77.0.2 2>&1 | grep -qE '^ *64 +[0-9]+ '
}

perf_up
run read_lat_long 'U4' long
perf_sizes read_lat
results
