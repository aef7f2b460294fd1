// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce serve: a server of named regions, and the passive side of perftest. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "limit_reason.h"
#include "names.h"
#include "netaddr.h"
#include "print.h"
#include "serve/cm.h"
#include "serve/listener.h"
#include "serve/peer.h"
#include "serve/perftest.h"
#include "serve/regions.h"
#include "serve/server.h"
#include "serve/sessions.h"
#include "serve/systemd.h"

#define DEFAULT_IDLE	60	/* seconds */
#define DEFAULT_SIZE	(8 << 20)	/* maximum size with option -a of perftest */

struct serve {
	struct server server;
	struct listener listener;
	struct cm_listener cm;
	bool rdma_cm;		/* also serve clients of rdma_cm */
	char netdev[IF_NAMESIZE];
	const char *dev;
	const char *path;
	__u32 port;
	__u32 count;		/* end after so many clients; 0: never */
	__u32 clients;		/* maximum number of clients at a time */
	__u32 timeout;		/* seconds */
	__u32 idle;		/* seconds; 0: not given */
	bool attached;		/* this process has attached the link, and must detach it */
};

/* Long options without a letter. */
enum { NETDEV = 256, PORT, SIZE, COUNT, CLIENTS, FILE_, GID_IP, MAX_QPS, TIMEOUT, IDLE, RDMA_CM };

static const struct option longopts[] = {
	{ "netdev",	required_argument, NULL, NETDEV },
	{ "port",	required_argument, NULL, PORT },
	{ "size",	required_argument, NULL, SIZE },
	{ "count",	required_argument, NULL, COUNT },
	{ "clients",	required_argument, NULL, CLIENTS },
	{ "file",	required_argument, NULL, FILE_ },
	{ "gid-ip",	required_argument, NULL, GID_IP },
	{ "max-qps",	required_argument, NULL, MAX_QPS },
	{ "timeout",	required_argument, NULL, TIMEOUT },
	{ "idle",	required_argument, NULL, IDLE },
	{ "rdma-cm",	no_argument, NULL, RDMA_CM },
	{ "verbose",	no_argument, NULL, 'v' },
	{}
};

static int help(void)
{
	fputs("usage: xroce serve [OPTIONS] [region NAME [size SIZE] [file PATH] [iova ADDR]\n"
	      "                             [access LIST] [odp]]...\n"
	      "options, with their defaults in parentheses:\n"
	      "  --netdev DEV    network device (the only one that has a link)\n"
	      "  --port N        TCP port of the handshake (18515)\n"
	      "  --clients N     maximum number of clients at a time (64)\n"
	      "  --count N       exit after N clients (never)\n"
	      "  --gid-ip ADDR   own address (one of DEV)\n"
	      "  --rdma-cm       also serve clients of rdma_cm, on the same port number\n"
	      "  --timeout N     seconds for each step of the handshake (10)\n"
	      "  -v, --verbose   print each queue pair on stderr\n"
	      "for clients of perftest, which are served if no region or --size is given:\n"
	      "  --size N        bytes of the region of each queue pair (8M)\n"
	      "  --file PATH     file that these regions share, one after the other (none)\n"
	      "  --max-qps N     maximum number of queue pairs of a client (64)\n"
	      "  --idle N        end a client that sends nothing for N seconds (60);\n"
	      "                  of rdma_cm, too (never)\n", stdout);
	return EXIT_OK;
}

static int set_number(const char *name, const char *text, __u32 most,
		      __u32 *to)
{
	if (!arg_number.parse(text, to) || !*to || *to > most)
		return usage("%s \"%s\": must be a number from 1 to %u", name,
			     text, most);
	return -1;
}

/* Set an option. Return: -1: success; else an exit status with which to end. */
static int take_option(struct serve *s, int c)
{
	struct server *server = &s->server;
	__u64 page = sysconf(_SC_PAGESIZE);
	const char *wrong;

	switch (c) {
	case NETDEV:
		s->dev = optarg;
		return -1;
	case PORT:
		return set_number("port", optarg, 65535, &s->port);
	case SIZE:
		if (!arg_size.parse(optarg, &server->size) || !server->size ||
		    server->size > 1ull << 40)
			return usage("size \"%s\": must be %s, from 1 to 1T", optarg,
				     arg_size.want);
		server->size = (server->size + page - 1) / page * page;
		return -1;
	case COUNT:
		return set_number("count", optarg, ~0u, &s->count);
	case CLIENTS:
		return set_number("clients", optarg, SESSIONS_MAX, &s->clients);
	case FILE_:
		s->path = optarg;
		return -1;
	case GID_IP:
		if (!arg_gid.parse(optarg, server->gid))
			return usage("gid-ip \"%s\": must be %s", optarg,
				     arg_gid.want);
		wrong = netaddr_gid_error(server->gid);
		if (wrong)
			return usage("gid-ip %s: is %s, not a host's", optarg, wrong);
		server->have_gid = true;
		return -1;
	case MAX_QPS:
		return set_number("max-qps", optarg, SESSION_QPS_MAX,
				  &server->max_qps);
	case TIMEOUT:
		return set_number("timeout", optarg, 3600, &s->timeout);
	case IDLE:
		return set_number("idle", optarg, 86400, &s->idle);
	case RDMA_CM:
		s->rdma_cm = true;
		return -1;
	case 'v':
		server->verbose = true;
		return -1;
	case 'h':
		return help();
	}
	return options_take_one(c, optarg);
}

