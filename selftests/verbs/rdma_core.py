#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the tests of rdma-core on a verbs device.

    rdma_core.py TESTS DEV NETDEV OUT SECONDS [PART]...

TESTS is the folder of rdma-core's tests, named tests, DEV the verbs device, NETDEV its
network device. OUT gets a line "NAME OUTCOME REASON" for each test when it has ended; OUTCOME
is pass, fail or skip. Each test runs in a process of its own, at most SECONDS. With PARTs,
only tests whose name has one of them.

The tests of rdma_cm need the address of DEV. rdma-core finds it by the parent of DEV in
sysfs; a device on a virtual netdev has none. This program takes the address from NETDEV.
"""
import importlib
import os
import select
import signal
import sys
import time
import unittest


def load(folder, dev, netdev):
    """Return: all tests."""
    sys.path[:0] = [os.path.dirname(folder), folder]
    sys.argv = [sys.argv[0], "--dev", dev]
    importlib.import_module("args_parser").parser.parse_args()
    base = importlib.import_module("tests.base").RDMATestCase

    def get_ip_mac(self, dev, port, index):
        try:
            address = self.get_ip_mac_address(netdev)
        except (KeyError, IndexError):
            address = None, None
        self.args.append([dev, port, index, *address])

    base._get_ip_mac = get_ip_mac
    names = sorted(n[:-3] for n in os.listdir(folder) if n.startswith("test_"))
    loader = unittest.TestLoader()
    suites = [loader.loadTestsFromName("tests." + n) for n in names]
    return [t for suite in suites for case in suite for t in case]


def outcome(test):
    """Run a test. Return: what it did, and why."""
    result = unittest.TestResult()
    unittest.TestSuite([test]).run(result)
    for _, why in result.skipped:
        return "skip", why
    for _, why in result.failures + result.errors:
        return "fail", " ".join(why.strip().split("\n")[-1].split())
    return "pass", ""


def child(test, pipe):
    """Run a test, and write the outcome into the pipe."""
    os.setpgid(0, 0)
    null = os.open(os.devnull, os.O_RDWR)
    for fd in 0, 1, 2:
        os.dup2(null, fd)
    os.write(pipe, " ".join(outcome(test)).encode()[:4000])


def read_until(pipe, end):
    """Return: what comes through the pipe until it is closed; None: not closed in time."""
    out = b""
    while select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
        part = os.read(pipe, 4096)
        if not part:
            return out.decode()
        out += part
    return None


def run(test, seconds):
    """Run a test in another process. Return: "OUTCOME REASON"."""
    pipe, pipe_of_child = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            child(test, pipe_of_child)
        finally:
            os._exit(0)
    os.close(pipe_of_child)
    out = read_until(pipe, time.monotonic() + seconds)
    os.close(pipe)
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has ended, or has not begun
    os.kill(pid, signal.SIGKILL)
    status = os.waitpid(pid, 0)[1]
    if out is None:
        return f"fail no end within {seconds} s"
    return out or f"fail ended with status {status}"


def main():
    folder, dev, netdev, path, seconds, *parts = sys.argv[1:]
    with open(path, "w") as out:
        for test in load(folder, dev, netdev):
            name = test.id().removeprefix("tests.")
            if parts and not any(p in name for p in parts):
                continue
            print(name, run(test, int(seconds)), file=out, flush=True)


main()
