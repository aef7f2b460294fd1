/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* All counters in Prometheus' text exposition format, version 0.0.4. */
#ifndef _XROCE_PROMETHEUS_H
#define _XROCE_PROMETHEUS_H

/**
 * prometheus_print() - print the counters of links, queue pairs and regions
 * @netdev: name of the device whose link is printed; NULL: all links
 *
 * If reading the counters fails, nothing is printed.
 *
 * Return: an exit status; an error has been printed.
 */
int prometheus_print(const char *netdev);

#endif /* _XROCE_PROMETHEUS_H */