static int take_options(struct serve *s, int argc, char **argv)
{
	struct option all[sizeof(longopts) / sizeof(longopts[0]) + SHARED_MAX];
	int c, status;

	if (options.help)
		return help();
	options_join(longopts, all);
	optind = 0;
	opterr = 0;
	while ((c = getopt_long_only(argc, argv, SHARED_OPTIONS "v", all, NULL)) != -1) {
		status = c == '?' ? options_complain(argv, all) : take_option(s, c);
		if (status >= 0)
			return status;
	}
	if (optind < argc && !strcmp(argv[optind], "help"))
		return help();
	status = regions_parse(&s->server.regions, argc - optind, argv + optind);
	if (status)
		return status;
	/* A server with named regions serves clients of perftest only if --size is given. */
	if (!s->server.size && !s->server.regions.n)
		s->server.size = DEFAULT_SIZE;
	if (s->path && !s->server.size)
		return usage("--file: can only be used with --size; for a region, give file after its name");
	if (s->rdma_cm && !s->server.regions.n)
		return usage("--rdma-cm: needs a region; give region NAME size SIZE");
	s->server.step_ms = s->timeout * 1000;
	s->server.idle_ms = (s->idle ? s->idle : DEFAULT_IDLE) * 1000;
	s->server.cm_idle_ms = s->idle * 1000;
	return -1;
}

/* Open the link, or make one that is deleted at the end. Return: an exit status. */
static int open_link(struct serve *s)
{
	struct xroce_attach_opts opts = {
		.size = sizeof(opts),
		.debug = options.debug,
	};
	char error[512];
	int err, status;

	if (!s->dev) {
		status = dev_only(s->netdev);
		if (status)
			return status;
		s->dev = s->netdev;
	}
	s->server.netdev = s->dev;
	if (s->server.have_gid && if_nametoindex(s->dev) &&
	    !netaddr_has(s->dev, s->server.gid, error, sizeof(error)))
		return fail("gid-ip %s", error);
	s->server.x = xroce_open(s->dev);
	if (!s->server.x && errno == ENOENT) {
		err = xroce_attach(s->dev, &opts);
		if (err)
			return fail("link add dev %s: %s", s->dev, opts.error);
		s->attached = true;
		s->server.x = xroce_open(s->dev);
	}
	if (!s->server.x)
		return fail("dev %s: %s", s->dev, reason(-errno, NULL));
	return EXIT_OK;
}

