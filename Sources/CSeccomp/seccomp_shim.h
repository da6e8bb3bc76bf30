#pragma once
#include <seccomp.h>

// Macros that Swift cannot import.
static const uint32_t kist_seccomp_allow = SCMP_ACT_ALLOW;
static const uint32_t kist_seccomp_kill_process = SCMP_ACT_KILL_PROCESS;

static inline uint32_t kist_seccomp_refuse(uint16_t error) { return SCMP_ACT_ERRNO(error); }
