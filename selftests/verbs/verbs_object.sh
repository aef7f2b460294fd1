#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Rights and ranges of objects of the verbs device, with rxe as its peer.
#
# usage: verbs_object.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

verbs_net_up
programs verbs_object_region_test verbs_object_window_test verbs_object_queue_test \
	verbs_object_datagram_test -- "$@"
