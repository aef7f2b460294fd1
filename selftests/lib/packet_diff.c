// SPDX-License-Identifier: GPL-2.0-only
/* Comparing packets field by field. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "packet.h"

struct field {
	const char *name;
	size_t offset;
	size_t size;
};

#define FIELD(f) { #f, offsetof(struct packet, f), \
		   sizeof(((struct packet *)0)->f) }

static const struct field fields[] = {
	FIELD(dst_mac), FIELD(src_mac), FIELD(vlans), FIELD(vlan),
	FIELD(ipv6), FIELD(tos), FIELD(ttl), FIELD(ip_id), FIELD(frag),
	FIELD(flow), FIELD(saddr), FIELD(daddr),
	FIELD(sport), FIELD(dport), FIELD(udp_csum),
	FIELD(opcode), FIELD(se), FIELD(mig), FIELD(pad), FIELD(tver),
	FIELD(pkey), FIELD(fecn), FIELD(becn), FIELD(sack), FIELD(again), FIELD(dqpn),
	FIELD(ackreq),
	FIELD(psn), FIELD(syndrome), FIELD(msn), FIELD(orig), FIELD(sack_lost), FIELD(sack_bits),
	FIELD(payload),
};

/* Fields of 1 to 4 or 8 bytes are printed as numbers in host order, others byte by byte. */
static void format(const struct field *f, const void *packet, char *text)
{
	const uint8_t *at = (const uint8_t *)packet + f->offset;
	uint64_t number = 0;
	size_t i;

	if (f->size <= 4 || f->size == 8) {
		memcpy(&number, at, f->size);	/* for little-endian machines only */
		sprintf(text, "%#llx", (unsigned long long)number);
		return;
	}
	for (i = 0; i < f->size; i++)
		sprintf(text + 2 * i, "%02x", at[i]);
}

unsigned int packet_diff(const struct packet *want, const struct packet *got)
{
	unsigned int differ = 0;
	char a[2 * XROCE_SACK_BITS / 8 + 1], b[sizeof(a)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		const struct field *f = &fields[i];

		if (!memcmp((const char *)want + f->offset,
			    (const char *)got + f->offset, f->size))
			continue;
		format(f, want, a);
		format(f, got, b);
		note("response %s: want %s, got %s", f->name, a, b);
		differ++;
	}
	return differ;
}
