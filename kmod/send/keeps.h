/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the peer keeps requests behind one that is missing: found out by a trial, see ack.c. */
#ifndef _XR_SEND_KEEPS_H
#define _XR_SEND_KEEPS_H

/* NAKs after which it is tried once more whether a peer keeps what follows, and once again. */
#define XR_SEND_DISCARDS_SOON	2u
#define XR_SEND_DISCARDS	16u

/**
 * enum xr_keeps - whether the peer keeps requests behind one that is missing
 * @XR_KEEPS_UNKNOWN: nothing has been lost yet
 * @XR_KEEPS_TRIAL: the packet that it misses has been sent again, and no other one
 * @XR_KEEPS: it seems so: single packets are sent again. Until it has sent a selective
 *	acknowledgement, the next NAK is a trial again
 * @XR_KEEPS_NOT: it discards them: everything is sent again. Or several in a row were missing, so
 *	it is tried once more, after XR_SEND_DISCARDS_SOON NAKs and after XR_SEND_DISCARDS
 */
enum xr_keeps {
	XR_KEEPS_UNKNOWN,
	XR_KEEPS_TRIAL,
	XR_KEEPS,
	XR_KEEPS_NOT,
};

#endif
