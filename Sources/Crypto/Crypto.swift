// Crypto: OpenSSL and libsodium behind types that cannot be misused (`Library`), and the two
// standards that are made of them: key blocks (X9.143) and shares of a secret (SLIP-39).
// It knows algorithms, keys and certificates, and where the libraries keep their memory.
// It must not know policy, files, or what a key is for.
// Called by whatever touches a key, a signature or a log; never by Policy, nor by kistd.
