#!/usr/bin/env python3
"""Sends the same five frames as each of several users, and waits until the daemon has answered them.

  submit.py SOCKET GID FIRST-UID COUNT FRAME

Prints how many bytes came back to each user.
"""
import os, socket, sys

path, group, first, count = sys.argv[1], *(int(x) for x in sys.argv[2:5])
frame = bytes.fromhex(sys.argv[5])
for uid in range(first, first + count):
    child = os.fork()
    if child == 0:
        os.setgroups([]), os.setgid(group), os.setuid(uid)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            connection.sendall(frame * 5)
            connection.shutdown(socket.SHUT_WR)
            print(sum(len(part) for part in iter(lambda: connection.recv(4096), b"")))
        sys.stdout.flush()
        os._exit(0)
    os.waitpid(child, 0)
