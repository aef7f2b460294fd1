// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Messages of perftest over TCP: their format. session_perftest.c serves them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/perftest.h"
#include "uapi/xroce.h"

/* To a server of version 6.28 or newer, a client would also send all parameters of the test. */
const char perftest_version[PERFTEST_VERSION_SIZE] = "6.06";

bool perftest_version_ok(const char text[PERFTEST_VERSION_SIZE])
{
	size_t len = strnlen(text, PERFTEST_VERSION_SIZE), i;

	if (len < 3 || len == PERFTEST_VERSION_SIZE ||
	    !isdigit((unsigned char)text[0]))
		return false;
	for (i = 0; i < len; i++)
		if (!isdigit((unsigned char)text[i]) && text[i] != '.')
			return false;
	/* Older versions omit some steps of the handshake. perftest itself refuses them, too. */
	return atof(text) >= 5.70;
}

__u32 perftest_mtu_parse(const char text[PERFTEST_MTU_SIZE])
{
	__u32 mtu = text[0] - '0';

	if (text[1] || mtu < XROCE_MTU_256 || mtu > XROCE_MTU_4096)
		return 0;
	return mtu;
}

void perftest_mtu_format(__u32 mtu, char text[PERFTEST_MTU_SIZE])
{
	text[0] = '0' + mtu;
	text[1] = 0;
}

/* Parse exactly @digits hexadecimal digits and a colon. */
static bool take_hex(const char **text, int digits, __u64 *value)
{
	const char *p = *text;

	*value = 0;
	for (; digits; digits--, p++) {
		if (!isxdigit((unsigned char)*p))
			return false;
		*value = *value << 4 | (isdigit((unsigned char)*p) ? *p - '0' :
					tolower((unsigned char)*p) - 'a' + 10);
	}
	*text = p + 1;
	return *p == ':';
}

bool perftest_key_parse(const char text[PERFTEST_KEY_SIZE],
			struct perftest_key *key)
{
	__u64 lid, out_reads, qpn, psn, rkey, byte, srqn;
	int i;

	if (text[PERFTEST_KEY_SIZE - 1])
		return false;
	if (!take_hex(&text, 4, &lid) || !take_hex(&text, 4, &out_reads) ||
	    !take_hex(&text, 6, &qpn) || !take_hex(&text, 6, &psn) ||
	    !take_hex(&text, 8, &rkey) || !take_hex(&text, 16, &key->va))
		return false;
	for (i = 0; i < 16; i++) {
		if (!take_hex(&text, 2, &byte))
			return false;
		key->gid[i] = byte;
	}
	if (!take_hex(&text, 8, &srqn))
		return false;
	key->lid = lid;
	key->out_reads = out_reads;
	key->qpn = qpn;
	key->psn = psn;
	key->rkey = rkey;
	key->srqn = srqn;
	return true;
}

void perftest_key_format(const struct perftest_key *key,
			 char text[PERFTEST_KEY_SIZE])
{
	char *p = text, *end = text + PERFTEST_KEY_SIZE;
	int i;

	p += snprintf(p, end - p, "%04x:%04x:%06x:%06x:%08x:%016llx:",
		      key->lid & 0xffff, key->out_reads & 0xffff,
		      key->qpn & 0xffffff, key->psn & 0xffffff, key->rkey,
		      (unsigned long long)key->va);
	for (i = 0; i < 16; i++)
		p += snprintf(p, end - p, "%02x:", key->gid[i]);
	snprintf(p, end - p, "%08x:", key->srqn);
}

bool perftest_key_begins(const char text[PERFTEST_REPORT_SIZE])
{
	__u64 lid;

	return take_hex(&text, 4, &lid);
}
