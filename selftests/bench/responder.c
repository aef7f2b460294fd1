// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <arpa/inet.h>

#include "responder.h"

void responder_gid(const char *text, uint8_t *gid)
{
	memset(gid, 0, 16);
	memset(gid + 10, 0xff, 2);
	inet_pton(AF_INET, text, gid + 12);
}
