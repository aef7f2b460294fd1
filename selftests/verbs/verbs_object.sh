#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Rights and ranges of objects of the verbs device, with rxe as its peer.
#
# usage: verbs_object.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/net.sh"
. "$(dirname "$0")/../lib/serve.sh"
. "$(dirname "$0")/../lib/verbs.sh"

needs_verbs
net_up
rxe_up
verbs_up
programs verbs_object_test -- "$@"
