/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* All counters in Prometheus' text exposition format, version 0.0.4. */
#ifndef _XROCE_PROMETHEUS_H
#define _XROCE_PROMETHEUS_H

/**
 * prometheus_print() - print the counters of links, queue pairs and regions
 * @netdev: of this device's link; NULL: of all
 *
 * Nothing is printed unless all of it can be.
 *
 * Return: an exit status; what is wrong has been said.
 */
int prometheus_print(const char *netdev);

#endif /* _XROCE_PROMETHEUS_H */
