#!/usr/bin/env bash
# Makes the key files that the tests of `kist key import` read. They are public: keys of nobody's.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

key() { openssl genpkey -quiet "${@:2}" -out "$work/$1.key"; }
key ec -algorithm EC -pkeyopt ec_paramgen_curve:P-256
key other -algorithm EC -pkeyopt ec_paramgen_curve:P-256

# certificate NAME KEY SUBJECT [HASH]: HASH goes into Apple's merchant identifier extension.
certificate() {
  printf '[req]\ndistinguished_name=dn\n[dn]\n[ext]\nkeyUsage=critical,keyAgreement\n' >"$work/config"
  [[ -z ${4-} ]] || printf '1.2.840.113635.100.6.32=ASN1:UTF8String:%s\n' "$4" >>"$work/config"
  openssl req -new -x509 -sha256 -days 36500 -config "$work/config" -extensions ext -key "$work/$2.key" -subj "$3" -out "$1.pem"
}
hash() { printf %s "$1" | sha256sum | cut --delimiter=' ' --fields=1 | tr a-f A-F; }
subject="/UID=merchant.com.acme/CN=Apple Pay Payment Processing:merchant.com.acme"
certificate merchant ec "$subject" "$(hash merchant.com.acme)"
certificate merchant-of-other-key other "$subject" "$(hash merchant.com.acme)"
certificate merchant-of-other-hash ec "$subject" "$(hash merchant.com.other)"
certificate merchant-without-extension ec "$subject"
certificate merchant-without-uid ec "/CN=merchant.com.acme" "$(hash merchant.com.acme)"

cp "$work/ec.key" ec-pkcs8.pem
openssl ec -in "$work/ec.key" -out ec-sec1.pem 2>/dev/null
openssl ec -in "$work/ec.key" -outform DER -out ec-sec1.der 2>/dev/null
openssl pkcs8 -topk8 -v2 aes-256-cbc -passout pass:correct -in "$work/ec.key" -out ec-pbes2.pem
openssl pkcs8 -topk8 -v1 PBE-SHA1-RC4-128 -provider legacy -provider default -passout pass:correct -in "$work/ec.key" -out ec-rc4.pem
cat ec-pkcs8.pem merchant.pem >bundle.pem
cat ec-pkcs8.pem "$work/other.key" >two-keys.pem
openssl genrsa -traditional 2048 2>/dev/null >rsa-pkcs1.pem

# As Keychain writes them: RC2-40 for the certificate, 3DES for the key.
keychain=(-export -legacy -certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES -macalg sha1 -inkey "$work/ec.key" -in merchant.pem)
openssl pkcs12 "${keychain[@]}" -passout pass:correct -out keychain.p12
openssl pkcs12 "${keychain[@]}" -passout pass: -out keychain-empty.p12
chmod 644 ./*.p12 ./*.pem ./*.der
