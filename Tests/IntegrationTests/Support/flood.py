#!/usr/bin/env python3
"""Measures what a flooding user does to another's latency.

  flood.py SOCKET VICTIM-UID FLOODER-UID SECONDS CONNECTIONS [KEY]

The victim asks for random bytes one at a time at a tenth of what the daemon can do for one caller: alone, beside another user's processes that
keep every processor busy and ask for nothing, and while that user's connections send without pause, many at a time, requests to sign with
the RSA key whose id that is, or without one the same. What the second of these adds is the machine's part, and what the third adds to
that is the daemon's. Prints one JSON object: the rate, the victim's p50 and p99 in milliseconds of each, what the flood got done per second,
and which part of the processors' time went to programs that have no part in this: on a busy machine nothing is measured.
"""
import json, os, socket, struct, sys, time

path, victim, flooder, seconds, connections = sys.argv[1], *(int(x) for x in sys.argv[2:6])


def frame(opcode, key, body):
    return struct.pack(">IBBHQ16s", 28 + len(body), 1, 0, opcode, 1, key) + body


RANDOM = frame(0x0005, bytes(16), b"\x08\x20")
FLOOD = frame(0x0044, bytes.fromhex(sys.argv[6]), b"\x08\x05\x1a\x05flood") if len(sys.argv) > 6 else RANDOM


def connect():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    return connection


def take(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            sys.exit("hung up")
        data += part
    return data


def ask(connection, request=RANDOM):
    connection.sendall(request)
    header = take(connection, 4)
    reply = take(connection, struct.unpack(">I", header)[0])
    if reply[1] != 0:
        sys.exit(f"status {reply[1]}")


def as_user(uid, work):
    """Runs in a child as that user; gives what it returns."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setgid(uid), os.setuid(uid)
        os.write(writing, json.dumps(work()).encode())
        os._exit(0)
    os.close(writing)
    return child, reading


def result(started):
    child, reading = started
    text = b""
    while part := os.read(reading, 65536):
        text += part
    os.close(reading)
    os.waitpid(child, 0)
    return json.loads(text)


def worked():
    """Seconds that all processors have worked, and those of them that this and the daemon took."""
    user, nice, system, _, _, *others = map(int, open("/proc/stat").readline().split()[1:9])
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        daemon = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    fields = open(f"/proc/{daemon}/stat").read().rpartition(")")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + sum(others)) / ticks, sum(map(int, fields[11:13])) / ticks + sum(os.times()[:4])


def capacity():
    connection, count, end = connect(), 0, time.monotonic() + 1
    while time.monotonic() < end:
        ask(connection)
        count += 1
    return count


def paced(rate):
    connection, samples, start = connect(), [], time.monotonic()
    for turn in range(int(rate * seconds)):
        wait = start + turn / rate - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        began = time.monotonic()
        ask(connection)
        samples.append(time.monotonic() - began)
    samples.sort()
    return dict(n=len(samples), p50=samples[len(samples) // 2] * 1000, p99=samples[len(samples) * 99 // 100] * 1000)


def burn():
    end = time.monotonic() + seconds + 0.5
    while time.monotonic() < end:
        pass
    return 0


def beside(count, work):
    """The victim's samples while so many processes of the other user work, and what these return."""
    others = [as_user(flooder, work) for _ in range(count)]
    time.sleep(0.3)
    samples = result(as_user(victim, lambda: paced(rate)))
    return samples, [result(other) for other in others]


def flood():
    connection, count, end = connect(), 0, time.monotonic() + seconds + 0.5
    connection.sendall(FLOOD * 256)
    while time.monotonic() < end:
        ask(connection, FLOOD)
        count += 1
    return count


began, (all_before, own_before) = time.monotonic(), worked()
rate = max(5, result(as_user(victim, capacity)) / 10)
alone = result(as_user(victim, lambda: paced(rate)))
burdened, _ = beside(os.cpu_count(), burn)
flooded, done = beside(connections, flood)
figures = dict(alone=alone, burdened=burdened, flooded=flooded)
(all_after, own_after), passed = worked(), time.monotonic() - began
others = (all_after - all_before - own_after + own_before) / passed / os.cpu_count()
print(json.dumps(dict(rate=rate, others=others, flood=sum(done) / (seconds + 0.5), ratio=flooded["p99"] / alone["p99"], **figures)))
