/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Socket activation and readiness notification of systemd, without its library. See
 * sd_listen_fds(3) and sd_notify(3).
 */
#ifndef _XROCE_SYSTEMD_H
#define _XROCE_SYSTEMD_H

#define SYSTEMD_LISTEN_FD	3	/* the first passed socket */

/*
 * Take the sockets that systemd has passed, from descriptor SYSTEMD_LISTEN_FD on: set
 * FD_CLOEXEC on them, and remove the variables from the environment. Return: their number; 0:
 * none; -EINVAL: the environment is not valid; or another negative errno.
 */
int systemd_listen_fds(void);

/*
 * Send a state such as "READY=1" to systemd, if $NOTIFY_SOCKET is set. Return: 0 or -errno,
 * which may be ignored.
 */
int systemd_notify(const char *state);

#endif /* _XROCE_SYSTEMD_H */
