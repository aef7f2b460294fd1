/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's check while it is compiled. */
#ifndef XROCE_TEST_LINUX_BUILD_BUG_H
#define XROCE_TEST_LINUX_BUILD_BUG_H

#define BUILD_BUG_ON(wrong)	_Static_assert(!(wrong), #wrong)

#endif /* XROCE_TEST_LINUX_BUILD_BUG_H */
