#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Divide the instructions that the plugin where.c has counted by function.

    where.py COUNTS KALLSYMS MESSAGES

COUNTS is the plugin's file, KALLSYMS a copy of the guest's /proc/kallsyms. Prints the instructions
of a message: by group, see GROUPS, and then for each function with half a percent or more. User
space is one function.
"""
import bisect
import re
import sys

# The first that fits: a name, and a pattern of "FUNCTION [MODULE]".
GROUPS = (
    ("user space", r"^user$"),
    ("BPF", r"^bpf_(prog|trampoline)_"),
    ("invariant CRC and copy", r"^(xr_clmul|xr_icrc|xr_vcopy|xr_crc|xr_copy|crc32|memcpy|"
                               r"rep_movs|copy_)"),
    ("vector registers", r"^(kernel_fpu|.*xsave|.*xrstor|.*fpregs|irq_fpu|restore_fp)"),
    ("kfuncs of xroce", r"^xroce_\w+ \[xroce\]"),
    ("xroce", r"\[xroce\]"),
    ("rxe", r"\[rdma_rxe\]"),
    ("system call, ib_core", r"\[(ib_\w+|xroce_ib|rdma_\w+)\]|^(entry_SYSCALL|do_syscall|ksys_|"
                             r"vfs_|x64_sys|__x64_sys|syscall_|fdget|__fget|fput)"),
    ("veth, NAPI, softirq", r"\[veth\]|^(napi|__napi|net_rx|net_tx|handle_softirqs|__do_softirq|"
                            r"do_softirq|dev_|__dev_|xdp_|__xdp|process_backlog|netif_|"
                            r"__netif|enqueue_to|tasklet|__local_bh|page_frag|skb_|__skb|"
                            r"kfree_skb|consume_skb|build_skb|__build_skb|eth_|ip_|ipv4_|__ip_|"
                            r"udp|__udp|sock_|nf_|fib|inet)"),
)


def functions(path):
    """Addresses of the functions in the order of /proc/kallsyms, sorted, and their names."""
    found = []
    with open(path, encoding="ascii", errors="replace") as f:
        for line in f:
            words = line.split()
            if words[1] in "tTwW":
                found.append((int(words[0], 16), " ".join([words[2]] + words[3:4])))
    found.sort()
    return [a for a, _ in found], [n for _, n in found]


def main(counts, kallsyms, messages):
    starts, names = functions(kallsyms)
    cost = {}
    with open(counts, encoding="ascii") as f:
        for line in f:
            address, n = line.split()
            address = int(address, 16)
            place = bisect.bisect_right(starts, address) - 1
            name = names[place] if address >> 63 and place >= 0 else "user"
            cost[name] = cost.get(name, 0) + int(n) / int(messages)
    total = sum(cost.values())
    groups = {}
    for name, n in cost.items():
        group = next((g for g, pattern in GROUPS if re.search(pattern, name)), "other")
        groups[group] = groups.get(group, 0) + n
    for group, n in sorted(groups.items(), key=lambda x: -x[1]):
        print("%-28s %8.0f" % (group, n))
    print("%-28s %8.0f\n" % ("all", total))
    for name, n in sorted(cost.items(), key=lambda x: -x[1]):
        if n >= total / 2000:
            print("%8.0f  %s" % (n, name))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
