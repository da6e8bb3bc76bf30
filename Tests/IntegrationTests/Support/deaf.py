#!/usr/bin/env python3
"""Runs a program whose standard error is full and read by nobody: deaf.py FIFO PROGRAM ARGUMENTS…"""
import os, sys

path = sys.argv[1]
os.mkfifo(path)
# Opened for reading, too, so that it has a reader as long as the program runs.
end = os.open(path, os.O_RDWR | os.O_NONBLOCK)
try:
    while True:
        os.write(end, bytes(4096))
except BlockingIOError:
    pass
os.set_blocking(end, True)
os.dup2(end, 2)
os.execv(sys.argv[2], sys.argv[2:])
