#!/usr/bin/env bash
# The rules that need no test to run: format, forbidden imports, layers.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$1"; }

step "format"
swift format lint --strict --recursive --parallel Package.swift Sources Tests clients/swift

step "forbidden imports: the key holder has no Foundation, no Dispatch, no concurrency runtime"
if grep --recursive --line-number --extended-regexp 'import (Foundation|FoundationEssentials|Dispatch|Synchronization|_Concurrency)' Sources; then
  exit 1
fi

step "unsafe: none in the modules that parse, decide and keep"
if grep --recursive --line-number --word-regexp unsafe \
  Sources/{ApplePay,Audit,Ceremony,Encoding,KeyBlock,KeyStore,Operations,Policy,PolicyReview,QRCode,SecretSharing,Service,TokenDiagnosis,Wire}; then
  exit 1
fi

step "layers: a target imports only what its row in Package.swift names"
swift build --build-tests --explicit-target-dependency-import-check error

echo "lint: ok"
