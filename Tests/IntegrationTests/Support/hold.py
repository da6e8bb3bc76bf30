#!/usr/bin/env python3
"""Holds idle connections as several users: hold.py SOCKET GID COUNT UID…

Prints "held", and once a line comes on standard input how many of each user's were hung up on.
"""
import os, select, socket, sys

path, group, count, *users = sys.argv[1], *(int(word) for word in sys.argv[2:])
os.setgroups([group])
held = {}
for uid in users:
    os.seteuid(uid)
    held[uid] = [socket.socket(socket.AF_UNIX) for _ in range(count)]
    for connection in held[uid]:
        connection.connect(path)
    os.seteuid(0)
print("held", flush=True)
sys.stdin.readline()
print(*(len(select.select(connections, [], [], 0)[0]) for connections in held.values()), flush=True)
