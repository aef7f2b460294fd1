// SPDX-License-Identifier: GPL-2.0-only
/*
 * Performance management (IBTA 16.1), for the directory counters/ of the port in sysfs, which
 * monitoring programs read: ib_core asks by a MAD. Others' MADs are not answered.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pma.h>
#include <rdma/ib_verbs.h>

#include "xroce_map.h"

#include "stats.h"
#include "verbs.h"

/* Where a performance management attribute is in struct ib_mad::data. */
#define XR_IB_PMA_DATA	40

/* Data is counted in units of four bytes. */
#define XR_IB_PMA_UNIT	4

/* Counters that both attributes have. */
struct xr_ib_pma {
	u64 xmit_data;
	u64 rcv_data;
	u64 xmit_packets;
	u64 rcv_packets;
	u64 rcv_errors;
	u64 xmit_discards;
};

static struct xr_ib_pma xr_ib_pma_count(struct ib_device *ib)
{
	struct xroce_stat sum;

	xr_ib_stat_sum(xr_ib_link(ib), &sum);
	return (struct xr_ib_pma){
		.xmit_data = (sum.tx_more + sum.req_tx_bytes) / XR_IB_PMA_UNIT,
		.rcv_data = sum.rx_bytes / XR_IB_PMA_UNIT,
		.xmit_packets = sum.tx + sum.req_tx,
		.rcv_packets = sum.rx,
		.rcv_errors = sum.drop_icrc + sum.drop_checksum + sum.drop_length,
		.xmit_discards = sum.drop_tx,
	};
}

/* These counters stop at their highest value. */
static __be32 xr_ib_pma_32(u64 value)
{
	return cpu_to_be32(min_t(u64, value, U32_MAX));
}

static __be16 xr_ib_pma_16(u64 value)
{
	return cpu_to_be16(min_t(u64, value, U16_MAX));
}

static void xr_ib_pma_ports(struct ib_device *ib, struct ib_pma_portcounters *p)
{
	struct xr_ib_pma c = xr_ib_pma_count(ib);

	p->port_rcv_errors = xr_ib_pma_16(c.rcv_errors);
	p->port_xmit_discards = xr_ib_pma_16(c.xmit_discards);
	p->port_xmit_data = xr_ib_pma_32(c.xmit_data);
	p->port_rcv_data = xr_ib_pma_32(c.rcv_data);
	p->port_xmit_packets = xr_ib_pma_32(c.xmit_packets);
	p->port_rcv_packets = xr_ib_pma_32(c.rcv_packets);
}

static void xr_ib_pma_ports_ext(struct ib_device *ib, struct ib_pma_portcounters_ext *p)
{
	struct xr_ib_pma c = xr_ib_pma_count(ib);

	p->port_xmit_data = cpu_to_be64(c.xmit_data);
	p->port_rcv_data = cpu_to_be64(c.rcv_data);
	p->port_xmit_packets = cpu_to_be64(c.xmit_packets);
	p->port_rcv_packets = cpu_to_be64(c.rcv_packets);
}

/**
 * xr_ib_process_mad() - answer a MAD
 * @ib: the device
 * @flags: IB_MAD_*
 * @port: port number
 * @in_wc: completion, if the MAD has been received; NULL: it is ib_core's own
 * @in_grh: likewise its GRH, or NULL
 * @in: the MAD
 * @out: response; zero but for what ib_core has set
 * @out_size: bytes of @out
 * @out_pkey_index: unused
 *
 * Return: IB_MAD_RESULT_SUCCESS, with IB_MAD_RESULT_REPLY if @out is a response.
 */
int xr_ib_process_mad(struct ib_device *ib, int flags, u32 port, const struct ib_wc *in_wc,
		      const struct ib_grh *in_grh, const struct ib_mad *in, struct ib_mad *out,
		      size_t *out_size, u16 *out_pkey_index)
{
	struct ib_class_port_info info = { .capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH };
	void *data = out->data + XR_IB_PMA_DATA;

	if (in_wc || in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MAD_RESULT_SUCCESS;
	switch (in->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		memcpy(data, &info, sizeof(info));
		break;
	case IB_PMA_PORT_COUNTERS:
		xr_ib_pma_ports(ib, data);
		break;
	case IB_PMA_PORT_COUNTERS_EXT:
		xr_ib_pma_ports_ext(ib, data);
		break;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
