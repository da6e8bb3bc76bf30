"""Asks for random bytes until the file that is named exists, and prints how the requests ended."""

import errno
import json
import os
import sys
import time

import kist

counts = {"acknowledged": 0, "unanswered": 0, "refused": 0}
with kist.Client(timeout=30) as client:
    while not os.path.exists(sys.argv[1]):
        try:
            client.random(16)
            counts["acknowledged"] += 1
        except (kist.Disconnected, kist.Timeout):
            counts["unanswered"] += 1
        except kist.Unreachable as error:
            if error.errno not in (errno.ECONNREFUSED, errno.ENOENT):
                raise
            counts["refused"] += 1
        # Below the rate of the example's grant; and more would fill the log, and the test with reading it.
        time.sleep(0.015)
print(json.dumps(counts))
