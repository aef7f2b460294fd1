/* SPDX-License-Identifier: GPL-2.0-only */
/* A TCP connection whose ends are both in this process, for benchmarks. */
#ifndef XROCE_BENCH_TCP_H
#define XROCE_BENCH_TCP_H

/* Connect two addresses of IPv4. An error ends the program. */
void tcp_pair(const char *client_ip, const char *server_ip, int *client, int *server);

#endif /* XROCE_BENCH_TCP_H */
