// What Swift cannot import from libc: plain prototypes without logic.
// Only the .c files define _GNU_SOURCE: in a header it would change the socket prototypes that Swift sees.
#pragma once
#include "arena.h"
#include "landlock.h"
#include "linux_calls.h"
#include "stack.h"
