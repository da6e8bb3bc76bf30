#include <sys/timex.h>

#include "CClock.h"

int kist_clock_is_synchronised(void) {
  struct timex clock = {0};
  return adjtimex(&clock) != TIME_ERROR;
}
