// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random words for the command, derived from valid ones. The command is built with the
 * compiler's sanitizers. It may succeed or fail. It must not crash, fail without a message,
 * print control characters, or print invalid JSON.
 *
 * Without the module only parsing and lookups are exercised, as an unprivileged user.
 *
 * Environment: XROCE_FUZZ_COMMANDS is the number of commands, XROCE_SEED the seed.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <json-c/json.h>

#include "fuzz.h"
#include "live.h"
#include "setting.h"

#define COMMANDS	1000ul
#define COMMANDS_LIVE	250ul
#define WORDS		24
#define OUTPUT		(256u << 10)
#define NUMBERS		16u
#define PATIENCE	300	/* seconds until a command counts as hung */

/* main() of the command, renamed. */
int xroce_main(int argc, char **argv);

/* N is replaced by a number that an earlier command has printed. */
static const char *const seeds[] = {
	"link show", "link show dev x0",
	"link add dev x1 mode generic mpt 64 qp 16", "link del dev x1 force",
	"link reload dev x1", "link reload dev x0",
	"pd add dev x0", "pd add", "pd show", "pd del pd N",
	"mr add pd 1 name a access local-write,remote-write file /dev/shm/fuzz",
	"mr add pd 1 name \xff\xfe\x1b[31m access none file /dev/shm/fuzz offset 5",
	"mr add pd 1 name a\nb\"c access remote-read file /dev/shm/fuzz size 1",
	"mr add pd N access local-write pid 1 addr 0x1000 size 4K",
	"mr add pd 1 access none share N iova 0x7000000000000001",
	"mr change mr N access remote-read pd 1", "mr change mr N iova 1",
	"mr show", "mr show --mtt", "mr show -s", "mr show N", "mr del mr N",
	"mw show", "mw add pd 1 type 1", "mw add pd 1 type 2b",
	"mw bind mw N qpn N mr N access remote-read addr 0 size 1 key 1",
	"mw invalidate mw N", "mw del mw N",
	"qp show", "qp show qpn N", "qp add pd 1", "qp del qpn N",
	"qp modify qpn N state init access remote-write",
	"qp modify qpn N state rtr sgid 10.77.0.2 dgid 10.77.0.1 mtu 1024 dest-qpn 0x11 rq-psn 0",
	"qp modify qpn N state rtr sgid fd77::2 dgid fd77::1 tos 3 ttl 255 sport 0xc000",
	"qp modify qpn N state err", "mpt show", "mpt show index N",
	"mtt show", "stat show all", "stat show dev x0",
	"monitor count 1", "monitor dev x0", "monitor help",
	"serve --netdev x0 --port 1 --count 1 --size 4096",
	"serve --netdev x0 --gid-ip ::1 --max-qps 1 --timeout 1 --idle 1 -v",
	"serve --file /dev/shm/fuzz --size 1M", "help",
	"serve --clients 2 --count 1 --timeout 1 region a size 1M file /dev/shm/fuzz",
	"serve region a size 4097 iova 1 access remote-read,remote-write odp region b size 1",
	"mr help", "-V", "-h",
};

static const char *const words[] = {
	"", "0", "1", "-1", "255", "256", "65536", "16777216", "0x", "0xffffffff",
	"4294967296", "18446744073709551615", "18446744073709551616", "1K",
	"17179869184G", "1k2", "1.5", " 1", "none", "local-write,", ",",
	"local-write,local-write", "remote-write,remote-atomic,flush-global",
	"x0", "x1", "c0", "lo", "nosuchdev0", "fifteen-letters-", "dev", "pd", "mr",
	"mw", "qpn", "name", "access", "file", "phys", "pid", "addr", "size", "iova",
	"offset", "page-size", "share", "type", "2a", "key", "state", "rtr", "sqd",
	"sgid", "dgid", "::ffff:10.77.0.2", "10.77.0", "fd77::1%lo", "mtu", "4097",
	"all", "force", "index", "count", "show", "add", "del", "change", "bind",
	"--mtt", "-m", "-s", "-jp", "--json", "--json=1", "--no-such", "-Z", "-",
	"--", "/dev/null", "/dev/zero", "/", "/proc/self/mem", "%s%n%x", "'", "\"",
	"\\", "{", "\n", "\x7f", "\xc3\x28", "\xf4\x90\x80\x80",
};

static char *argv[WORDS + 2];
static int argc;
static char storage[WORDS + 2][1024];
static char output[2][OUTPUT + 1];
static int captured[2];
static unsigned long numbers[NUMBERS];
static unsigned long by_status[3], documents;
static bool live;

