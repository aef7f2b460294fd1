# SPDX-License-Identifier: GPL-2.0-only
"""Send a stream between two SMC sockets, and compare it.

usage: smc_test.py ADDRESS ADDRESS

RoCEv2 needs version 2 of SMC-R, which both ends use if they have an enterprise id in common.
"""
import ctypes
import os
import socket
import struct
import sys
import threading

AF_SMC = 43
PORT = 7000
BYTES = 3000000

GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_ID, CTRL_ATTR_FAMILY_NAME = 16, 3, 1, 2
SMC_NETLINK_ADD_UEID, SMC_NLA_EID_TABLE_ENTRY = 10, 1
NLMSG_ERROR = 2

libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def attribute(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def ask(sock, family, command, attributes):
    """Send a generic netlink message with acknowledgement. Return: the first answer."""
    body = struct.pack("=BBH", command, 1, 0) + attributes
    sock.send(struct.pack("=IHHII", 16 + len(body), family, 1 | 4, 1, 0) + body)
    answer = sock.recv(65536)
    kind, = struct.unpack_from("=H", answer, 4)
    if kind == NLMSG_ERROR:
        error, = struct.unpack_from("=i", answer, 16)
        if error:
            raise OSError(-error, os.strerror(-error))
    return answer


def family_id(sock):
    answer = ask(sock, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
                 attribute(CTRL_ATTR_FAMILY_NAME, b"SMC_GEN_NETLINK\0"))
    at = 20
    while at < len(answer):
        length, kind = struct.unpack_from("=HH", answer, at)
        if kind == CTRL_ATTR_FAMILY_ID:
            return struct.unpack_from("=H", answer, at + 4)[0]
        at += length + -length % 4
    sys.exit("SMC has no netlink family")


def add_enterprise_id():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16) as sock:
        sock.bind((0, 0))
        family = family_id(sock)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16) as sock:
        sock.bind((0, 0))
        try:
            ask(sock, family, SMC_NETLINK_ADD_UEID,
                attribute(SMC_NLA_EID_TABLE_ENTRY, b"XROCE.TEST".ljust(32) + b"\0"))
        except FileExistsError:
            pass    # an earlier attempt has added it


def name(address, port):
    return (struct.pack("=H", socket.AF_INET) + struct.pack("!H", port) +
            socket.inet_aton(address) + bytes(8))


def smc_socket(address, port):
    fd = check(libc.socket(AF_SMC, socket.SOCK_STREAM, 0))
    # A connection of an earlier test may be in TIME_WAIT.
    on = ctypes.c_int(1)
    check(libc.setsockopt(fd, socket.SOL_SOCKET, socket.SO_REUSEADDR, ctypes.byref(on), 4))
    check(libc.bind(fd, name(address, port), 16))
    return fd


def receive(listener, got):
    fd = check(libc.accept(listener, None, None))
    buffer = ctypes.create_string_buffer(65536)
    n = check(libc.recv(fd, buffer, 65536, 0))
    while n:
        got.extend(buffer.raw[:n])
        n = check(libc.recv(fd, buffer, 65536, 0))
    libc.close(fd)


def main(here, there):
    data, got, at = os.urandom(BYTES), bytearray(), 0
    add_enterprise_id()
    listener = smc_socket(there, PORT)
    check(libc.listen(listener, 1))
    receiver = threading.Thread(target=receive, args=(listener, got))
    receiver.start()
    fd = smc_socket(here, 0)
    check(libc.connect(fd, name(there, PORT), 16))
    while at < len(data):
        part = data[at:at + 100000]
        at += check(libc.send(fd, part, len(part), 0))
    libc.shutdown(fd, socket.SHUT_WR)
    receiver.join(60)
    libc.close(fd)
    libc.close(listener)
    if bytes(got) != data:
        sys.exit("%d bytes of %d, or other ones" % (len(got), len(data)))


main(*sys.argv[1:])
