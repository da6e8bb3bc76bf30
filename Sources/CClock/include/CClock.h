// Whether something keeps the system's clock right; only kist asks.
#pragma once

// 1 or 0, as adjtimex(2) says; -1 if this process may not ask.
int kist_clock_is_synchronised(void);
