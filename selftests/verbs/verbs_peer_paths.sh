#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The UDP source ports of requests on a link with several paths. verbs_peer.sh has the same rows on
# one without.
#
# usage: verbs_peer_paths.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

peer_up paths 4
programs verbs_peer_ports_test -- "$@"
