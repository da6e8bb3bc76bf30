// What Swift cannot import from libc: no logic, only plain prototypes.
// _GNU_SOURCE is defined in the .c files alone; in a header it would change the socket prototypes Swift sees.
#pragma once
#include "arena.h"
#include "landlock.h"
#include "linux_calls.h"
#include "stack.h"
