#!/usr/bin/env bash
# The release kistd-keys must not contain what only `kist` needs: key files and components, splitting, verifying, explaining; nor read anybody's text or
# ask a name service, which kistd does before there is a key. kistd must have nothing that has to do with keys, and so must kist-claimd, which has the network.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=${1:-.build/release}
keys=$programs/kistd-keys

# A type or function of each kind of work that only `kist` does; parts of demangled names.
absent=(
  PKCS12 PBES2 EncryptedPKCS8 PrivateKeyFile PEM KeyFileError ImportedKey    # keys in files
  KeyComponents ComponentError DESParity SecretHex                           # keys in components
  LogVerifier Verification HumanLine countedRefusals                         # logs for people
  ShareCollection.split ShareSets                                            # shares
  LockedKeyStore.create PassphraseFile.wrap StoreCopy                        # making and restoring stores
  ApplePayTokenJSON PGPWords Explanation
  CertificateBuilder DERWriter                                               # certificates of a test PKI
  TOMLDocument PolicyDirectory TextFile AccountFile SubordinateUsers          # text of people's
)

names=$(nm "$keys" | swift demangle --simplified)
found=0
for name in "${absent[@]}"; do
  count=$(grep --count --word-regexp --fixed-strings -- "$name" <<<"$names" || true)
  if ((count)); then
    echo "symbols: $keys has $count of $name:" >&2
    grep --max-count 5 --word-regexp --fixed-strings -- "$name" <<<"$names" >&2
    found=1
  fi
done
# What C brings for the same.
if nm --dynamic --undefined-only "$keys" | grep --extended-regexp ' (PKCS12_|d2i_PKCS12|PKCS8_PRIV_KEY_INFO|PEM_)' >&2; then
  echo "symbols: $keys calls OpenSSL for key files" >&2
  found=1
fi
# Name services, and what opens the files of users and groups.
if nm --dynamic --undefined-only "$keys" | grep --extended-regexp ' (get|set|end)(pw|gr|sp)(ent|nam|uid|gid)| get(host|serv|net|addr|name|grouplist)' >&2; then
  echo "symbols: $keys asks name services" >&2
  found=1
fi
if nm "$keys" | grep --extended-regexp --max-count 5 'toml_|4toml' >&2; then
  echo "symbols: $keys has toml++" >&2
  found=1
fi
for program in "$programs/kistd" "$programs/kist-claimd"; do
  names=$(nm "$program" | swift demangle --simplified)
  for name in Crypto KeyStore Operations; do
    count=$(grep --count --word-regexp --fixed-strings -- "$name" <<<"$names" || true)
    ((count == 0)) || { echo "symbols: $program has $count of $name" >&2; found=1; }
  done
  if nm --dynamic --undefined-only "$program" | grep --extended-regexp ' (EVP|SSL|BIO|X509|sodium|crypto)_' >&2; then
    echo "symbols: $program calls OpenSSL or libsodium itself" >&2
    found=1
  fi
done
for program in "$programs"/{kistd,kistd-keys,kist,kist-claimd}; do
  if readelf --dynamic "$program" | grep --extended-regexp 'R(UN)?PATH' >&2; then
    echo "symbols: $program looks for libraries elsewhere than the system does" >&2
    found=1
  fi
done
((found == 0)) && echo "symbols: none of the ${#absent[@]} kinds that only kist and kistd need, and no cryptography in kistd and kist-claimd"
exit "$found"
