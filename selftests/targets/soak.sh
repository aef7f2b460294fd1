#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Traffic, losses and churn for a long time: rounds of existing tests, each with another
# seed, until the time is up. The module stays loaded. Between rounds, with caches dropped,
# the kernel's memory is sampled; it must not grow.
#
#   shadow.sh        random requests against a model, on a clean link and lossy ones
#   churn_test       regions, pinned, physical and shared
#   odp_random_test  on-demand memory that changes in all ways, against a model
#   odp_churn_test   on-demand memory that the kernel reclaims
#   mw_race_test     windows bound and revoked under WRITEs
#   fuzz_ioctl_test  all other objects, in processes that are killed
#
# Environment: XROCE_SOAK: see rounds.sh; XROCE_SEED: seed of the first round.
set -eu

. "$(dirname "$0")/../lib/tap.sh"
. "$(dirname "$0")/../lib/rounds.sh"
needs_module

seed=${XROCE_SEED:-$((RANDOM << 15 | RANDOM))}

# Settings that limit a round to about a minute.
: "${XROCE_SHADOW_OPS:=2000}" "${XROCE_REGIONS:=5000}"
: "${XROCE_ODP_INVALIDATIONS:=2000}" "${XROCE_FUZZ_IOCTLS:=4000}"
: "${XROCE_MW_ROUNDS:=50}" "${XROCE_MW_HOSTILE:=20000}"
export XROCE_SHADOW_OPS XROCE_REGIONS XROCE_ODP_INVALIDATIONS
export XROCE_FUZZ_IOCTLS XROCE_MW_ROUNDS XROCE_MW_HOSTILE
export XROCE_KEEP_MODULE=1

tests=(
	'shadow.sh D2 D4 D5'
	'churn_test R7 R8 R9'
	'odp_random_test O4 O6 O7'
	'odp_churn_test O4 O6'
	'mw_race_test W5 W6 W7 W10 W11'
	'fuzz_ioctl_test R7 R8 R10 P1'
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# one TEST: no result is a failure, and there is at least one result
one() {
	"$top/selftests/run.sh" each "$1" >"$work/out" 2>&1 || return 1
	! grep -q '^not ok' "$work/out" && grep -q '^ok' "$work/out"
}

# The module's own counts show that nothing is left.
idle() {
	"$top/build/user/xroce" mtt show >"$work/mtt" &&
		grep -q ' used 0 tables 0 free_extents 1 ' "$work/mtt" &&
		[ "$(cat /sys/module/xroce/refcnt)" = 0 ]
}

insmod "$core_module"
cat /proc/slabinfo >"$work/slab"
echo "# XROCE_SOAK=$seconds XROCE_SEED=$seed"
tries=0
while another_round; do
	export XROCE_SEED=$((seed + rounds - 1))
	for test in "${tests[@]}"; do
		status=0
		name=${test%% *}
		one "$name" || status=1
		[ $status = 0 ] || sed 's/^/# /' "$work/out"
		result $status "soak_${rounds}_${name%[._]*}" "${test#* }"
	done
	round_ends
	status=0
	idle || { status=1; sed 's/^/# /' "$work/mtt"; }
	result $status "soak_${rounds}_idle" 'R7 T3'
done
memory_flat soak_memory 'R7 R8 T3 O1'
until rmmod xroce 2>/dev/null || [ $((tries += 1)) -gt 50 ]; do
	sleep 0.2
done
results
