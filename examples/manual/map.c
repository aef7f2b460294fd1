// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: map NETDEV */
#include <libxroce.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct xroce_stat stat;
	int fd, err;

	if (argc != 2)
		return 2;
	fd = xroce_pin_open(argv[1], "stat");
	if (fd < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], xroce_strerror(fd));
		return 1;
	}
	err = xroce_map_read(fd, 0, &stat, sizeof(stat));
	if (err)
		fprintf(stderr, "stat: %s\n", xroce_strerror(err));
	else
		printf("packets %llu\n", stat.rx);
	close(fd);
	return !!err;
}
