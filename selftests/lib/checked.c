// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checked.h"
#include "clock.h"
#include "rng.h"
#include "setting.h"
#include "wire.h"

#define PATIENCE	100	/* seconds until a missing response is an error */
#define AGAIN_MS	60		/* until the request is sent again */
#define LONGEST		3000u		/* bytes of a READ: three packets */
#define PACKET		1024u

static struct wire w;
static uint8_t model[WIRE_BYTES];
static struct checked_seen *seen;

/* That the link is down or removed is no error of the sender. */
static void send_request(void)
{
	static struct frame frame;

	packet_build(&w.req, &frame);
	if (send(w.fd, frame.bytes, frame.len, 0) < 0)
		check(errno == ENETDOWN || errno == ENXIO || errno == ENOBUFS ||
		      errno == ENODEV, "send: %s", strerror(errno));
}

/* Compare one packet of a READ response. Return: its bytes; 0 after a failed check. */
static uint32_t take_piece(uint32_t at, uint32_t len, const struct packet *got,
			   const struct frame *bytes)
{
	bool middle = got->opcode == XROCE_RC_READ_RESPONSE_MIDDLE;
	const uint8_t *data = bytes->bytes + WIRE_DATA_OFF - (middle ? 4 : 0);
	uint64_t from = w.req.va - w.mr.iova + at;

	if (!check(got->payload && got->payload <= len - at, "%u bytes of %u",
		   got->payload, len - at) ||
	    !check(!memcmp(data, model + from, got->payload),
		   "READ of %u bytes at %#llx differs from the model", len,
		   (unsigned long long)from))
		return 0;
	return got->payload;
}

/*
 * Take the response to the request. Return: 1: it is complete; 0: it is not complete in
 * time; -1: it is wrong.
 */
static int take_answer(void)
{
	bool read = w.req.opcode == XROCE_RC_READ_REQUEST;
	uint32_t at = 0, psn = w.req.psn, n;
	static struct frame bytes;
	struct packet got;
	uint64_t word;

	while (wire_take(&w, AGAIN_MS, &got, &bytes)) {
		/* A request that was sent twice can get two responses. */
		if (got.psn != psn)
			continue;
		if (!check(got.syndrome == XROCE_SYN_ACK ||
			   got.opcode == XROCE_RC_READ_RESPONSE_MIDDLE,
			   "opcode %#x at %#llx: syndrome %#x", w.req.opcode,
			   (unsigned long long)w.req.va, got.syndrome))
			return -1;
		if (!read) {
			memcpy(&word, model + (w.req.va - w.mr.iova), 8);
			word -= w.req.opcode == XROCE_RC_FETCH_ADD ?
				w.req.swap : 0;
			return w.req.opcode != XROCE_RC_FETCH_ADD ||
			       check(got.orig == word, "FETCH_ADD finds %#llx, not %#llx",
				     (unsigned long long)got.orig,
				     (unsigned long long)word) ? 1 : -1;
		}
		n = take_piece(at, w.req.dmalen, &got, &bytes);
		if (!n)
			return -1;
		at += n;
		psn = (psn + 1) & XROCE_PSN_MASK;
		if (at == w.req.dmalen)
			return 1;
	}
	return test_failed() ? -1 : 0;
}

/* Choose the next request and apply it to the model. Return: number of PSNs it uses. */
static uint32_t choose(void)
{
	static const uint8_t ops[] = {
		XROCE_RC_WRITE_ONLY, XROCE_RC_READ_REQUEST, XROCE_RC_FETCH_ADD,
	};
	struct packet *req = &w.req;
	uint32_t len, off, i;
	uint64_t word;

	req->opcode = ops[rng_below(3)];
	req->rkey = w.mr.rkey;
	req->payload = 0;
	req->pad = 0;
	if (req->opcode == XROCE_RC_FETCH_ADD) {
		off = rng_below(WIRE_BYTES / 8) * 8;
		req->swap = rng_next();
		memcpy(&word, model + off, 8);
		word += req->swap;
		memcpy(model + off, &word, 8);
		req->va = w.mr.iova + off;
		return 1;
	}
	len = 1 + rng_below(req->opcode == XROCE_RC_READ_REQUEST ? LONGEST :
								   PACKET);
	off = rng_below(WIRE_BYTES - len);
	req->va = w.mr.iova + off;
	req->dmalen = len;
	if (req->opcode == XROCE_RC_READ_REQUEST)
		return (len + PACKET - 1) / PACKET;
	req->payload = len;
	req->pad = -len & 3;
	req->pattern = rng_next();
	for (i = 0; i < len; i++)
		model[off + i] = packet_pattern(req->pattern, i);
	return 1;
}

