// SPDX-License-Identifier: GPL-2.0-only
#include "wire_cnp.h"
#include "wire_post.h"

void wire_cnp_send(struct wire *w, int n)
{
	struct packet was = w->req;

	packet_cnp(&w->req);
	for (; n && !test_failed(); n--)
		wire_send(w);
	w->req = was;
}

struct heard {
	const struct wire *w;
	__u64 cnps;
};

static bool has_heard(void *arg)
{
	struct heard *h = arg;

	return wire_query(h->w).req_cnps >= h->cnps;
}

void wire_cnp_heard(struct wire *w, int n)
{
	struct heard h = { w, wire_query(w).req_cnps + n };

	wire_cnp_send(w, n);
	check(live_wait(has_heard, &h), "not all notifications have arrived");
	check_is(wire_query(w).req_cnps, h.cnps, "notifications");
}

void wire_cnp_forge(struct wire *w, int n)
{
	struct packet right = w->req;
	int wrong;

	for (wrong = 0; wrong < 6; wrong++) {
		w->req = right;
		w->req.saddr[15] ^= wrong == 0 ? 8 : 0;
		w->req.daddr[15] ^= wrong == 1 ? 8 : 0;
		w->req.dqpn ^= wrong == 2 ? 0x20 : 0;
		w->req.icrc_flip = wrong == 3 ? 0x100 : 0;
		w->req.pkey = wrong == 4 ? 0x8001 : right.pkey;
		w->req.ipv6 = wrong == 5;
		wire_cnp_send(w, n);
	}
	w->req = right;
}
