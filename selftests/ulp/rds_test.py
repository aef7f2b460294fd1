# SPDX-License-Identifier: GPL-2.0-only
"""Send datagrams of many sizes between two RDS sockets, and compare them.

Without RDS_CMSG_ATOMIC_FADD and RDS_CMSG_ATOMIC_CSWP: RDS registers memory for its peer without
IB_ACCESS_REMOTE_ATOMIC since Linux 5.8, so that no device may execute them.

usage: rds_test.py ADDRESS ADDRESS
"""
import ctypes
import os
import socket
import struct
import sys

AF_RDS = 21
PORT = 4000
SIZES = (0, 1, 8, 100, 4096, 9000, 60000)
ROUNDS = 40

libc = ctypes.CDLL(None, use_errno=True)
libc.sendto.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int,
                        ctypes.c_char_p, ctypes.c_uint)


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def name(address):
    """struct sockaddr_in: Python knows no addresses of this family."""
    return (struct.pack("=H", socket.AF_INET) + struct.pack("!H", PORT) +
            socket.inet_aton(address) + bytes(8))


def bound(address):
    fd = check(libc.socket(AF_RDS, socket.SOCK_SEQPACKET, 0))
    check(libc.bind(fd, name(address), 16))
    return fd


def transfer(source, sink, address, size):
    data = os.urandom(size)
    check(libc.sendto(source, data, size, 0, name(address), 16))
    buffer = ctypes.create_string_buffer(size + 1)
    got = check(libc.recv(sink, buffer, size + 1, 0))
    if got != size or buffer.raw[:size] != data:
        sys.exit("%d bytes of %d, or other ones" % (got, size))


def main(here, there):
    ends = bound(here), bound(there)
    for i in range(ROUNDS):
        for size in SIZES:
            transfer(ends[0], ends[1], there, size)
            transfer(ends[1], ends[0], here, size)


main(*sys.argv[1:])
