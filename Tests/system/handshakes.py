"""Makes TLS connections by four threads until a file exists, and prints how they ended: handshakes.py CERTIFICATES PORT FILE."""

import json
import os
import socket
import ssl
import sys
import threading

certificates, port, end = sys.argv[1], int(sys.argv[2]), sys.argv[3]
context = ssl.create_default_context(cafile=certificates)
counts, lock, errors = {"served": 0, "failed": 0}, threading.Lock(), []


def ask():
    while not os.path.exists(end):
        how = "served"
        try:
            with socket.create_connection(("127.0.0.1", port), 30) as plain, context.wrap_socket(plain, server_hostname="localhost") as secure:
                secure.sendall(b"GET / HTTP/1.0\r\n\r\n")
                if b" 200 " not in secure.recv(64):
                    raise OSError("another answer")
        except OSError as error:
            how = "failed"
            errors.append(str(error))
        with lock:
            counts[how] += 1


threads = [threading.Thread(target=ask) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(counts | {"errors": sorted(set(errors))[:4]}))
