"""Asks for random bytes until the file that is named exists, and prints how the requests ended, and how long nothing was answered."""

import errno
import json
import os
import sys
import time

import kist

#: So many seconds without an answer are more than a busy machine's.
GAP = 0.1
counts = {"acknowledged": 0, "unanswered": 0, "refused": 0}
gaps, answered = [], time.monotonic()
with kist.Client(timeout=30) as client:
    while not os.path.exists(sys.argv[1]):
        try:
            client.random(16)
            counts["acknowledged"] += 1
            before, answered = answered, time.monotonic()
            if answered - before > GAP:
                gaps.append(round(answered - before, 3))
        except (kist.Disconnected, kist.Timeout):
            counts["unanswered"] += 1
        except kist.Unreachable as error:
            if error.errno not in (errno.ECONNREFUSED, errno.ENOENT):
                raise
            counts["refused"] += 1
        # Below the rate of the example's grant; and more would fill the log, and the test with reading it.
        time.sleep(0.015)
print(json.dumps(counts | {"gaps": gaps}))