static int open_file(struct serve *s)
{
	if (!s->path)
		return EXIT_OK;
	s->server.file = open(s->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (s->server.file < 0)
		return fail("file %s: %s", s->path, strerror(errno));
	return EXIT_OK;
}

/* Raise the soft limit to the hard limit. */
static void raise_limit(int resource)
{
	struct rlimit limit;

	if (!getrlimit(resource, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(resource, &limit);
	}
}

static void report_client(const char *name, const struct session_report *r)
{
	print_begin();
	print_str("client", name);
	print_str_or_null("region", *r->region ? r->region : NULL);
	print_hex("qpn", 6, r->qpn);
	print_num("qps", r->qps);
	print_num("mtu", r->mtu);
	print_num("packets", r->packets);
	print_num("bytes", r->bytes);
	print_num("tx", r->tx);
	print_num("tx_bytes", r->tx_bytes);
	print_num("duplicates", r->duplicates);
	print_num("naks", r->naks);
	if (r->cause)
		print_colored("cause", xroce_cause_str(r->cause), COLOR_BAD);
	print_str("result", r->result);
	print_end();
}

/* Take the sockets passed by systemd, or listen on the port. Return: an exit status. */
static int listen_somewhere(struct serve *s)
{
	int err = listener_take(&s->listener);

	if (err)
		return fail("sockets passed by systemd: %s",
			    err == -E2BIG ? "too many" :
			    err == -EINVAL ? "LISTEN_PID or LISTEN_FDS is invalid, or a socket is not a listening TCP socket" :
			    strerror(-err));
	if (s->listener.n)
		return EXIT_OK;
	err = listener_open(&s->listener, s->port);
	return err ? fail("port %u: %s", s->port, strerror(-err)) : EXIT_OK;
}

/*
 * Listen for rdma_cm on the port of the first socket. The link's verbs device is needed for each
 * client, and may be deleted and made again meanwhile. Return: an exit status.
 */
static int listen_cm(struct serve *s)
{
	struct xroce_link_query q = {};
	int err;

	if (!s->rdma_cm)
		return EXIT_OK;
	if (xroce_link_find(s->dev, &q) || !*q.verbs)
		return fail("rdma-cm: dev %s has no verbs device; add one with 'rdma link add NAME type xroce netdev %s'",
			    s->dev, s->dev);
	err = cm_listen(&s->cm, s->listener.port);
	if (err == -ENODEV)
		return fail("rdma-cm: the kernel has no rdma_cm for programs; load module rdma_ucm");
	if (err == -EPERM || err == -EACCES)
		return fail("rdma-cm: /dev/infiniband/rdma_cm: %s", strerror(-err));
	return err ? fail("rdma-cm port %u: %s", s->listener.port, strerror(-err)) : EXIT_OK;
}

/* Print that the server is ready, and notify systemd. */
static void report_listening(const struct serve *s)
{
	print_begin();
	print_str("listening", s->dev);
	print_num("port", s->listener.port);
	if (s->server.size)
		print_size("size", s->server.size);
	print_num("mtu", 128 << s->server.mtu);
	print_flag("rdma_cm", s->rdma_cm);
	print_flag("attached", s->attached);
	if (s->server.regions.n)
		regions_print(&s->server.regions);
	print_end();
	systemd_notify("READY=1");
}

static int listen_and_serve(struct serve *s)
{
	const struct sessions_opts opts = {
		.max = s->clients,
		.count = s->count,
		.report = report_client,
	};
	int status, mtu, err;
	__u32 pd;

	mtu = netaddr_mtu(s->dev);
	if (mtu < 0)
		return fail("dev %s: mtu: %s", s->dev, strerror(-mtu));
	s->server.mtu = mtu;
	if (s->server.regions.n) {
		err = xroce_pd_add(s->server.x, 0, &pd);
		if (err)
			return fail("dev %s: pd: %s", s->dev,
				    limit_reason(s->server.x, err, NULL,
						 &(struct wanted){ XROCE_COUNT_PD }));
		status = regions_open(&s->server.regions, s->server.x, pd);
		if (status)
			return status;
	}
	status = listen_somewhere(s);
	if (!status)
		status = listen_cm(s);
	if (status)
		return status;
	report_listening(s);
	err = sessions_serve(&s->server, &s->listener, &s->cm, &opts);
	systemd_notify("STOPPING=1");
	return err ? fail("port %u: %s", s->listener.port, strerror(-err)) :
		     EXIT_OK;
}

/* Serve with the options given. Return: an exit status. */
static int serve(struct serve *s)
{
	char error[XROCE_ERROR_MAX];
	int status;

	raise_limit(RLIMIT_MEMLOCK);
	raise_limit(RLIMIT_NOFILE);
	status = open_file(s);
	if (status)
		return status;
	status = open_link(s);
	if (!status)
		status = listen_and_serve(s);

	/* Closing the handle destroys all objects of the server. */
	xroce_close(s->server.x);
	if (regions_close(&s->server.regions))
		status = EXIT_ERROR;
	if (s->server.file >= 0)
		close(s->server.file);
	if (s->attached && dev_detach(s->dev, 0, error))
		status = fail("link del dev %s: %s", s->dev, error);
	return status;
}

int do_serve(int argc, char **argv)
{
	struct serve s = {
		.server.file = -1,
		.server.max_qps = 64,
		.server.lock = PTHREAD_MUTEX_INITIALIZER,
		.port = PERFTEST_PORT,
		.clients = 64,
		.timeout = 10,
	};
	int status, err;

	/* getopt(3) skips the first word: pass the noun, too. */
	status = take_options(&s, argc + 1, argv - 1);
	if (status >= 0)
		return status;

	err = peer_catch_signals();
	if (err)
		return fail("signals: %s", strerror(-err));
	status = serve(&s);
	peer_release_signals();
	return status;
}
