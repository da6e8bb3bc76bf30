#!/usr/bin/env bash
# gcc's and clang's analyzers over all C that is shipped; an alarm is an error. The C++ only clang understands.
set -euo pipefail
cd "$(dirname "$0")/.."

includes=(-I/usr/include/p11-kit-1 -ISources/CLinux/include -ISources/CChild/include -ISources/CClock/include -ISources/CToml/include -Iclients -Iclients/c -Iclients/c/src)
for file in Sources/CLinux/*.c Sources/CChild/*.c Sources/CClock/*.c clients/c/src/*.c clients/openssl/src/*.c clients/pkcs11/src/*.c Sources/CToml/*.cpp; do
  options=("${includes[@]}" '-DKIST_VERSION="0"')
  case $file in
  *.cpp) options+=(-std=c++17) ;;
  clients/*) options+=(-std=c11 -D_GNU_SOURCE) ;;
  *) options+=(-std=gnu11) ;;
  esac
  clang --analyze -Xclang -analyzer-output=text -Xclang -analyzer-werror "${options[@]}" "$file"
  [[ $file == *.cpp ]] || gcc -fanalyzer -Wall -Wextra -Werror -O1 "${options[@]}" -c -o /dev/null "$file"
done
