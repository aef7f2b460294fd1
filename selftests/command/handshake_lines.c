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
#define MEMBER	": no such member; the members are xroce, qpn, psn, gid, mtu and region"
#define HOST	"gid: must be a host's address (this is "
#define JSON	"not a JSON object in one line"
#define NUMBER	"a number is malformed or too large"

/* An integer of more than 64 bits: json-c before 0.18 clamps it. */
#if JSON_C_VERSION_NUM < (18 << 8)
#define LARGE_QPN	QPN
#else
#define LARGE_QPN	NUMBER
#endif

/* The mandatory members, for lines that also have others. */
#define NEEDED	"{\"xroce\":1,\"qpn\":17,\"psn\":5,\"gid\":\"10.77.0.1\""
/* Without one of them. */
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

	{ "{}", "xroce, qpn, psn, gid: missing" },
	{ "{\"gid\":\"10.77.0.1\",\"xroce\":1}", "qpn, psn: missing" },
	{ NO_QPN "}", "qpn: missing" },
	{ NO_PSN "}", "psn: missing" },
	{ NO_GID "}", "gid: missing" },
	{ "{\"qpn\":17,\"psn\":5,\"gid\":\"10.77.0.1\"}", "xroce: missing" },
	{ "{\"xroce\":2,\"qpn\":17,\"psn\":5,\"gid\":\"10.77.0.1\"}", VERSION ", not 2" },
	{ "{\"xroce\":true}", VERSION ", not true" },
	{ "{\"xroce\":\"1\"}", VERSION ", not \"1\"" },
	{ "{\"xroce\":1.0}", VERSION ", not 1.0" },
	{ "{\"xroce\":null}", VERSION ", not null" },
	{ NO_QPN ",\"qpn\":-1}", QPN ", not -1" },
	{ NO_QPN ",\"qpn\":16777216}", QPN ", not 16777216" },
	{ NO_QPN ",\"qpn\":99999999999999999999999999}", LARGE_QPN },
	{ NO_QPN ",\"qpn\":-99999999999999999999999999}", LARGE_QPN },
	{ NO_QPN ",\"qpn\":17.5}", QPN ", not 17.5" },
	{ NO_QPN ",\"qpn\":1e3}", QPN ", not 1e3" },
	{ NO_QPN ",\"qpn\":\"17\"}", QPN ", not \"17\"" },
	{ NO_QPN ",\"qpn\":[17]}", QPN ", not [17]" },
	{ NO_QPN ",\"qpn\":{}}", QPN ", not {}" },
	{ NO_PSN ",\"psn\":16777216}", PSN ", not 16777216" },
	{ NO_PSN ",\"psn\":null}", PSN ", not null" },
	{ NO_PSN ",\"psn\":false}", PSN ", not false" },
	{ NO_GID ",\"gid\":\"\"}", GID ", not \"\"" },
	{ NO_GID ",\"gid\":\"10.77.0\"}", GID ", not \"10.77.0\"" },
	{ NO_GID ",\"gid\":\"10.77.0.1\\u0000\"}", GID ", not \"10.77.0.1\\u0000\"" },
	{ NO_GID ",\"gid\":\"fd77::1%c0\"}", GID ", not \"fd77::1%c0\"" },
	{ NO_GID ",\"gid\":\"1111:2222:3333:4444:5555:6666:7777:8888:9999\"}", GID ", not \"1111:2222:3333:4444:5555:6666:7777:8888..." },
	{ NO_GID ",\"gid\":\"224.0.0.1\"}", HOST "a multicast address), not \"224.0.0.1\"" },
	{ NO_GID ",\"gid\":\"0.0.0.0\"}", HOST "an unspecified address), not \"0.0.0.0\"" },
	{ NO_GID ",\"gid\":\"255.255.255.255\"}",
	  HOST "the broadcast address), not \"255.255.255.255\"" },
	{ NO_GID ",\"gid\":\"127.0.0.1\"}", HOST "a loopback address), not \"127.0.0.1\"" },
	{ NO_GID ",\"gid\":\"::\"}", HOST "an unspecified address), not \"::\"" },
	{ NO_GID ",\"gid\":\"::1\"}", HOST "a loopback address), not \"::1\"" },
	{ NO_GID ",\"gid\":\"ff02::1\"}", HOST "a multicast address), not \"ff02::1\"" },
	{ NO_GID ",\"gid\":\"::10.77.0.1\"}",
	  HOST "IPv4 without ::ffff: before it), not \"::10.77.0.1\"" },
	{ NO_GID ",\"gid\":\"::ffff:224.0.0.1\"}",
	  HOST "a multicast address), not \"::ffff:224.0.0.1\"" },
	{ NO_GID ",\"gid\":10}", GID ", not 10" },
	{ NEEDED ",\"mtu\":0}", MTU ", not 0" },
	{ NEEDED ",\"mtu\":5}", MTU ", not 5" },
	{ NEEDED ",\"mtu\":1500}", MTU ", not 1500" },
	{ NEEDED ",\"mtu\":8192}", MTU ", not 8192" },
	{ NEEDED ",\"mtu\":-256}", MTU ", not -256" },
	{ NEEDED ",\"mtu\":\"1024\"}", MTU ", not \"1024\"" },
	{ NEEDED ",\"region\":\"\"}", REGION ", not \"\"" },
	{ NEEDED ",\"region\":7}", REGION ", not 7" },
	{ NEEDED ",\"region\":null}", REGION ", not null" },
	{ NEEDED ",\"region\":[\"buffer\"]}", REGION ", not [\"buffer\"]" },
	{ NEEDED ",\"region\":\"12345678901234567890123456789012\"}", REGION ", not \"12345678901234567890123456789012\"" },
	{ NEEDED ",\"region\":\"b\\u0000\"}", REGION ", not \"b\\u0000\"" },
	{ NEEDED ",\"Region\":\"buffer\"}", "\"Region\"" MEMBER },
	{ NEEDED ",\"\":1}", "\"\"" MEMBER },
	{ NEEDED ",\"rkey\":1}", "\"rkey\"" MEMBER },

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
