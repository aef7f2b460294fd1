#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest as packaged by Debian, on rxe, against "xroce serve": WRITE.
set -eu

. "$(dirname "$0")/../lib/serve.sh"

# shellcheck disable=SC2034 # for run()
rows=("$@")
perf_up
perf_sizes write_bw
perf_qps write_bw

# A test of SEND is refused at once, and the server says why; it goes on serving.
send_refused() {
	! timeout 20 ib_send_bw -d rxe0 -x "$gid4" 10.77.0.2 >"$served.said" 2>&1 ||
		{ echo '# it runs'; return 1; }
	wait_until 10 grep -q 'a test of SEND, .*: messages are not received here' "$served" ||
		{ sed 's/^/# /' "$served" "$served.said"; return 1; }
	rm "$served.said"
	timeout 60 ib_write_bw -d rxe0 -x "$gid4" -s 64 -n 50 10.77.0.2 >/dev/null
}
run send_refused 'U4' send_refused
results
