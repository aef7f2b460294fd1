// SPDX-License-Identifier: GPL-2.0-only
#include <json-c/json.h>

#include "handshake_lines.h"
#include "harness.h"

#define VERSION	"xroce: must be 1"
#define QPN	"qpn: must be a number from 0 to 16777215"
#define PSN	"psn: must be a number from 0 to 16777215"
#define GID	"gid: must be an IPv4 or IPv6 address"
#define MTU	"mtu: must be 256, 512, 1024, 2048 or 4096"
#define REGION	"region: must be a text of 1 to 31 bytes"
#define JSON	"not an object of JSON, in one line"
#define NUMBER	"a number is malformed or too large"

/* An integer of more than 64 bits: json-c before 0.18 takes the nearest that fits. */
#if JSON_C_VERSION_NUM < (18 << 8)
#define LARGE_QPN	QPN
#else
#define LARGE_QPN	NUMBER
#endif

/* What is needed, for lines that have something else as well. */
#define NEEDED	"{\"xroce\":1,\"qpn\":17,\"psn\":5,\"gid\":\"10.77.0.1\""
/* Without the one. */
#define NO_QPN	"{\"xroce\":1,\"psn\":5,\"gid\":\"10.77.0.1\""
#define NO_PSN	"{\"xroce\":1,\"qpn\":17,\"gid\":\"10.77.0.1\""
#define NO_GID	"{\"xroce\":1,\"qpn\":17,\"psn\":5"

const struct handshake_line handshake_lines[] = {
	{ NEEDED "}", NULL },
	{ NEEDED ",\"region\":\"buffer\"}", NULL },
	{ NEEDED ",\"mtu\":256,\"region\":\"b\"}", NULL },
	{ NEEDED ",\"mtu\":4096}", NULL },
	{ NEEDED ",\"region\":\"1234567890123456789012345678901\"}", NULL },
	{ " \t" NEEDED " }\r", NULL },
	{ NO_GID ",\"gid\":\"::ffff:10.77.0.1\"}", NULL },
	{ NO_GID ",\"gid\":\"fd77::1\"}", NULL },
	{ NO_QPN ",\"qpn\":16777215}", NULL },
	{ NO_PSN ",\"psn\":0}", NULL },
	{ "{\"gid\":\"10.77.0.1\",\"psn\":5,\"qpn\":17,\"xroce\":1}", NULL },
	{ "{\"\\u0078roce\":1,\"qpn\":17,\"psn\":5,\"gid\":\"10.77.0.1\"}", NULL },

	{ "{}", "xroce is missing" },
	{ NO_QPN "}", "qpn is missing" },
	{ NO_PSN "}", "psn is missing" },
	{ NO_GID "}", "gid is missing" },
	{ "{\"qpn\":17,\"psn\":5,\"gid\":\"10.77.0.1\"}", "xroce is missing" },
	{ "{\"xroce\":2,\"qpn\":17,\"psn\":5,\"gid\":\"10.77.0.1\"}", VERSION },
	{ "{\"xroce\":true}", VERSION },
	{ "{\"xroce\":\"1\"}", VERSION },
	{ "{\"xroce\":1.0}", VERSION },
	{ "{\"xroce\":null}", VERSION },
	{ NO_QPN ",\"qpn\":-1}", QPN },
	{ NO_QPN ",\"qpn\":16777216}", QPN },
	{ NO_QPN ",\"qpn\":99999999999999999999999999}", LARGE_QPN },
	{ NO_QPN ",\"qpn\":-99999999999999999999999999}", LARGE_QPN },
	{ NO_QPN ",\"qpn\":17.5}", QPN },
	{ NO_QPN ",\"qpn\":1e3}", QPN },
	{ NO_QPN ",\"qpn\":\"17\"}", QPN },
	{ NO_QPN ",\"qpn\":[17]}", QPN },
	{ NO_QPN ",\"qpn\":{}}", QPN },
	{ NO_PSN ",\"psn\":16777216}", PSN },
	{ NO_PSN ",\"psn\":null}", PSN },
	{ NO_PSN ",\"psn\":false}", PSN },
	{ NO_GID ",\"gid\":\"\"}", GID },
	{ NO_GID ",\"gid\":\"10.77.0\"}", GID },
	{ NO_GID ",\"gid\":\"10.77.0.1\\u0000\"}", GID },
	{ NO_GID ",\"gid\":\"fd77::1%c0\"}", GID },
	{ NO_GID ",\"gid\":\"1111:2222:3333:4444:5555:6666:7777:8888:9999\"}", GID },
	{ NO_GID ",\"gid\":10}", GID },
	{ NEEDED ",\"mtu\":0}", MTU },
	{ NEEDED ",\"mtu\":5}", MTU },
	{ NEEDED ",\"mtu\":1500}", MTU },
	{ NEEDED ",\"mtu\":8192}", MTU },
	{ NEEDED ",\"mtu\":-256}", MTU },
	{ NEEDED ",\"mtu\":\"1024\"}", MTU },
	{ NEEDED ",\"region\":\"\"}", REGION },
	{ NEEDED ",\"region\":7}", REGION },
	{ NEEDED ",\"region\":null}", REGION },
	{ NEEDED ",\"region\":[\"buffer\"]}", REGION },
	{ NEEDED ",\"region\":\"12345678901234567890123456789012\"}", REGION },
	{ NEEDED ",\"region\":\"b\\u0000\"}", REGION },
	{ NEEDED ",\"Region\":\"buffer\"}", "a member that is not known" },
	{ NEEDED ",\"\":1}", "a member that is not known" },
	{ NEEDED ",\"rkey\":1}", "a member that is not known" },

	{ "{", JSON },
	{ NEEDED, JSON },
	{ NEEDED ",}", JSON },
	{ NEEDED "}}", JSON },
	{ NEEDED "} {}", JSON },
	{ NEEDED "}x", JSON },
	{ NEEDED " // comment\t}", JSON },
	{ NEEDED ",\"region\":'buffer'}", JSON },
	{ NEEDED ",\"region\":\"\xff\"}", JSON },
	{ NEEDED ",\"region\":[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]}", JSON },
	{ NEEDED ",\"region\":{\"a\":{\"a\":{\"a\":{}}}}}", JSON },
	{ NEEDED ",\"mtu\":}", JSON },
	{ NEEDED ",\"mtu\":01024}", NUMBER },
	{ NEEDED ",\"mtu\":0x400}", NUMBER },
	{ "{\"xroce\":1 \"qpn\":17}", JSON },
	{ "{xroce:1}", JSON },
	{ "{{}}", JSON },
};

const size_t handshake_lines_count = ARRAY_SIZE(handshake_lines);
