// SPDX-License-Identifier: GPL-2.0-only
#include "harness.h"
#include "mutate.h"
#include "silence.h"

static const struct row rows[] = {
	{ "BTH cut", "A17", ALL, mutate_bth_cut, PASS },
	ROW_DROP("frame cut", "9.6", ALL, frame_cut, drop_length),
	ROW_DROP("IPv4 header checksum", "A17", ALL, checksum, drop_checksum),
	ROW_DROP("header version", "9.6", ALL, version, drop_tver),
	ROW_DROP("no such queue pair", "9.6", ALL, no_qp, drop_qpn),
	ROW_DROP("opcode of another service", "9.6", ALL, service, drop_opcode),
	ROW_DROP("state RESET", "10.3.1", ALL, reset, drop_state),
	ROW_DROP("state INIT", "10.3.1", ALL, init, drop_state),
	ROW_DROP("state ERR", "10.3.1", ALL, err, drop_error),
	ROW_DROP("queue pair ended by an error", "9.9.3", ALL, refused, drop_error),
	ROW_DROP("not the queue pair's address", "9.6, A17", ALL, daddr, drop_addr),
	ROW_DROP("partition", "9.6, 10.9.3", ALL, pkey, drop_pkey),
	ROW_DROP("partition, two limited members", "9.6, 10.9.3", ALL, limited, drop_pkey),
};

void silence_run(enum xroce_qp_type type, uint32_t ops)
{
	table_run(type, ops, rows, ARRAY_SIZE(rows));
}
