# shellcheck shell=bash
# For `source`: what depends on the processor runs on the machine as it is, and once more without AVX-512, where OpenSSL runs other code.

# Usage: without_avx512 COMMAND… — F, DQ, IFMA and VL of leaf 7 are left out. A mask that is set already stays, and an empty one would leave out everything.
without_avx512() {
  if [[ -n ${OPENSSL_ia32cap:-} ]]; then
    echo "processor: all of it ran with OPENSSL_ia32cap=$OPENSSL_ia32cap"
  elif ! grep --quiet avx512ifma /proc/cpuinfo; then
    echo "processor: it has no AVX-512, so nothing runs once more without"
  else
    OPENSSL_ia32cap=':~0x80230000' "$@"
  fi
}
