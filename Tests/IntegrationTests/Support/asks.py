#!/usr/bin/env python3
"""Keeps one connection open, and asks over it what it may do (`who`) for each line on standard input.

  asks.py SOCKET

Prints the reply's status each time, or `closed`.
"""
import socket, struct, sys

connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
for _ in sys.stdin:
    try:
        connection.sendall(struct.pack(">IBBHQ16s", 28, 1, 0, 0x0006, 7, bytes(16)))
        frame = b""
        while len(frame) < 4 or len(frame) < 4 + struct.unpack(">I", frame[:4])[0]:
            part = connection.recv(65536)
            if not part:
                raise BrokenPipeError
            frame += part
        print(frame[5], flush=True)
    except (BrokenPipeError, ConnectionResetError):
        print("closed", flush=True)
