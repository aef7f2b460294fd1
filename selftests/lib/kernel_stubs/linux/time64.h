/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's units of time. */
#ifndef XROCE_TEST_LINUX_TIME64_H
#define XROCE_TEST_LINUX_TIME64_H

#define NSEC_PER_USEC	1000L
#define NSEC_PER_MSEC	1000000L
#define NSEC_PER_SEC	1000000000L

#endif /* XROCE_TEST_LINUX_TIME64_H */
