internal import COpenSSL

/// Whether the numbers of an RSA private key with two primes satisfy the relations of RFC 8017 §3.2.
///
/// It takes microseconds, so it can check every key of the store at each start. That p and q are prime is tested only
/// when a key first comes in, by `PrivateKey.validate`.
@unsafe func rsaRelationsHold(_ key: OpaquePointer) throws(CryptoError) -> Bool {
  let n = try unsafe BigNumber("n", of: key)
  let e = try unsafe BigNumber("e", of: key)
  let d = try unsafe BigNumber("d", of: key)
  let p = try unsafe BigNumber("rsa-factor1", of: key)
  let q = try unsafe BigNumber("rsa-factor2", of: key)
  let dP = try unsafe BigNumber("rsa-exponent1", of: key)
  let dQ = try unsafe BigNumber("rsa-exponent2", of: key)
  let inverse = try unsafe BigNumber("rsa-coefficient1", of: key)
  let p1 = try p.minusOne()
  let q1 = try q.minusOne()
  let product = try p.times(q)
  let ed = try e.times(d)
  let edP = try e.times(dP)
  let edQ = try e.times(dQ)
  let unit = try q.times(inverse)
  guard product.equals(n), try ed.isOne(modulo: p1), try ed.isOne(modulo: q1) else { return false }
  guard try edP.isOne(modulo: p1), try edQ.isOne(modulo: q1) else { return false }
  return try unit.isOne(modulo: p)
}