static void add_word(const char *text, size_t len)
{
	if (argc == WORDS || len >= sizeof(storage[0]))
		return;
	memcpy(storage[argc], text, len);
	storage[argc][len] = 0;
	argc++;
}

static void set_number(int i)
{
	snprintf(storage[i], sizeof(storage[i]), fuzz_once_in(2) ? "0x%lx" : "%lu",
		 numbers[rng_below(NUMBERS)]);
}

static void take_seed(const char *text, bool json)
{
	const char *end;

	argc = 0;
	add_word("xroce", 5);
	if (json)
		add_word("-j", 2);
	for (; *text; text = end + !!*end) {
		end = strchrnul(text, ' ');
		add_word(text, end - text);
		if (!strcmp(storage[argc - 1], "N"))
			set_number(argc - 1);
	}
}

static void move_words(int from, int to)
{
	memmove(storage[to], storage[from],
		(argc - (from > to ? from : to)) * sizeof(storage[0]));
}

static void change_word(int i)
{
	size_t len = strlen(storage[i]);

	switch (rng_below(7)) {
	case 0:
		if (argc > 3) {
			move_words(i + 1, i);
			argc--;
		}
		break;
	case 1:
		if (argc < WORDS) {
			move_words(i, i + 1);
			argc++;
		}
		break;
	case 2:
		if (len)
			storage[i][rng_below(len)] ^= 1u << rng_below(8);
		break;
	case 3:
		storage[i][rng_below(len + 1)] = 0;
		break;
	case 4:
		memset(storage[i], 'a' + rng_below(26), 1 + rng_below(1000));
		break;
	case 5:
		set_number(i);
		break;
	default:
		strcpy(storage[i], words[rng_below(ARRAY_SIZE(words))]);
	}
}

/* Replace huge sizes of tables: they are valid, but this machine's memory is too small. */
static void keep_small(void)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strtoul(storage[i], NULL, 0) > 65536 &&
		    storage[1 + !strcmp(storage[1], "-j")][0] == 'l')
			strcpy(storage[i], "64");
}

/* First all seeds unchanged, then random changes of them. */
static void make_command(unsigned long n, bool json)
{
	uint32_t changes = fuzz_once_in(2) ? 0 : 1 + rng_below(4);
	int i;

	if (n < ARRAY_SIZE(seeds))
		changes = 0;
	else
		n = rng_below(ARRAY_SIZE(seeds));
	take_seed(seeds[n], json);
	while (changes--)
		change_word(1 + json + rng_below(argc - 1 - json));
	keep_small();
	for (i = 0; i < argc; i++)
		argv[i] = storage[i];
	argv[argc] = NULL;
}

static bool lasts(bool json)
{
	char c = storage[1 + json][0];

	return c == 's' || c == 'm';
}

/* Return: the status of wait(2). */
static int run(bool json)
{
	pid_t pid;
	int i, status;

	for (i = 0; i < 2; i++) {
		check(!ftruncate(captured[i], 0), "truncate");
		lseek(captured[i], 0, SEEK_SET);
	}
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(captured[0], STDOUT_FILENO);
		dup2(captured[1], STDERR_FILENO);
		alarm(patience(PATIENCE));
		exit(xroce_main(argc, argv));
	}
	/* Commands that run until they are stopped get SIGTERM. */
	for (i = 0; lasts(json) && i < 50; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		usleep(2000);
	}
	if (lasts(json))
		kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	return status;
}

static void capture(int i)
{
	ssize_t n = pread(captured[i], output[i], OUTPUT, 0);

	output[i][n < 0 ? 0 : n] = 0;
}

/* Return: whether it is UTF-8 without control characters. */
static bool is_text(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	for (; *p; p++)
		if (iscntrl(*p) && *p != '\n' && *p != '\t')
			return false;
	return true;
}

/* Return: whether it is one or more JSON values, and nothing else. */
static bool is_json(const char *text)
{
	struct json_tokener *t = json_tokener_new();
	size_t len = strlen(text), at = 0;
	struct json_object *o = NULL;

	json_tokener_set_flags(t, JSON_TOKENER_STRICT |
				  JSON_TOKENER_ALLOW_TRAILING_CHARS |
				  JSON_TOKENER_VALIDATE_UTF8);
	while (at < len) {
		o = json_tokener_parse_ex(t, text + at, len - at);
		if (!o)
			break;
		documents++;
		json_object_put(o);
		at += json_tokener_get_parse_end(t);
		at += strspn(text + at, "\n");
	}
	json_tokener_free(t);
	return at == len;
}

