/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random requests on reliable connections between two verbs devices, and a model of the memory
 * of both ends and of the completions. One program has both ends.
 *
 * Flows use the two completion queues of their ends. The client sends most of the requests.
 */
#ifndef XROCE_VERBS_FLOW_H
#define XROCE_VERBS_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#define FLOWS		3	/* with different path MTUs */

/**
 * struct flow_path - the ends of all flows, and attributes
 * @client_dev: verbs device
 * @client_ip: its IPv4 address
 * @server_dev: likewise
 * @server_ip: likewise
 * @impaired: packets may have to be sent again
 * @timeout: code of the local ACK timeout
 * @retry: retry count
 */
struct flow_path {
	const char *client_dev;
	const char *client_ip;
	const char *server_dev;
	const char *server_ip;
	bool impaired;
	uint8_t timeout;
	uint8_t retry;
};

/* Open both devices and connect the queue pairs. Return: false and a failed check on error. */
bool flows_open(const struct flow_path *path);

/* Close all that is open. */
void flows_close(void);

/**
 * flows_run() - do random requests
 * @ops: how many
 *
 * Each is checked as soon as it is complete, and all memory at the end. Failures fail the test.
 */
void flows_run(uint32_t ops);

/* Post @n random requests, at most STREAM_DEPTH, to each flow; flows_run() waits for them. */
bool flows_post(uint32_t n);

/*
 * Fill the queues of all flows with requests that are never answered. The oldest one of each must
 * complete with IBV_WC_RETRY_EXC_ERR, and all others with IBV_WC_WR_FLUSH_ERR.
 */
void flows_silent(void);

/* Print numbers of the last flows_run(). */
void flows_note(void);

/* Has each operation that the ends support been requested? */
void flows_all(void);

#endif /* XROCE_VERBS_FLOW_H */
