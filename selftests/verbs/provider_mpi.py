#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A process of Open MPI, without its headers: mpirun starts as many as there are ranks.

Messages of several sizes go round, a sum is made of all ranks, and a window is written to by one
rank and read by all. Each checks what it gets. The last line of rank 0 is "right".
"""

import ctypes
import sys

mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
SIZES = (8, 1000, 64 << 10, 1 << 20)


def handle(name):
    """A predefined handle is the address of a variable."""
    return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, name)))


WORLD = handle("ompi_mpi_comm_world")
LONG = handle("ompi_mpi_long")
BYTE = handle("ompi_mpi_byte")
SUM = handle("ompi_mpi_op_sum")
INFO = handle("ompi_mpi_info_null")


def call(name, *args):
    status = getattr(mpi, name)(*args)
    if status:
        sys.exit(f"{name}: {status}")


def whole(name):
    value = ctypes.c_int()
    call(name, WORLD, ctypes.byref(value))
    return value.value


def ring(rank, ranks, size):
    """Each rank sends to the next one, and receives from the one before."""
    mine = ctypes.create_string_buffer(bytes([rank + 1]) * size, size)
    got = ctypes.create_string_buffer(size)
    before = (rank - 1) % ranks
    call("MPI_Sendrecv", mine, size, BYTE, (rank + 1) % ranks, 7, got, size, BYTE, before, 7, WORLD,
         None)
    if got.raw != bytes([before + 1]) * size:
        sys.exit(f"rank {rank}: {size} bytes of rank {before} are wrong")


def total(rank, ranks):
    """Elements of all ranks are added."""
    n = 1000
    mine = (ctypes.c_long * n)(*[rank + i for i in range(n)])
    got = (ctypes.c_long * n)()
    call("MPI_Allreduce", mine, got, n, LONG, SUM, WORLD)
    base = sum(range(ranks))
    if list(got) != [base + ranks * i for i in range(n)]:
        sys.exit(f"rank {rank}: the sum is wrong")


def window(rank, ranks):
    """Rank 0 writes to the memory of all, which then look at it."""
    size = 64 << 10
    memory = ctypes.create_string_buffer(size)
    data = ctypes.create_string_buffer(b"w" * size, size)
    win = ctypes.c_void_p()
    call("MPI_Win_create", memory, ctypes.c_long(size), 1, INFO, WORLD, ctypes.byref(win))
    call("MPI_Win_fence", 0, win)
    for to in range(ranks) if rank == 0 else ():
        call("MPI_Put", data, size, BYTE, to, ctypes.c_long(0), size, BYTE, win)
    call("MPI_Win_fence", 0, win)
    if memory.raw != b"w" * size:
        sys.exit(f"rank {rank}: the window is wrong")
    call("MPI_Win_free", ctypes.byref(win))


def main():
    call("MPI_Init", None, None)
    rank, ranks = whole("MPI_Comm_rank"), whole("MPI_Comm_size")
    for size in SIZES:
        ring(rank, ranks, size)
    total(rank, ranks)
    window(rank, ranks)
    call("MPI_Barrier", WORLD)
    call("MPI_Finalize")
    if rank == 0:
        print("right", flush=True)


main()
