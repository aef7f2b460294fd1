// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <net/if.h>

#include "sibling_path.h"
#include "xdp.h"

static bool fail(const char *what, const char *netdev, int err)
{
	fprintf(stderr, "bench: %s%s%s: %s\n", what, netdev ? " on " : "",
		netdev ? netdev : "", strerror(err));
	return false;
}

bool xdp_load(struct xdp *xdp, const char *object)
{
	char path[PATH_MAX];

	memset(xdp, 0, sizeof(*xdp));
	if (!sibling_path(object, path))
		return fail(object, NULL, errno);
	xdp->object = bpf_object__open_file(path, NULL);
	if (!xdp->object || bpf_object__load(xdp->object))
		return fail(path, NULL, errno);
	return true;
}

bool xdp_attach(struct xdp *xdp, const char *object, const char *program,
		const char *netdev)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	struct bpf_program *prog;

	if (!xdp_load(xdp, object))
		return false;
	prog = bpf_object__find_program_by_name(xdp->object, program);
	if (!prog)
		return fail(program, netdev, ENOENT);
	xdp->link = bpf_program__attach_xdp(prog, if_nametoindex(netdev));
	if (!xdp->link)
		return fail(program, netdev, errno);
	if (bpf_xdp_query(if_nametoindex(netdev), 0, &query) ||
	    query.attach_mode != XDP_ATTACHED_DRV)
		return fail("the driver takes no program", netdev, EOPNOTSUPP);
	return true;
}

void xdp_detach(struct xdp *xdp)
{
	bpf_link__destroy(xdp->link);
	bpf_object__close(xdp->object);
	memset(xdp, 0, sizeof(*xdp));
}
