#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The requester of the verbs device against a peer that misbehaves: the test itself.
#
# usage: verbs_peer.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs.sh"

peer_up
programs verbs_peer_request_test verbs_peer_ack_test verbs_peer_nak_test \
	verbs_peer_timeout_test verbs_peer_sack_test verbs_peer_read_test \
	verbs_peer_queue_test verbs_peer_path_test verbs_peer_ports_test verbs_peer_ask_test -- "$@"
