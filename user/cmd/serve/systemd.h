/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What systemd agrees upon with a service, by its environment: the sockets that
 * it has passed, and a datagram that tells how far we are. See sd_listen_fds(3) and
 * sd_notify(3); neither needs its library.
 */
#ifndef _XROCE_SYSTEMD_H
#define _XROCE_SYSTEMD_H

#define SYSTEMD_LISTEN_FD	3	/* the first that is passed */

/*
 * How many sockets have been passed to this process, from SYSTEMD_LISTEN_FD on; they
 * are closed by exec(2) from now on, and the next call says none. Return: 0 if not
 * started so; -EINVAL: the environment does not make sense; or another negative
 * errno.
 */
int systemd_listen_fds(void);

/*
 * Tell "READY=1" and the like, if somebody wants to know. Return: 0 or -errno, of
 * which nothing depends.
 */
int systemd_notify(const char *state);

#endif /* _XROCE_SYSTEMD_H */