/* Compare memory with the model, or with @was where a request may not be executed yet. */
static void compare(const uint8_t *was)
{
	uint32_t i;

	for (i = 0; i < WIRE_BYTES; i++)
		if ((uint8_t)w.mem[i] != model[i] &&
		    (!was || (uint8_t)w.mem[i] != was[i]))
			break;
	check(i == WIRE_BYTES, "byte %#x is %#x, not %#x", i,
	      (uint8_t)w.mem[i % WIRE_BYTES], model[i % WIRE_BYTES]);
}

/* Send a request until it is answered. Return: whether to continue. */
static bool step(void)
{
	static uint8_t was[WIRE_BYTES];
	uint32_t packets;
	double end;
	int ret;

	memcpy(was, model, sizeof(was));
	packets = choose();
	end = clock_now() + patience(PATIENCE);
	for (;;) {
		send_request();
		ret = take_answer();
		if (ret)
			break;
		seen->again++;
		if (__atomic_load_n(&seen->stop, __ATOMIC_ACQUIRE)) {
			/* It may or may not have been executed. */
			compare(was);
			return false;
		}
		if (!check(clock_now() < end, "no answer to opcode %#x",
			   w.req.opcode))
			return false;
	}
	if (ret < 0)
		return false;
	compare(NULL);
	w.req.psn = (w.req.psn + packets) & XROCE_PSN_MASK;
	__atomic_fetch_add(&seen->done, 1, __ATOMIC_RELEASE);
	return !test_failed() && !__atomic_load_n(&seen->stop, __ATOMIC_ACQUIRE);
}

static void run(const char *dev, const char *from)
{
	const struct wire_opts opts = {
		.dev = dev,
		.from = from,
		.beside = true,
	};
	bool open = wire_open(&w, &opts);

	rng_seed(getpid());
	if (open) {
		seen->ready = true;
		while (step())
			;
		wire_close(&w);
	}
	__atomic_store_n(&seen->failed, !open || test_failed(), __ATOMIC_RELEASE);
}

bool checked_start(struct checked *c, const char *dev, const char *from)
{
	c->seen = mmap(NULL, sizeof(*c->seen), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!check(c->seen != MAP_FAILED, "%s", strerror(errno)))
		return false;
	fflush(stdout);
	c->pid = fork();
	if (!c->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		seen = c->seen;
		run(dev, from);
		fflush(stdout);
		_exit(0);
	}
	return checked_goes_on(c, 3);
}

struct wanted {
	struct checked *c;
	__u64 done;
};

static bool has_done(void *arg)
{
	struct wanted *n = arg;

	return __atomic_load_n(&n->c->seen->done, __ATOMIC_ACQUIRE) >= n->done ||
	       __atomic_load_n(&n->c->seen->failed, __ATOMIC_ACQUIRE);
}

bool checked_goes_on(struct checked *c, __u64 n)
{
	struct wanted want = {
		c, __atomic_load_n(&c->seen->done, __ATOMIC_ACQUIRE) + n,
	};

	return check(live_wait(has_done, &want), "no response after %llu requests",
		     (unsigned long long)c->seen->done) &&
	       check(!c->seen->failed, "an error after %llu requests",
		     (unsigned long long)c->seen->done);
}

__u64 checked_stop(struct checked *c)
{
	__u64 sent;

	__atomic_store_n(&c->seen->stop, true, __ATOMIC_RELEASE);
	waitpid(c->pid, NULL, 0);
	check(!c->seen->failed, "an error after %llu requests",
	      (unsigned long long)c->seen->done);
	note("%llu requests, %llu sent again", (unsigned long long)c->seen->done,
	     (unsigned long long)c->seen->again);
	sent = c->seen->done + c->seen->again;
	munmap(c->seen, sizeof(*c->seen));
	return sent;
}
