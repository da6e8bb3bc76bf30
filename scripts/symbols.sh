#!/usr/bin/env bash
# The release kistd must not contain what only `kist` needs: key files and components, splitting, verifying, explaining; and kist-claimd, which has the
# network, nothing that has to do with keys.
set -euo pipefail
cd "$(dirname "$0")/.."

kistd=${1:-.build/release/kistd}
claimd=${2:-.build/release/kist-claimd}

# A type or function of each kind of work that only `kist` does; parts of demangled names.
absent=(
  PKCS12 PBES2 EncryptedPKCS8 PrivateKeyFile PEM KeyFileError ImportedKey    # keys in files
  KeyComponents ComponentError DESParity SecretHex                           # keys in components
  LogVerifier Verification HumanLine countedRefusals                         # logs for people
  ShareCollection.split ShareSets                                            # shares
  LockedKeyStore.create PassphraseFile.wrap StoreCopy                        # making and restoring stores
  ApplePayTokenJSON PGPWords Explanation
)

names=$(nm "$kistd" | swift demangle --simplified)
found=0
for name in "${absent[@]}"; do
  count=$(grep --count --word-regexp --fixed-strings -- "$name" <<<"$names" || true)
  if ((count)); then
    echo "symbols: $kistd has $count of $name:" >&2
    grep --max-count 5 --word-regexp --fixed-strings -- "$name" <<<"$names" >&2
    found=1
  fi
done
# What C brings for the same.
if nm --dynamic --undefined-only "$kistd" | grep --extended-regexp ' (PKCS12_|d2i_PKCS12|PKCS8_PRIV_KEY_INFO|PEM_)' >&2; then
  echo "symbols: $kistd calls OpenSSL for key files" >&2
  found=1
fi
names=$(nm "$claimd" | swift demangle --simplified)
for name in CryptoBackend KeyStore KeyBlock SecretSharing Operations; do
  count=$(grep --count --word-regexp --fixed-strings -- "$name" <<<"$names" || true)
  ((count == 0)) || { echo "symbols: $claimd has $count of $name" >&2; found=1; }
done
if nm --dynamic --undefined-only "$claimd" | grep --extended-regexp ' (EVP|SSL|BIO|X509|sodium|crypto)_' >&2; then
  echo "symbols: $claimd calls OpenSSL or libsodium itself" >&2
  found=1
fi
((found == 0)) && echo "symbols: none of the ${#absent[@]} kinds that only kist needs, and no cryptography in kist-claimd"
exit "$found"
