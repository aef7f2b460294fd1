#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest as packaged by Debian, on rxe, against "xroce serve": WRITE.
set -eu

. "$(dirname "$0")/../lib/serve.sh"

perf_up
perf_sizes write_bw
perf_qps write_bw
results
