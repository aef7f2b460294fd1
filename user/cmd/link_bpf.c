// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The BPF side of a link: its program and maps, found by their pins. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "link.h"
#include "options.h"
#include "print.h"

#define MAPS_MAX	64

#define PIN_DIR_MAX	(sizeof(XROCE_PIN_DIR "/") + XROCE_PIN_DIR_MAX)

/* @pins: path of the directory. Return: a descriptor, or a negative value. */
static int open_pin(const char *pins, const char *name)
{
	char path[PIN_DIR_MAX + 8];

	snprintf(path, sizeof(path), "%s/%s", pins, name);
	return bpf_obj_get(path);
}

/*
 * Find the directory of the device's pins and query the BPF link in it. Return: true if the
 * BPF link is attached to the device.
 */
static bool find_pins(const char *dev, __u32 ifindex, char pins[PIN_DIR_MAX],
		      struct bpf_link_info *info)
{
	char dir[XROCE_PIN_DIR_MAX];
	__u32 len = sizeof(*info);
	bool found;
	int fd;

	xroce_pin_dir(dev, ifindex, dir);
	snprintf(pins, PIN_DIR_MAX, "%s/%s", XROCE_PIN_DIR, dir);
	fd = open_pin(pins, "link");
	if (fd < 0)
		return false;
	memset(info, 0, sizeof(*info));
	found = !bpf_obj_get_info_by_fd(fd, info, &len) &&
		info->xdp.ifindex == ifindex;
	close(fd);
	return found;
}

/* Query the pinned program. Return: whether this succeeded. */
static bool prog_info(const char *pins, struct bpf_prog_info *info)
{
	__u32 len = sizeof(*info);
	int fd = open_pin(pins, "prog");
	bool got;

	if (fd < 0)
		return false;
	got = !bpf_obj_get_info_by_fd(fd, info, &len);
	close(fd);
	return got;
}

/* @since: nanoseconds of CLOCK_BOOTTIME. */
static void print_loaded(__u64 since)
{
	struct timespec now, boot;
	struct tm tm;
	char text[32];
	time_t when;

	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	when = now.tv_sec - boot.tv_sec + since / 1000000000;
	if (!localtime_r(&when, &tm))
		return;
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S%z", &tm);
	print_str("loaded", text);
}

void link_bpf_print(const char *dev, __u32 ifindex)
{
	struct bpf_prog_info prog = {};
	struct bpf_link_info link;
	char pins[PIN_DIR_MAX];

	if (!find_pins(dev, ifindex, pins, &link))
		return;
	print_num("prog", link.prog_id);
	if (prog_info(pins, &prog))
		print_str("prog_name", prog.name);
	print_num("bpf_link", link.id);
	print_str("pins", pins);
}

static const char *map_type(__u32 type)
{
	switch (type) {
	case BPF_MAP_TYPE_ARRAY:
		return "array";
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return "percpu_array";
	case BPF_MAP_TYPE_RINGBUF:
		return "ringbuf";
	}
	return "other";
}

/* Memory of a map in bytes, as the kernel reports it, or 0. */
static __u64 map_memory(int fd)
{
	unsigned long long bytes = 0;
	char path[64], text[128];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(text, sizeof(text), f))
		if (sscanf(text, "memlock: %llu", &bytes) == 1)
			break;
	fclose(f);
	return bytes;
}

static void print_details(const struct bpf_map_info *map, int fd)
{
	print_begin();
	print_str("name", map->name);
	print_num("id", map->id);
	print_str("type", map_type(map->type));
	print_num("value_size", map->value_size);
	print_num("max_entries", map->max_entries);
	print_size("memory", map_memory(fd));
	print_end();
}

static void print_name(const struct bpf_map_info *map, int fd)
{
	(void)fd;
	print_num(map->name, map->id);
}

static void print_maps(const __u32 *ids, __u32 n,
		       void (*print)(const struct bpf_map_info *map, int fd))
{
	struct bpf_map_info map;
	__u32 i, len;
	int fd;

	for (i = 0; i < n; i++) {
		fd = bpf_map_get_fd_by_id(ids[i]);
		if (fd < 0)
			continue;
		memset(&map, 0, sizeof(map));
		len = sizeof(map);
		if (!bpf_obj_get_info_by_fd(fd, &map, &len))
			print(&map, fd);
		close(fd);
	}
}

static int by_number(const void *a, const void *b)
{
	__u32 x = *(const __u32 *)a, y = *(const __u32 *)b;

	return x < y ? -1 : x > y;
}

void link_bpf_print_maps(const char *dev, __u32 ifindex)
{
	__u32 ids[MAPS_MAX] = {};
	struct bpf_prog_info prog = {
		.nr_map_ids = MAPS_MAX,
		.map_ids = (__u64)(unsigned long)ids,
	};
	struct bpf_link_info link;
	char pins[PIN_DIR_MAX], tag[2 * BPF_TAG_SIZE + 1];
	size_t i;

	if (!find_pins(dev, ifindex, pins, &link) || !prog_info(pins, &prog))
		return;
	if (prog.nr_map_ids > MAPS_MAX)
		prog.nr_map_ids = MAPS_MAX;
	/* Sort by number, which is the order in which the maps were made. */
	qsort(ids, prog.nr_map_ids, sizeof(ids[0]), by_number);
	print_inner_begin("maps");
	print_maps(ids, prog.nr_map_ids, print_name);
	print_inner_end();
	if (!options.details)
		return;
	for (i = 0; i < BPF_TAG_SIZE; i++)
		sprintf(tag + 2 * i, "%02x", prog.tag[i]);
	print_inner_begin("program");
	print_num("id", prog.id);
	print_str("name", prog.name);
	print_str("tag", tag);
	print_loaded(prog.load_time);
	print_num("uid", prog.created_by_uid);
	print_num("instructions", prog.xlated_prog_len / 8);
	print_num("jited", prog.jited_prog_len);
	print_num("verified", prog.verified_insns);
	print_inner_end();
	print_array_begin("map_details", "map");
	print_maps(ids, prog.nr_map_ids, print_details);
	print_array_end();
}
