// SPDX-License-Identifier: GPL-2.0-only
/* Initialisation and exit of the module. */
#include <linux/module.h>

#include "bytes/icrc.h"
#include "bytes/vector.h"
#include "ctl/teardown.h"
#include "frame/pages.h"
#include "frame/xdp_tx.h"
#include "mem/mtt.h"
#include "obj/link.h"
#include "odp/odp.h"
#include "qp/create.h"
#include "qp/follow.h"
#include "qp/path.h"
#include "recv/queue.h"
#include "send/cc_bpf.h"

#include "main.h"

static int __init xr_init(void)
{
	int ret;

	xr_vector_init();
	xr_icrc_init();
	ret = xr_pages_init();
	if (ret)
		return ret;
	ret = xr_mtt_init();
	if (ret)
		goto err_pages;
	ret = xr_odp_init();
	if (ret)
		goto err_mtt;
	ret = xr_qps_init();
	if (ret)
		goto err_odp;
	ret = xr_recv_queues_init();
	if (ret)
		goto err_qps;
	ret = xr_path_init(xr_follow);
	if (ret)
		goto err_recv;
	ret = xr_link_init();
	if (ret)
		goto err_path;
	ret = xr_xdp_tx_init();
	if (ret)
		goto err_link;
	ret = xr_kfunc_init();
	if (ret)
		goto err_xdp_tx;
	xr_cc_bpf_init();
	ret = xr_chardev_init();
	if (ret)
		goto err_xdp_tx;
	return 0;

err_xdp_tx:
	xr_xdp_tx_exit();
err_link:
	xr_link_exit();
err_path:
	xr_path_exit();
err_recv:
	xr_recv_queues_exit();
err_qps:
	xr_qps_exit();
err_odp:
	xr_odp_exit();
err_mtt:
	xr_mtt_exit();
err_pages:
	xr_pages_exit();
	return ret;
}

/*
 * The device is not open, and no program that calls our kfuncs is loaded: both would hold
 * a reference to the module.
 */
static void __exit xr_exit(void)
{
	xr_chardev_exit();
	xr_xdp_tx_exit();
	xr_link_exit();
	xr_teardown_links();
	xr_path_exit();
	xr_recv_queues_exit();
	xr_qps_exit();
	xr_odp_exit();
	xr_mtt_exit();
	xr_pages_exit();
}

module_init(xr_init);
module_exit(xr_exit);

MODULE_DESCRIPTION("software RoCEv2 RDMA device with XDP: responder and requester");
MODULE_AUTHOR("xroce maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(XROCE_VERSION);
