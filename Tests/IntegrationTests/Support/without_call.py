#!/usr/bin/env python3
"""Runs a program on a kernel that lacks a system call: without_call.py NUMBER[:ARGUMENT[:PLACE]]… -- PROGRAM ARGUMENTS…

Each such call fails with ENOSYS; one of its uses alone, by an argument (the first, or at that place from 0), with EINVAL.
"""
import ctypes, os, struct, sys

ALLOW, FAIL = 0x7FFF0000, 0x00050000
split = sys.argv.index("--")
program = b""


def step(code, true, false, value):
    global program
    program += struct.pack("=HBBI", code, true, false, value)


for word in sys.argv[1:split]:
    number, argument, place = (word + "::").split(":")[:3]
    step(0x20, 0, 0, 0)  # the call's number
    if argument:
        step(0x15, 0, 3, int(number))
        step(0x20, 0, 0, 16 + 8 * int(place or 0))  # the argument's low half
        step(0x15, 0, 1, int(argument))
        step(0x06, 0, 0, FAIL | 22)
    else:
        step(0x15, 0, 1, int(number))
        step(0x06, 0, 0, FAIL | 38)
step(0x06, 0, 0, ALLOW)
code = ctypes.create_string_buffer(program)
filter = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filter, 0, 0):
    sys.exit(os.strerror(ctypes.get_errno()))
os.execv(sys.argv[split + 1], sys.argv[split + 1:])
