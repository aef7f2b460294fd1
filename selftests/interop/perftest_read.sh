#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest as packaged by Debian, on rxe, against "xroce serve": READ.
set -eu

. "$(dirname "$0")/../lib/serve.sh"

perf_up
perf_sizes read_bw
perf_qps read_bw
results
