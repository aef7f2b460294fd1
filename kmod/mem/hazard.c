// SPDX-License-Identifier: GPL-2.0-only
#include "hazard.h"

/* The region or window that this CPU's data path is using. */
DEFINE_PER_CPU(const void *, xr_hazard);
