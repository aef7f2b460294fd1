// SPDX-License-Identifier: GPL-2.0-only
/* The variable of hazard.h, which has the code. */
#include "hazard.h"

/* The region or window that this CPU's data path is using. */
DEFINE_PER_CPU(const void *, xr_hazard);
