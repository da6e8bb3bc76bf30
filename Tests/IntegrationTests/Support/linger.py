#!/usr/bin/env python3
"""Sends descriptors whose close takes an hour, and never reads: linger.py SOCKET UID IDLE TRIES BYTES

As one user: holds so many idle connections, and then makes so many more. Each sends so many zeros first, and then a TCP socket with SO_LINGER whose
peer reads nothing. Prints how many descriptors left; after a line on standard input, waits until all are hung up on, and prints "over". The peers
are kept until standard input ends.
"""
import array, os, socket, struct, sys

path, uid, idle, tries, count = sys.argv[1], *(int(word) for word in sys.argv[2:])
os.setgroups([]), os.setgid(uid), os.setuid(uid)
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
listener.bind(("127.0.0.1", 0))
listener.listen(16)
kept = []


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(20)
    connection.connect(path)
    return connection


def lingering():
    end = socket.socket()
    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    end.connect(listener.getsockname())
    kept.append(listener.accept()[0])
    end.setblocking(False)
    try:
        while True:
            end.send(bytes(65536))
    except BlockingIOError:
        pass
    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 3600))
    return end


held = [connect() for _ in range(idle)]
tried = []
sent = 0
for _ in range(tries):
    end, connection = lingering(), connect()
    tried.append(connection)
    try:
        connection.sendall(bytes(count))
        connection.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [end.fileno()]))])
        sent += 1
    except PermissionError:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))
    # If it was sent, the daemon's is the last.
    end.close()
print(sent, flush=True)
sys.stdin.readline()
for connection in tried:
    connection.shutdown(socket.SHUT_WR)
for connection in tried:
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        pass
print("over", flush=True)
sys.stdin.read()
