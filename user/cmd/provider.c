// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The word that says whose provider programs need for a verbs device. */
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "provider.h"

/*
 * @name: the word
 * @type: of rdma link add: MODULE_ALIAS_RDMA_LINK() of xroce_ib
 * @driver: tells libibverbs the provider; as Debian and make install-provider have it
 */
static const struct {
	const char *name;
	const char *type;
	const char *driver;
} providers[] = {
	[XROCE_PROVIDER_RXE] = { "rxe", "xroce", "/etc/libibverbs.d/rxe.driver" },
	[XROCE_PROVIDER_XROCE] = { "xroce", "xroce_own", "/etc/libibverbs.d/xroce.driver" },
};

#define PROVIDERS	(sizeof(providers) / sizeof(providers[0]))

static bool parse_provider(const char *text, void *to)
{
	struct provider *p = to;
	size_t i;

	for (i = 0; i < PROVIDERS; i++) {
		if (!strcmp(text, providers[i].name)) {
			p->given = true;
			p->which = i;
			return true;
		}
	}
	return false;
}

const struct arg_type provider_arg = {
	"rxe or xroce", parse_provider
};

const char *provider_name(__u32 which)
{
	return which < PROVIDERS ? providers[which].name : "?";
}

const char *provider_link_type(enum xroce_provider which)
{
	return providers[which].type;
}

void provider_check(const char *verbs, enum xroce_provider which)
{
	/* Whoever has libibverbs has that of rxe; a program in a container has its own files. */
	if (which == XROCE_PROVIDER_RXE || !access(providers[which].driver, F_OK))
		return;
	warn("verbs %s: its provider is not installed (no %s): programs that use libibverbs do not find the device; install libxroce-provider, or make the device with 'provider rxe'",
	     verbs, providers[which].driver);
}
