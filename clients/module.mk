# What programs load: a module of its own sources and of libkist's. The Makefile that includes this says
#   MODULE, its file's name; MAP, which of its symbols can be seen; HEADERS and LIBRARIES, what it needs besides.
SHELL := /bin/bash
.DELETE_ON_ERROR:

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
CC ?= cc
LIBKIST ?= ../c

CFLAGS ?= -O2 -g
STRICT := -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -pedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
HARDENED := -fstack-protector-strong -fPIC -fvisibility=hidden -D_FORTIFY_SOURCE=2 -pthread
SANITIZED := -O1 -g -fPIC -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -pthread
# It is never unloaded: OpenSSL frees keys of a provider after it, and a call of another thread's may be in it.
LINKED := -shared -pthread -Wl,--version-script=$(MAP) -Wl,-z,relro,-z,now,-z,defs,-z,nodelete
INCLUDED = $(HEADERS) -I$(LIBKIST) -I..

SOURCES := $(wildcard src/*.c)
OWN := $(SOURCES) $(wildcard src/*.h) ../digest.h ../module.mk Makefile $(MAP)

.PHONY: all
all: $(BUILD)/$(MODULE)

$(BUILD)/$(MODULE): $(OWN) $(BUILD)/c/libkist.a
	$(CC) $(STRICT) $(CFLAGS) $(CPPFLAGS) $(HARDENED) $(LDFLAGS) $(LINKED) $(INCLUDED) -o $@ $(SOURCES) $(BUILD)/c/libkist.a $(LIBRARIES)

$(BUILD)/c/libkist.a: $(wildcard $(LIBKIST)/src/*) $(wildcard $(LIBKIST)/*.h)
	$(MAKE) --no-print-directory --directory $(LIBKIST) BUILD=$(abspath $(BUILD)/c) $(abspath $(BUILD)/c/libkist.a)

# With the library's own sources, so that the sanitizers see all of it.
$(BUILD)/sanitized/$(MODULE): $(OWN) $(wildcard $(LIBKIST)/src/*)
	mkdir -p $(@D)
	$(CC) $(STRICT) $(SANITIZED) $(LINKED) -Wl,-z,undefs $(INCLUDED) -DKIST_VERSION='"0"' -I$(LIBKIST)/src -o $@ $(SOURCES) $(LIBKIST)/src/*.c $(LIBRARIES)

.PHONY: tests
tests: all $(BUILD)/sanitized/$(MODULE)

.PHONY: clean
clean:
	rm -rf $(BUILD)
