// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Ethernet address for requests to a peer, for peer_mac.sh.
 *
 * usage: peer_mac_test DEV ADDRESS
 * It prints the address, or the name of the error.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>

#include "libxroce.h"

int main(int argc, char **argv)
{
	__u8 gid[16] = { [10] = 0xff, 0xff }, mac[6] = {};
	struct xroce *x;
	int err;

	if (argc != 3 || (inet_pton(AF_INET, argv[2], gid + 12) != 1 &&
			  inet_pton(AF_INET6, argv[2], gid) != 1)) {
		fprintf(stderr, "usage: peer_mac_test DEV ADDRESS\n");
		return 2;
	}
	x = xroce_open(argv[1]);
	if (!x) {
		perror(argv[1]);
		return 1;
	}
	err = xroce_peer_mac(x, gid, mac);
	if (err)
		printf("%s\n", strerrorname_np(-err));
	else
		printf("%02x:%02x:%02x:%02x:%02x:%02x\n", mac[0], mac[1], mac[2], mac[3], mac[4],
		       mac[5]);
	xroce_close(x);
	return 0;
}
