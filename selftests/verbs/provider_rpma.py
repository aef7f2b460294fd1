#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Both ends of a connection of librpma, without its headers.

provider_rpma.py server ADDRESS | client ADDRESS

The server registers memory and tells the client of it. The client writes to it with flush, and
reads it back. It asks for pages of its own region with rpma_mr_advise(), too: they are pinned, and
advice is for on-demand memory, which librpma registers only where memory cannot be pinned. Its last
line is "right".
"""

import ctypes
import mmap
import sys

rpma = ctypes.CDLL("librpma.so.0", use_errno=True)
rpma.rpma_err_2str.restype = ctypes.c_char_p

PORT = b"7204"
SIZE = 64 << 10
READ_SRC, READ_DST, WRITE_SRC, WRITE_DST = 1, 2, 4, 8
FLUSH_VISIBILITY = 1 << 4
CONTEXT_LOCAL, CONTEXT_REMOTE = 0, 1
COMPLETION_ALWAYS = 3
FLUSH_TYPE_VISIBILITY = 1
EVENT_ESTABLISHED, EVENT_CLOSED = 0, 1
PREFETCH_WRITE, ADVISE_FLUSH = 1, 1


class PrivateData(ctypes.Structure):
    _fields_ = [("ptr", ctypes.c_void_p), ("len", ctypes.c_uint8)]


class Wc(ctypes.Structure):
    """struct ibv_wc"""
    _fields_ = [("wr_id", ctypes.c_uint64), ("status", ctypes.c_int), ("opcode", ctypes.c_int),
                ("rest", ctypes.c_uint8 * 32)]


def call(name, *args):
    status = getattr(rpma, name)(*args)
    if status:
        sys.exit(f"{name}: {rpma.rpma_err_2str(status).decode()}")


def out(name, *args):
    """A function that makes an object: its last parameter is a pointer to it."""
    made = ctypes.c_void_p()
    call(name, *args, ctypes.byref(made))
    return made


def peer_of(address, whose):
    context = out("rpma_utils_get_ibv_context", address, whose)
    return out("rpma_peer_new", context)


def region(peer, memory, usage):
    at = ctypes.c_char.from_buffer(memory)
    return out("rpma_mr_reg", peer, ctypes.byref(at), ctypes.c_size_t(SIZE), usage)


def event(conn, wanted):
    got = ctypes.c_int()
    call("rpma_conn_next_event", conn, ctypes.byref(got))
    if got.value != wanted:
        sys.exit(f"event {got.value}, not {wanted}")


def server(address):
    peer = peer_of(address, CONTEXT_LOCAL)
    memory = mmap.mmap(-1, SIZE)
    mr = region(peer, memory, READ_SRC | WRITE_DST | FLUSH_VISIBILITY)
    size = ctypes.c_size_t()
    call("rpma_mr_get_descriptor_size", mr, ctypes.byref(size))
    descriptor = ctypes.create_string_buffer(size.value)
    call("rpma_mr_get_descriptor", mr, descriptor)
    end = out("rpma_ep_listen", peer, address, PORT)
    print("listens", flush=True)
    request = out("rpma_ep_next_conn_req", end, None)
    data = PrivateData(ctypes.cast(descriptor, ctypes.c_void_p), size.value)
    conn = ctypes.c_void_p()
    call("rpma_conn_req_connect", ctypes.byref(request), ctypes.byref(data), ctypes.byref(conn))
    event(conn, EVENT_ESTABLISHED)
    event(conn, EVENT_CLOSED)
    print("right" if memory[:5] == b"flush" else "wrong", flush=True)


def completes(conn, context):
    cq, wc = ctypes.c_void_p(), Wc()
    call("rpma_conn_get_cq", conn, ctypes.byref(cq))
    call("rpma_cq_wait", cq)
    call("rpma_cq_get_wc", cq, 1, ctypes.byref(wc), None)
    if wc.status or wc.wr_id != context:
        sys.exit(f"status {wc.status} of {wc.wr_id}, not of {context}")


def client(address):
    peer = peer_of(address, CONTEXT_REMOTE)
    memory = mmap.mmap(-1, SIZE)
    memory[:5] = b"flush"
    mr = region(peer, memory, READ_DST | WRITE_SRC)
    advised = rpma.rpma_mr_advise(mr, ctypes.c_size_t(0), ctypes.c_size_t(SIZE), PREFETCH_WRITE,
                                  ADVISE_FLUSH)
    if rpma.rpma_err_2str(advised) != b"Not supported":
        sys.exit(f"advice for pinned memory: {advised}")
    request = out("rpma_conn_req_new", peer, address, PORT, None)
    conn = ctypes.c_void_p()
    call("rpma_conn_req_connect", ctypes.byref(request), None, ctypes.byref(conn))
    event(conn, EVENT_ESTABLISHED)
    data = PrivateData()
    call("rpma_conn_get_private_data", conn, ctypes.byref(data))
    remote = out("rpma_mr_remote_from_descriptor", ctypes.c_void_p(data.ptr),
                 ctypes.c_size_t(data.len))
    zero, size = ctypes.c_size_t(0), ctypes.c_size_t(SIZE)
    call("rpma_write", conn, remote, zero, mr, zero, size, COMPLETION_ALWAYS, ctypes.c_void_p(11))
    completes(conn, 11)
    call("rpma_flush", conn, remote, zero, size, FLUSH_TYPE_VISIBILITY, COMPLETION_ALWAYS,
         ctypes.c_void_p(12))
    completes(conn, 12)
    memory[:] = bytes(SIZE)
    call("rpma_read", conn, mr, zero, remote, zero, size, COMPLETION_ALWAYS, ctypes.c_void_p(13))
    completes(conn, 13)
    call("rpma_conn_disconnect", conn)
    event(conn, EVENT_CLOSED)
    print("right" if memory[:6] == b"flush\0" else "wrong", flush=True)


(server if sys.argv[1] == "server" else client)(sys.argv[2].encode())
