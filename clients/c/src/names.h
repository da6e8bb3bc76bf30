#ifndef KIST_NAMES_H
#define KIST_NAMES_H

#include <stdbool.h>
#include <stdint.h>

bool kist_stage_is_known(uint32_t stage);

#endif
