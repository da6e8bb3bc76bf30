#ifndef KIST_NAMES_H
#define KIST_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By number; NULL where no stage has it. */
extern const char *const kist_stages[];
extern const size_t kist_stages_count;

bool kist_stage_is_known(uint32_t stage);

#endif
