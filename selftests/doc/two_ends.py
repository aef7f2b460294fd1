#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A queue pair of rxe0 sends to one of the verbs device xr0, which is not prepared for it.

    two_ends.py unposted | element | full | gone | stranger | occupied

unposted: the receiver has no receive work request
element: the L_Key of its receive work request is no key
full: its completion queue has room for fewer messages than are sent
gone: nothing is sent; whoever reads "ready" removes xr0, and then the receiver uses it
stranger: the sender is a queue pair of xr0 as well, and not the receiver's peer
occupied: nothing is sent; nobody connects a queue pair with the peer of a queue pair of root

Prints what happened to the sender, or the receiver in the last case. For debugging.sh, on the
network of net.sh: the receiver enters the namespace xr.
"""
import ctypes
import os
import sys
import time

from pyverbs import enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError, PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import RecvWR, SendWR, SGE

OWN, PEER = "0a4d:0001", "0a4d:0002"    # 10.77.0.1 and 10.77.0.2
MESSAGES = 64
LENGTH = 64
QPN = 0x11      # of nobody: a peer without a queue pair


def gid_of(address):
    return "0000:0000:0000:0000:0000:ffff:" + address


class End:
    def __init__(self, device, address, room):
        self.ctx = Context(name=device)
        self.index = next(i for i in range(64) if str(self.ctx.query_gid(1, i)) == gid_of(address))
        self.pd = PD(self.ctx)
        self.mr = MR(self.pd, LENGTH, e.IBV_ACCESS_LOCAL_WRITE)
        self.cq = CQ(self.ctx, room)
        cap = QPCap(max_send_wr=MESSAGES, max_recv_wr=MESSAGES)
        self.qp = QP(self.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap),
                     QPAttr(port_num=1))

    def connect(self, address, qpn):
        attr = QPAttr(port_num=1)
        attr.path_mtu = e.IBV_MTU_1024
        attr.dest_qp_num = qpn
        attr.min_rnr_timer = 1
        attr.timeout, attr.retry_cnt, attr.rnr_retry = 16, 6, 1
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 1
        route = GlobalRoute(dgid=GID(gid_of(address)), sgid_index=self.index, hop_limit=64)
        attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
        self.qp.to_rts(attr)

    def element(self, lkey=None):
        return [SGE(self.mr.buf, LENGTH, self.mr.lkey if lkey is None else lkey)]


def enter(namespace):
    fd = os.open("/run/netns/" + namespace, os.O_RDONLY)
    if ctypes.CDLL(None, use_errno=True).setns(fd, 0):
        raise OSError(ctypes.get_errno(), namespace)


def receive(case, numbers, answer):
    """The receiver: a process of its own, until it is killed."""
    enter("xr")
    end = End("xr0", PEER, 1 if case == "full" else MESSAGES)
    if case == "gone":
        print("ready", flush=True)
        sys.stdin.readline()
        try:
            MR(end.pd, LENGTH, e.IBV_ACCESS_LOCAL_WRITE)
            print("it is still there", flush=True)
        except PyverbsRDMAError as error:
            print(error, flush=True)
        os._exit(0)     # and not by the destructors, which fail as well
    os.write(answer, b"%d\n" % end.qp.qp_num)
    end.connect(OWN, int(os.read(numbers, 20)))
    if case != "unposted":
        for _ in range(MESSAGES):
            end.qp.post_recv(RecvWR(sg=end.element(1 if case == "element" else None), num_sge=1))
    os.write(answer, b"ready\n")
    time.sleep(600)


def send(numbers, answer):
    end = End("rxe0", OWN, MESSAGES)
    peer = int(os.read(answer, 20))
    os.write(numbers, b"%d\n" % end.qp.qp_num)
    end.connect(PEER, peer)
    os.read(answer, 20)
    return sent(end)


def send_as_stranger():
    enter("xr")
    receiver, peer, end = (End("xr0", PEER, MESSAGES) for _ in range(3))
    receiver.connect(PEER, peer.qp.qp_num)
    end.connect(PEER, receiver.qp.qp_num)
    return sent(end)


def connect_as_nobody():
    enter("xr")
    first = End("xr0", PEER, MESSAGES)
    first.connect(OWN, QPN)
    for name in os.listdir("/dev/infiniband"):
        os.chmod("/dev/infiniband/" + name, 0o666)
    os.setresuid(65534, 65534, 65534)
    try:
        End("xr0", PEER, MESSAGES).connect(OWN, QPN)
    except PyverbsRDMAError as error:
        return str(error)
    return "%d and another one are connected" % first.qp.qp_num


def sent(end):
    for _ in range(MESSAGES):
        end.qp.post_send(SendWR(opcode=e.IBV_WR_SEND, sg=end.element(), num_sge=1,
                                send_flags=e.IBV_SEND_SIGNALED))
    done = 0
    while done < MESSAGES:
        for wc in end.cq.poll(MESSAGES)[1]:
            if wc.status != e.IBV_WC_SUCCESS:
                return "SEND: " + str(WORDS.get(wc.status, wc.status))
            done += 1
    return "%d messages sent" % done


# As ibv_wc_status_str() says it.
WORDS = {
    e.IBV_WC_RETRY_EXC_ERR: "transport retry counter exceeded",
    e.IBV_WC_RNR_RETRY_EXC_ERR: "RNR retry counter exceeded",
    e.IBV_WC_REM_OP_ERR: "remote operation error",
    e.IBV_WC_REM_INV_REQ_ERR: "remote invalid request error",
}


ALONE = {"stranger": send_as_stranger, "occupied": connect_as_nobody}


def main():
    case = sys.argv[1]
    numbers, answer = os.pipe(), os.pipe()
    if case == "gone":
        receive(case, None, None)
    if case in ALONE:
        print(ALONE[case](), flush=True)
        os._exit(1)     # and not by the destructors: nobody may not destroy what root has made
    child = os.fork()
    if not child:
        try:
            receive(case, numbers[0], answer[1])
        except (PyverbsError, OSError) as error:
            print("receiver:", error, flush=True)
        os._exit(1)
    os.close(answer[1])
    try:
        print(send(numbers[1], answer[0]), flush=True)
    finally:
        os.kill(child, 15)
        os.waitpid(child, 0)
    return 1


if __name__ == "__main__":
    sys.exit(main())
