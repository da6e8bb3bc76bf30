#ifndef KIST_TEXT_H
#define KIST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Well-formed UTF-8, Unicode table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF. */
bool kist_is_utf8(const uint8_t *text, size_t count);

#endif
