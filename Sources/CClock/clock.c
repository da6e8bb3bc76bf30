#include <sys/timex.h>

#include "CClock.h"

int kist_clock_is_synchronised(void) {
  struct timex clock = {0};
  int state = adjtimex(&clock);
  return state < 0 ? -1 : state != TIME_ERROR;
}
