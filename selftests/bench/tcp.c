// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "rc_end.h"
#include "tcp.h"

static struct sockaddr_in address(const char *ip, unsigned int port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

	errno = EINVAL;
	needs(inet_pton(AF_INET, ip, &a.sin_addr) == 1, ip);
	return a;
}

void tcp_pair(const char *client_ip, const char *server_ip, int *client, int *server)
{
	struct sockaddr_in from = address(client_ip, 0), to = address(server_ip, 5001);
	int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	needs(!bind(listener, (void *)&to, sizeof(to)) && !listen(listener, 1), server_ip);
	*client = socket(AF_INET, SOCK_STREAM, 0);
	needs(!bind(*client, (void *)&from, sizeof(from)) &&
	      !connect(*client, (void *)&to, sizeof(to)), "connect");
	*server = accept(listener, NULL, NULL);
	needs(*server >= 0, "accept");
	close(listener);
}
