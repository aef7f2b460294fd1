#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perftest's programs, as Debian ships them, on rxe against "xroce serve": the time
# that a READ takes.
set -eu

here=$(realpath "$(dirname "$0")")
. "$here/net.sh"
. "$here/serve.sh"

perf_up
perf_sizes read_lat
results
