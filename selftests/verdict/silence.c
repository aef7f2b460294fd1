// SPDX-License-Identifier: GPL-2.0-only
#include "harness.h"
#include "mutate.h"
#include "silence.h"

static const struct row rows[] = {
	{ "BTH cut", "A17", ALL, mutate_bth_cut, PASS },
	{ "frame cut", "9.6", ALL, mutate_frame_cut, DROP,
	  COUNTER(drop_length) },
	{ "IPv4 header checksum", "A17", ALL, mutate_checksum, DROP,
	  COUNTER(drop_checksum) },
	{ "header version", "9.6", ALL, mutate_version, DROP,
	  COUNTER(drop_tver) },
	{ "no such queue pair", "9.6", ALL, mutate_no_qp, DROP,
	  COUNTER(drop_qpn) },
	{ "opcode of another service", "9.6", ALL, mutate_service, DROP,
	  COUNTER(drop_opcode) },
	{ "state RESET", "10.3.1", ALL, mutate_reset, DROP,
	  COUNTER(drop_state) },
	{ "state INIT", "10.3.1", ALL, mutate_init, DROP,
	  COUNTER(drop_state) },
	{ "state ERR", "10.3.1", ALL, mutate_err, DROP, COUNTER(drop_error) },
	{ "queue pair ended by an error", "9.9.3", ALL, mutate_refused, DROP,
	  COUNTER(drop_error) },
	{ "not the queue pair's address", "9.6, A17", ALL, mutate_daddr, DROP,
	  COUNTER(drop_addr) },
	{ "partition", "9.6, 10.9.3", ALL, mutate_pkey, DROP,
	  COUNTER(drop_pkey) },
	{ "partition, two limited members", "9.6, 10.9.3", ALL, mutate_limited,
	  DROP, COUNTER(drop_pkey) },
};

void silence_run(enum xroce_qp_type type, uint32_t ops)
{
	table_run(type, ops, rows, ARRAY_SIZE(rows));
}
