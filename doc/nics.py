#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the tables of nics.md from the sources of Linux.

    nics.py SOURCE...             print them
    nics.py -w PAGE SOURCE...     write them into PAGE, between its two marks

SOURCE is the top directory of an unpacked kernel source tree; older trees come first. Nothing
is compiled or run. The features of a driver are found by searching its files for names. The
descriptions in DRIVERS were written by a person who read the source, and each has a regular
expression for the code that it describes. If a tree has the driver but no match, the
description is marked with the version of the tree, and the exit status is 1: the source has
to be read again.
"""
import os
import re
import sys

ETH = "drivers/net/ethernet/"

# Name; files and folders; transmit queues of XDP_TX, and a proof; conditions for attaching a
# program, and a proof. A proof is a regular expression; it can match across lines.
DRIVERS = [
    ("veth", ["drivers/net/veth.c"],
     "a receive ring of the peer, by CPU number; without an XDP program at the peer the module sends all responses",
     r"rq = &rcv_priv->rq\[veth_select_rxq\(rcv\)\]",
     "as many receive queues as the peer has transmit queues",
     r"real_num_rx_queues < peer->real_num_tx_queues"),
    ("virtio_net", ["drivers/net/virtio_net.c"],
     "one more queue for each possible CPU; if the device has too few, the stack's queues, "
     "under their locks",
     r"xdp_qp = nr_cpu_ids;.*slower locked tx mode",
     "guest offloads that can be turned off (`VIRTIO_NET_F_CTRL_GUEST_OFFLOADS`)",
     r"Can't set XDP while host is implementing GRO_HW/CSUM"),
    ("mlx5", [ETH + "mellanox/mlx5/core"],
     "a queue of the receiving channel; `ndo_xdp_xmit` works only on CPUs whose number is "
     "below the number of channels",
     r"sq_num >= priv->channels.num",
     "LRO and HW-GRO off",
     r"can't set XDP while HW-GRO/LRO is on"),
    ("mlx4", [ETH + "mellanox/mlx4"],
     "one more ring for each receive ring",
     r"xdp_ring_num = prog \? priv->rx_ring_num : 0",
     "an MTU that fits one buffer",
     r"mtu > MLX4_EN_MAX_XDP_MTU"),
    ("i40e", [ETH + "intel/i40e"],
     "one more queue for each queue pair; `ndo_xdp_xmit` works only on CPUs whose number is "
     "below the number of queue pairs",
     r"queue_index >= vsi->num_queue_pairs",
     None, None),
    ("ice", [ETH + "intel/ice"],
     "one more queue for each possible CPU; if there are fewer, they are shared under a lock",
     r"if \(vsi->num_xdp_txq < cpus\)\s*static_branch_inc\(&ice_xdp_locking_key\)",
     "free queues for half of the possible CPUs",
     r"if \(avail < cpus / 2\)\s*return -ENOMEM"),
    ("ixgbe", [ETH + "intel/ixgbe"],
     "one more queue for each possible CPU, at most 64; more CPUs share them under a lock",
     r"IXGBE_MAX_FDIR_INDICES\s+63.*queues = min_t\(int, IXGBE_MAX_XDP_QS, nr_cpu_ids\)",
     "at most 128 possible CPUs; no SR-IOV, DCB or LRO; an MTU that fits one buffer",
     r"IXGBE_FLAG_SRIOV_ENABLED\)\s*return -EINVAL;\s*if \(adapter->flags & "
     r"IXGBE_FLAG_DCB_ENABLED\).*ring_is_rsc_enabled.*frame_size > ixgbe_rx_bufsz"
     r".*nr_cpu_ids > IXGBE_MAX_XDP_QS \* 2"),
    ("ixgbevf", [ETH + "intel/ixgbevf"],
     "one more queue for each receive queue",
     r"num_xdp_queues = adapter->xdp_prog \? rss : 0",
     "an MTU that fits one buffer",
     r"frame_size > ixgbevf_rx_bufsz"),
    ("igb", [ETH + "intel/igb"],
     "the stack's queues, by CPU number, under their locks",
     r"r_idx = r_idx % adapter->num_tx_queues",
     "an MTU that fits one buffer",
     r"frame_size > igb_rx_bufsz"),
    ("igc", [ETH + "intel/igc"],
     "the stack's queues, by CPU number, under their locks",
     r"while \(index >= adapter->num_tx_queues\)",
     "an MTU of at most 1500",
     r"dev->mtu > ETH_DATA_LEN"),
    ("idpf", [ETH + "intel/idpf", ETH + "intel/libeth", "include/net/libeth/xdp.h"],
     "one more queue for each possible CPU or receive queue, whichever are more; if there "
     "are fewer, they are shared under a lock",
     r"min\(max\(nr_cpu_ids, rxq\), max - txq\)",
     "transmit queues that the stack does not use",
     r"No Tx queues available for XDP"),
    ("bnxt", [ETH + "broadcom/bnxt"],
     "one more ring for each receive ring",
     r"tx_xdp = bp->rx_nr_rings",
     "combined channels (`ethtool -L DEV combined N`), and free transmit rings",
     r"channels must be combined to support XDP.*Unable to reserve enough TX rings"),
    ("ena", [ETH + "amazon/ena"],
     "one more queue for each queue pair, under its lock",
     r"xdp_num_queues = adapter->num_io_queues",
     "at most half of the device's queues in use; an MTU that fits one page",
     r"channel count should be at most half of the maximum allowed channel count"),
    ("gve", [ETH + "google/gve"],
     "one more queue for each receive queue",
     r"num_xdp_(queues|rings)",
     "as many receive as transmit queues, at most half of the device's maximum; no LRO or "
     "HW-GRO; an MTU that fits one buffer of 2 KiB",
     r"should be less than or equal to half the maximum number of RX/TX queues"),
    ("mana", [ETH + "microsoft/mana", "include/net/mana/mana.h"],
     "the stack's queues, with a socket buffer, under their locks",
     r"rc = mana_start_xmit\(skb, ndev\)",
     "an MTU that fits one page",
     r"MANA_XDP_MTU_MAX.*PAGE_SIZE - MANA_RXBUF_PAD"),
    ("netvsc", ["drivers/net/hyperv"],
     "the stack's queues, with a socket buffer",
     r"rc = netvsc_xmit\(skb, ndev, true\)",
     "an MTU that fits one page; LRO off",
     r"buf_max > PAGE_SIZE.*not support LRO"),
    ("nfp", [ETH + "netronome/nfp"],
     "one more ring for each receive ring",
     r"num_tx_rings \+= prog \? nn->dp.num_rx_rings",
     "free transmit rings; an MTU that fits one page",
     r"MTU too large w/ XDP enabled.*Insufficient number of TX rings w/ XDP enabled"),
    ("qede", [ETH + "qlogic/qede"],
     "one more queue for each receive queue",
     r"smp_processor_id\(\) % edev->total_xdp_queues",
     None, None),
    ("sfc", [ETH + "sfc"],
     "one more queue for each possible CPU; if there are fewer, they are shared, or the "
     "stack's queues are used, under locks",
     r"n_xdp_tx = num_possible_cpus\(\);.*EFX_XDP_TX_QUEUES_BORROWED",
     "an MTU that fits one buffer",
     r"Unable to configure XDP with MTU of"),
    ("nicvf (ThunderX)", [ETH + "cavium/thunder"],
     "one more queue for each receive queue",
     r"xdp_tx_queues = nic->rx_queues",
     "free transmit queues; an MTU of at most 1508",
     r"MAX_XDP_MTU\s+\(1530 - ETH_HLEN - VLAN_HLEN \* 2\).*Failed to attach BPF prog, RXQs"),
    ("octeontx2", [ETH + "marvell/octeontx2/nic"],
     "one more queue for each receive queue; `ndo_xdp_xmit` uses the queue with the CPU's "
     "number without checking that it exists: have a receive queue for each CPU",
     r"int qidx = smp_processor_id\(\);.{0,300}qidx \+= pf->hw.tx_queues;\s*sq = pf->xdp_prog"
     r".*hw.xdp_queues = pf->hw.rx_queues",
     "an MTU of at most about 1500",
     r"MAX_XDP_MTU\s+\(1530 - OTX2_ETH_HLEN\)"),
    ("mvneta", [ETH + "marvell/mvneta.c"],
     "the stack's queues, by CPU number, under their locks",
     r"txq = &pp->txqs\[cpu % txq_number\]",
     "no hardware buffer management",
     r"Hardware Buffer Management not supported on XDP"),
    ("mvpp2", [ETH + "marvell/mvpp2"],
     "the second half of the queues, one for each CPU",
     r"the second half for XDP_TX",
     "two transmit queues for each possible CPU; buffer pools for each CPU; an MTU that fits "
     "one page",
     r"MTU too large for XDP.*Per CPU Pools required for XDP.*needs two TX queues per CPU"),
    ("dpaa2", [ETH + "freescale/dpaa2"],
     "the queue with the number of the receive queue",
     r"dpaa2_eth_xdp_enqueue\(priv, ch, fd, vaddr, rx_fq->flowid\)",
     "an MTU that fits one buffer",
     r"prog && !xdp_mtu_valid\(priv, dev->mtu\)"),
    ("dpaa", [ETH + "freescale/dpaa"],
     "the stack's queues, by CPU number",
     r"dpaa_xmit\(priv, percpu_stats, smp_processor_id\(\), &fd\)",
     "an MTU that fits one buffer",
     r"The maximum MTU for XDP is"),
    ("enetc", [ETH + "freescale/enetc"],
     "one more ring for each possible CPU; the ring with the receive ring's number is used",
     r"tx_ring = priv->xdp_tx_ring\[rx_ring->index\]",
     "twice as many transmit rings as possible CPUs",
     r"min_num_stack_tx_queues = num_possible_cpus\(\)"),
    ("fec", [ETH + "freescale/fec_main.c"],
     "the stack's queues, by CPU number, under their locks",
     r"return \(index % fep->num_tx_queues\)",
     "a chip that does not swap bytes (`FEC_QUIRK_SWAP_FRAME`)",
     r"FEC_QUIRK_SWAP_FRAME\)\s*return -EOPNOTSUPP"),
    ("stmmac", [ETH + "stmicro/stmmac"],
     "the stack's queues, by CPU number, under their locks",
     r"while \(index >= priv->plat->tx_queues_to_use\)",
     "an MTU of at most 1500",
     r"prog && dev->mtu > ETH_DATA_LEN"),
    ("cpsw (TI)", [ETH + "ti/cpsw.c", ETH + "ti/cpsw_new.c", ETH + "ti/cpsw_priv.c"],
     "the stack's first channel",
     r"txch = cpsw->txv\[0\].ch",
     None, None),
    ("am65-cpsw (TI)", [ETH + "ti/am65-cpsw-nuss.c"],
     "the stack's queues, by CPU number, under their locks",
     r"tx_chn = &common->tx_chns\[cpu % ",
     None, None),
    ("icssg (TI)", [ETH + "ti/icssg"],
     "the stack's queues, by CPU number, under their locks",
     r"q_idx = cpu % emac->tx_ch_num",
     None, None),
    ("tsnep", [ETH + "engleder"],
     "the stack's queues, by CPU number, under their locks",
     r"while \(cpu >= adapter->num_tx_queues\)",
     None, None),
    ("atlantic", [ETH + "aquantia/atlantic"],
     "the stack's ring with the receive ring's number, under its lock",
     r"tx_ring = aq_nic->aq_ring_tx\[rx_ring->idx\]",
     None, None),
    ("fbnic", [ETH + "meta/fbnic"],
     "one more ring for each NAPI instance that receives",
     r"reserve at least one Tx Queue Triad for an XDP ring",
     None, None),
    ("ionic", [ETH + "pensando/ionic"],
     "the stack's queue that is paired with the receive queue, under its lock",
     r"case XDP_TX:\s*txq = rxq->partner",
     None, None),
    ("funeth", [ETH + "fungible/funeth"],
     "one more queue for each online CPU",
     r"num_xdpqs = prog \? num_online_cpus\(\) : 0",
     "an MTU that fits one page",
     r"Device MTU too large for XDP"),
    ("mtk_eth_soc", [ETH + "mediatek/mtk_eth_soc.c"],
     "the only ring, under a lock",
     r"struct mtk_tx_ring \*ring = &eth->tx_ring",
     "LRO off; an MTU that fits one page",
     r"XDP not supported with HWLRO.*MTU too large for XDP"),
    ("netsec", [ETH + "socionext/netsec.c"],
     "the only ring, under a lock",
     r"NETSEC_RING_TX\];",
     None, None),
    ("lan966x", [ETH + "microchip/lan966x"],
     "sends the frame with the length that it was received with, whatever the program has "
     "done: **responses of another length than the request are broken**",
     r"case XDP_TX:\s*return lan966x_fdma_xmit_xdpf\(port, page,\s*data_len - IFH_LEN_BYTES\)",
     None, None),
    ("vmxnet3", ["drivers/net/vmxnet3"],
     "the stack's queues, by CPU number, under their locks",
     r"tq = &adapter->tx_queue\[cpu % tq_number\]",
     "an MTU that fits one page; the driver turns LRO off",
     r"too large for XDP.*LRO is not supported with XDP"),
    ("xen-netfront", ["drivers/net/xen-netfront.c"],
     "the stack's queues, by CPU number, under their locks",
     r"queue = &np->queues\[smp_processor_id\(\) % num_queues\]",
     "an MTU of at most 3840; **if the backend has no XDP headroom, the driver ignores the "
     "program and reports success**",
     r"XEN_PAGE_SIZE - XDP_PACKET_HEADROOM.*if \(!np->netback_has_xdp_headroom\)\s*return 0"),
    ("tun, tap", ["drivers/net/tun.c"],
     "the ring of a file descriptor, by CPU number",
     r"smp_processor_id\(\) %\s*numqueues",
     None, None),
    ("bonding", ["drivers/net/bonding"],
     "the queues of the receiving port; with `XDP_REDIRECT`, of the port that the bond selects",
     r"ndo_xdp_get_xmit_slave",
     "mode balance-rr, active-backup, balance-xor or 802.3ad (the last two without "
     "vlan+srcmac); `ndo_bpf` and `ndo_xdp_xmit` in each port",
     r"BOND_XMIT_POLICY_VLAN_SRCMAC.*!slave_dev->netdev_ops->ndo_bpf \|\|\s*"
     r"!slave_dev->netdev_ops->ndo_xdp_xmit"),
    ("team", ["drivers/net/team"], None, None, None, None),
    ("netkit", ["drivers/net/netkit.c"], None, None, None, None),
    ("hns3", [ETH + "hisilicon/hns3"], None, None, None, None),
]

BEGIN = "<!-- made by nics.py: begin -->"
END = "<!-- made by nics.py: end -->"


class Tree:
    """The sources of one version."""
    def __init__(self, top):
        self.top = top
        with open(os.path.join(top, "Makefile"), encoding="utf-8") as f:
            head = dict(re.findall(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION) =[ \t]*(.*)$",
                                   f.read(4096), re.M))
        self.version = "%(VERSION)s.%(PATCHLEVEL)s.%(SUBLEVEL)s%(EXTRAVERSION)s" % head

    def text(self, paths):
        """The C code in these files and folders, or "" if the tree has none."""
        parts = []
        for path in paths:
            full = os.path.join(self.top, path)
            names = [full] if os.path.isfile(full) else sorted(
                os.path.join(folder, name)
                for folder, _, files in os.walk(full) for name in files)
            for name in names:
                if name.endswith((".c", ".h")):
                    with open(name, encoding="utf-8", errors="replace") as f:
                        parts.append(f.read())
        return "\n".join(parts)


def features(text, name):
    """The columns of the first table; None: no such driver."""
    if not text:
        return None
    if name == "bonding":
        return ["as its ports"] * 4 + ["no"]
    sends = re.search(r"\.ndo_xdp_xmit\s*=", text)
    several = re.search(r"NETDEV_XDP_ACT_NDO_XMIT_SG|"
                        r"xdp_features_set_redirect_target(?:_locked)?\([^;]*, true\)", text)
    return [
        "yes" if "NETDEV_XDP_ACT_BASIC" in text else "no",
        "yes" if "NETDEV_XDP_ACT_RX_SG" in text else "no",
        "yes" if "case XDP_TX:" in text else "no",
        "no" if not sends else "yes, SG" if several else "yes",
        "yes" if re.search(r"\.xmo_rx_vlan_tag\s*=", text) else "no",
    ]


def cell(values, versions):
    """The value of the first version, and each change with the version that made it."""
    values = ["no driver" if v is None else v for v in values]
    out = values[0]
    for before, value, version in zip(values, values[1:], versions[1:]):
        if value != before:
            out += "; %s: %s" % (version, value)
    return out


def said(words, proof, texts, versions):
    """The description, marked with the versions that lack its proof, and these versions."""
    if not words:
        return "", []
    bad = [v for t, v in zip(texts, versions)
           if "NETDEV_XDP_ACT_" in t and not re.search(proof, t, re.S)]
    return words + (" (not so in %s)" % ", ".join(bad) if bad else ""), bad


def tables(trees):
    versions = [tree.version for tree in trees]
    can, how, wrong = [], [], []
    for name, paths, queues, queues_proof, needs, needs_proof in DRIVERS:
        texts = [tree.text(paths) for tree in trees]
        found = [features(text, name) for text in texts]
        if not any(found):
            wrong.append("%s: no such driver in any tree" % name)
            continue
        columns = [[f[i] if f else None for f in found] for i in range(5)]
        can.append("| %s | %s |" % (name, " | ".join(cell(c, versions) for c in columns)))
        queues, bad = said(queues, queues_proof, texts, versions)
        wrong += ["%s: queues: not found in %s" % (name, v) for v in bad]
        needs, bad = said(needs, needs_proof, texts, versions)
        wrong += ["%s: needs: not found in %s" % (name, v) for v in bad]
        if queues:
            how.append("| %s | %s | %s |" % (name, queues, needs))
    out = ["Read from the sources of Linux %s, not tried.\n" % " and ".join(versions),
           "| driver | native XDP | several buffers | XDP_TX | ndo_xdp_xmit | VLAN tag |",
           "|---|---|---|---|---|---|", *can, "",
           "| driver | transmit queues of XDP_TX | conditions for attaching a program |",
           "|---|---|---|", *how]
    return "\n".join(out) + "\n", wrong


def main():
    args = sys.argv[1:]
    page = None
    if args[:1] == ["-w"]:
        page, args = args[1], args[2:]
    if not args:
        sys.exit(__doc__)
    out, wrong = tables([Tree(top) for top in args])
    if page:
        with open(page, encoding="utf-8") as f:
            text = f.read()
        if text.count(BEGIN) != 1 or text.count(END) != 1:
            sys.exit("%s: not one pair of marks" % page)
        head, rest = text.split(BEGIN)
        with open(page, "w", encoding="utf-8") as f:
            f.write(head + BEGIN + "\n\n" + out + "\n" + END + rest.split(END)[1])
    else:
        print(out, end="")
    for line in wrong:
        print("nics.py: %s" % line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