/* Remember numbers that name objects: "qpn 0x9db0d", "mr": 5. */
static void learn(const char *text)
{
	const char *p = text;

	for (; *p; p++)
		if (isdigit(*p) && fuzz_once_in(8)) {
			numbers[rng_below(NUMBERS)] = strtoul(p, (char **)&p, 0);
			if (!*p)
				break;
		}
}

static void print_command(void)
{
	int i;
	char *p;

	printf("#");
	for (i = 0; i < argc; i++) {
		printf(" '");
		for (p = storage[i]; *p; p++)
			printf(isprint((unsigned char)*p) ? "%c" : "\\x%02x",
			       (unsigned char)*p);
		printf("'");
	}
	printf("\n# %.3000s\n# %.3000s\n", output[0], output[1]);
}

static void judge(bool json, int status)
{
	const char *out = output[0], *err = output[1];
	int code = WEXITSTATUS(status);

	capture(0);
	capture(1);
	if (WIFSIGNALED(status)) {
		check(WTERMSIG(status) == SIGTERM && lasts(json), "signal %d",
		      WTERMSIG(status));
		return;
	}
	if (!check(code <= 2, "exit status %d", code))
		return;
	by_status[code]++;
	/* "xroce feature" reports failure in its output. */
	if (code)
		check(*err || (code == 1 && strstr(out, "usable")),
		      "failed without a message");
	/*
	 * With several links, an object without a link is a usage error; the list was begun
	 * already.
	 */
	if (code == 2)
		check(!*out || !strcmp(out, "[]\n"),
		      "output after a usage error");
	check(is_text(out), "output is not text");
	/* Help and version are plain text, even with -j. */
	if (*out == '[' || *out == '{')
		check(is_json(out), "output is not JSON");
	learn(out);
}

static void make_file(void)
{
	int fd = open("/dev/shm/fuzz", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	check(fd >= 0 && !ftruncate(fd, 1 << 20), "file: %s", strerror(errno));
	close(fd);
}

/* Delete all links, which may be on any device, with objects. */
static void begin_anew(void)
{
	static const char *const devs[] = { LIVE_SPARE, "lo", "c0", "c1", LIVE_DEV };
	char error[XROCE_ERROR_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(devs); i++)
		xroce_detach(devs[i], XROCE_F_FORCE, error);
	check(!live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES),
	      "attach");
	live_check_idle(LIVE_DEV);
}

TEST(fuzz_cli, "U1", "random words: no crash, and text or JSON")
{
	unsigned long commands = setting("XROCE_FUZZ_COMMANDS",
					      live ? COMMANDS_LIVE : COMMANDS);
	unsigned long n;
	bool json;
	int i;

	fuzz_begin();
	for (i = 0; i < 2; i++) {
		captured[i] = memfd_create("output", MFD_CLOEXEC);
		check(captured[i] >= 0, "%s", strerror(errno));
	}
	if (live)
		make_file();
	for (n = 0; n < commands && !test_failed(); n++) {
		/* An earlier command may have deleted the link. */
		if (live && n % 64 == 0)
			xroce_attach(LIVE_DEV, &(struct xroce_attach_opts){
				.size = sizeof(struct xroce_attach_opts),
				.mpt_entries = LIVE_MPT_ENTRIES,
				.qp_entries = LIVE_QP_ENTRIES,
			});
		json = fuzz_once_in(2);
		make_command(n, json);
		judge(json, run(json));
	}
	if (test_failed())
		print_command();
	note("%lu succeeded, %lu failed, %lu usage errors; %lu JSON documents",
	     by_status[0], by_status[1], by_status[2], documents);
	check(by_status[0] && by_status[1] && by_status[2], "always the same");
	check(documents || !live, "no JSON");
	if (live)
		begin_anew();
}

/* Read by the sanitizers before main(). */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "exitcode=99:detect_leaks=0:allocator_may_return_null=1";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "exitcode=99:print_stacktrace=1";
}

static int run_tests(int argc, char **argv)
{
	live = getenv("XROCE_NET");
	if (live)
		return live_main_no_packets(argc, argv);
	if (!getuid() && (unshare(CLONE_NEWNET) || chdir("/") || setgid(65534) ||
			  setuid(65534)))
		return 1;
	return harness_main(argc, argv);
}

TEST_MAIN(run_tests);
