#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Random requests of the verbs device's requester compared with a model, on clean links and on
# impaired ones.
#
# usage: verbs_shadow.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs_pair.sh"
. "$(dirname "$0")/../lib/impair.sh"

verbs_net_up
impair_up
pair_up wire
programs verbs_shadow_test -- "$@"
