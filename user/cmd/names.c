// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Names of the values of the interface's enumerations, for output. */
#include <arpa/inet.h>
#include <string.h>

#include "names.h"
#include "xroce_map.h"
#include "xroce_wire.h"

#define NAME(table, value) \
	((value) < sizeof(table) / sizeof((table)[0]) && (table)[value] ? \
	 (table)[value] : "unknown")

const char *name_of_qp_state(__u32 state)
{
	static const char *const names[] = {
		[XROCE_QPS_RESET] = "reset",
		[XROCE_QPS_INIT] = "init",
		[XROCE_QPS_RTR] = "rtr",
		[XROCE_QPS_RTS] = "rts",
		[XROCE_QPS_SQD] = "sqd",
		[XROCE_QPS_ERR] = "err",
	};

	return NAME(names, state);
}

const char *name_of_qp_type(__u32 type)
{
	static const char *const names[] = {
		[XROCE_QPT_RC] = "rc",
		[XROCE_QPT_UC] = "uc",
		[XROCE_QPT_UD] = "ud",
	};

	return NAME(names, type);
}

const char *name_of_mpt_state(__u32 state)
{
	static const char *const names[] = {
		[XROCE_MPT_FREE] = "free",
		[XROCE_MPT_INVALID] = "invalid",
		[XROCE_MPT_VALID] = "valid",
	};

	return NAME(names, state);
}

const char *name_of_mpt_type(__u32 type)
{
	static const char *const names[] = {
		[XROCE_MPT_MR] = "mr",
		[XROCE_MPT_MW_1] = "mw1",
		[XROCE_MPT_MW_2A] = "mw2a",
		[XROCE_MPT_MW_2B] = "mw2b",
		[XROCE_MPT_MR_FAST] = "mr_fast",
	};

	return NAME(names, type);
}

const char *name_of_mw_type(__u32 type)
{
	static const char *const names[] = {
		[XROCE_MW_TYPE_1] = "1",
		[XROCE_MW_TYPE_2A] = "2a",
		[XROCE_MW_TYPE_2B] = "2b",
	};

	return NAME(names, type);
}

const char *name_of_opcode(__u8 opcode)
{
	static const char *const names[] = {
		[XROCE_RC_SEND_FIRST] = "send-first",
		[XROCE_RC_SEND_MIDDLE] = "send-middle",
		[XROCE_RC_SEND_LAST] = "send-last",
		[XROCE_RC_SEND_LAST_IMM] = "send-last-imm",
		[XROCE_RC_SEND_ONLY] = "send-only",
		[XROCE_RC_SEND_ONLY_IMM] = "send-only-imm",
		[XROCE_RC_WRITE_FIRST] = "write-first",
		[XROCE_RC_WRITE_MIDDLE] = "write-middle",
		[XROCE_RC_WRITE_LAST] = "write-last",
		[XROCE_RC_WRITE_LAST_IMM] = "write-last-imm",
		[XROCE_RC_WRITE_ONLY] = "write-only",
		[XROCE_RC_WRITE_ONLY_IMM] = "write-only-imm",
		[XROCE_RC_READ_REQUEST] = "read",
		[XROCE_RC_CMP_SWAP] = "cmp-swap",
		[XROCE_RC_FETCH_ADD] = "fetch-add",
		[XROCE_RC_SEND_LAST_INV] = "send-last-inv",
		[XROCE_RC_SEND_ONLY_INV] = "send-only-inv",
		[XROCE_RC_FLUSH] = "flush",
		[XROCE_RC_ATOMIC_WRITE] = "atomic-write",
	};

	return NAME(names, opcode);
}

const char *name_of_gid(const __u8 gid[16], char *text)
{
	static const __u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (!memcmp(gid, mapped, sizeof(mapped)))
		return inet_ntop(AF_INET, gid + 12, text, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, gid, text, INET6_ADDRSTRLEN);
}
