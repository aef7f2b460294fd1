#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Services on impaired links between two devices of xroce.
#
# usage: verbs_loss.sh [ROW]...
set -eu

. "$(dirname "$0")/../lib/verbs_pair.sh"

needs_verbs
net_up
module_up
verbs_module_up
modprobe sch_netem
pair_up wire
programs verbs_loss_test -- "$@"
