#!/usr/bin/env bash
# Usage: run.sh BUILD — vectors and hostile servers under sanitizers and valgrind, and what an installation looks like.
# The tests against a real daemon are started by ../../python/tests/test_c.py.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
vectors=../../proto/vectors
valgrind=(valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite)

step() { echo "libkist: $1"; }

step "golden vectors"
"$build/vectors_test" "$vectors"
"${valgrind[@]}" "$build/vectors_test.plain" "$vectors"

step "servers that lie, die and come back; threads and children"
"$build/client_test" ../replies.txt
"${valgrind[@]}" "$build/client_test.plain" ../replies.txt

step "exports what kist.h declares, and nothing else"
diff <(grep --only-matching --extended-regexp '\bkist_[a-z_]+\(' --no-filename kist.h kist_protocol.h | tr --delete '(' | sort --unique) \
  <(nm --dynamic --defined-only "$build/libkist.so.0" | sed --quiet 's/.* T \(.*\)@@LIBKIST_0$/\1/p' | sort)

step "needs nothing but libc"
needed=$(readelf --dynamic "$build/libkist.so.0" | sed --quiet 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[[ $needed == libc.so.6 ]] || { echo "it needs $needed" >&2; exit 1; }

step "installed: by pkg-config, shared and static, as C11 and C++17"
place=$(mktemp --directory)
trap 'rm -r "$place"' EXIT
make --no-print-directory --silent BUILD="$build" DESTDIR="$place" PREFIX=/usr install
export PKG_CONFIG_SYSROOT_DIR=$place PKG_CONFIG_PATH=$place/usr/lib/pkgconfig
export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
program='#include <kist.h>
#include <stdio.h>
int main(void) {
  struct kist *kist;
  uint8_t array[4];
  struct kist_buffer room = KIST_ROOM(array);
  struct kist_bytes text = KIST_TEXT("text");
  puts(kist_version());
  return room.capacity == 4 && text.count == 4 && kist_open(&kist, "tcp:", NULL) == KIST_E_ENDPOINT ? 0 : 1;
}'
version=$(pkg-config --modversion libkist)
read -ra flags <<<"$(pkg-config --cflags --libs libkist)"
read -ra static <<<"$(pkg-config --cflags --libs --static libkist)"
cc -std=c11 -pedantic -Wall -Wextra -Werror -x c - -o "$place/shared" "${flags[@]}" <<<"$program"
cc -static -std=c11 -x c - -o "$place/static" "${static[@]}" <<<"$program"
c++ -std=c++17 -Wall -Wextra -Werror -x c++ - -o "$place/c++" "${flags[@]}" <<<"$program"
for kind in shared static c++; do
  [[ $(LD_LIBRARY_PATH=$place/usr/lib "$place/$kind") == "$version" ]] || { echo "$kind: another version" >&2; exit 1; }
done

step "a copy of this folder alone: it says what it lacks, and nothing is installed by halves"
mkdir "$place/copy"
cp --archive Makefile ./*.h libkist.map libkist.pc.in src "$place/copy"
copied() { make --no-print-directory --silent --directory "$place/copy" BUILD="$(realpath "$build")" DESTDIR="$place/copied" PREFIX=/usr install "$@" 2>&1; }
refused=$(! copied) && [[ $refused == *"the version is in"*VERSION=* && ! -e $place/copied ]] || { echo "without a version: $refused"; exit 1; }
refused=$(! copied VERSION="$version") && [[ $refused == *kist.3* && ! -e $place/copied ]] || { echo "without a manual page: $refused"; exit 1; }
copied VERSION="$version" MAN_PAGE=
[[ -f $place/copied/usr/lib/libkist.so.0 && ! -e $place/copied/usr/share ]] || { echo "its installation is not whole"; exit 1; }
grep --quiet --line-regexp "Version: $version" "$place/copied/usr/lib/pkgconfig/libkist.pc"
