// One thread of the simulation runs at a time, and a seed says which.
#pragma once
#include <stdint.h>

// From now on the calling thread and those it starts run one at a time, and the seed decides what they do and what is random to them.
void interleaving_begin(uint64_t seed);

// Runs body(context, 0) to body(context, count - 1) on a thread each, and waits for all. At most 8.
void interleaving_run(int count, void (*body)(void *context, int number), void *context);

// How often another thread went on than the one before, since the process began.
uint64_t interleaving_switches(void);
