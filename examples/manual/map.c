// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: map NETDEV */
#include <libxroce.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	__u64 packets;
	int err;

	if (argc != 2)
		return 2;
	err = xroce_link_counter(argv[1], "rx", &packets);
	if (err)
		fprintf(stderr, "%s: %s\n", argv[1], xroce_strerror(err));
	else
		printf("packets %llu\n", packets);
	return !!err;
}
