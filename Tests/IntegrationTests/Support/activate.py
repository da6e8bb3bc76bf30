#!/usr/bin/env python3
"""Starts a program as systemd would: activate.py DIRECTORY PROGRAM ARGUMENTS…

Two listening sockets, `kist` and `admin`, are handed over as descriptors 3 and 4; NOTIFY_SOCKET is DIRECTORY/notify, and
what arrives there until the program ends is written to DIRECTORY/notified, then what connecting to each socket gives. Exits as the program does.
"""
import os, socket, sys, threading

directory, program = sys.argv[1], sys.argv[2:]
listeners = []
for name in ("kist", "admin"):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{directory}/activated-{name}.sock")
    listener.listen(8)
    listeners.append(listener)
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(f"{directory}/notify")

child = os.fork()
if child == 0:
    for place, listener in enumerate(listeners):
        os.dup2(listener.fileno(), 10 + place)
    for place in range(2):
        os.dup2(10 + place, 3 + place)
        os.set_inheritable(3 + place, True)
    os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="2", LISTEN_FDNAMES="kist:admin", NOTIFY_SOCKET=f"{directory}/notify")
    os.execv(program[0], program)

with open(f"{directory}/notified", "w", buffering=1) as notified:

    def listen():
        while said := notify.recv(4096):
            notified.write(said.decode() + "\n")

    listening = threading.Thread(target=listen)
    listening.start()
    _, status = os.waitpid(child, 0)
    # Behind everything that the program has said.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.sendto(b"", f"{directory}/notify")
    listening.join()
    # The sockets are the service manager's: whoever connects now waits for the next daemon.
    for name in ("kist", "admin"):
        with socket.socket(socket.AF_UNIX) as caller:
            refused = caller.connect_ex(f"{directory}/activated-{name}.sock")
            notified.write(f"AFTERWARDS {name} {refused}\n")
sys.exit(os.waitstatus_to_exitcode(status))
