// Extended attributes, which Swift's module of the C library lacks.
#pragma once
#include <sys/xattr.h>
