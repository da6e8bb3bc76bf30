import CryptoBackend
import Encoding
import SecretMemory
import TestSupport
import Testing

@Test func smoke() throws {
  try #require(TestArena.ready)
  #expect(SHA256.hash(Array("abc".utf8)).hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  for kind in [KeyKind.p256, .p384, .rsa(bits: 2048), .ed25519] {
    let key = try PrivateKey.generate(kind)
    let der = try key.serialised()
    let again = switch kind {
    case .p256, .p384: try PrivateKey(ecPrivateKeyDER: der.bytes)
    case .rsa: try PrivateKey(rsaPrivateKeyDER: der.bytes)
    case .ed25519: try PrivateKey(ed25519Seed: der.bytes.extracting(16..<48))
    }
    #expect(again.spki == key.spki)
    let der2 = try again.serialised()
    do { let same = ConstantTime.equal(der.bytes, der2.bytes); #expect(same) }
    let m = Array("hello".utf8)
    let s = try again.sign(m.span)
    let good = key.publicKey.verify(signature: s.span, message: m.span); #expect(good)
    let bad = key.publicKey.verify(signature: s.span, message: s.span); #expect(!bad)
  }
  let a = try PrivateKey.generate(.p256), b = try PrivateKey.generate(.p256)
  let pa = a.publicKey.point!, pb = b.publicKey.point!
  let za = try a.agree(with: pb.span), zb = try b.agree(with: pa.span)
  do { let same = ConstantTime.equal(za.bytes, zb.bytes); #expect(same) }
  let none: [UInt8] = []
  let k = [UInt8](repeating: 1, count: 32), iv = [UInt8](repeating: 0, count: 16)
  let sealed = try AESGCM.seal(key: k.span, iv: iv.span, plaintext: k.span, aad: none.span)
  let n = sealed.count - 16
  let pt = try AESGCM.open(key: k.span, iv: iv.span, ciphertext: sealed.span.extracting(0..<n), tag: sealed.span.extracting(n..<n+16), aad: none.span)
  do { let same = ConstantTime.equal(pt.bytes, k.span); #expect(same) }
  _ = try HMACSHA256.authenticate(key: k.span, iv.span)
  _ = try AESCMAC.authenticate(key: k.span, message: iv.span)
  _ = try HKDFSHA256.derive(secret: k.span, salt: iv.span, info: none.span, count: 42)
  _ = try OneStepKDF.sha256(z: k.span, otherInfo: iv.span)
  let enc = try PrivateKey.generate(.rsa(bits: 2048))
  let ct = try enc.publicKey.encryptOAEP(iv.span)
  let back = try enc.decryptOAEP(ct.span)
  do { let same = ConstantTime.equal(back.bytes, iv.span); #expect(same) }
}
@Test func cert() throws {
  try #require(TestArena.ready)
  let c = try Certificate(der: [UInt8](Vectors.data("applepay/certs/AppleAAICAG3.cer")))
  let r = try Certificate(der: [UInt8](Vectors.data("applepay/certs/AppleRootCA-G3.cer")))
  #expect(c.isSigned(by: r.publicKey))
  #expect(!r.isSigned(by: c.publicKey))
  print(c.subjectCommonName as Any, c.notBefore, c.notAfter, c.isCA, c.pathLength as Any, c.extensions.map(\.oid), c.criticalExtensionOIDs, c.keyUsage as Any)
}
@Test func st() throws {
  try #require(TestArena.ready)
  let t = ContinuousClock.now
  #expect(SelfTest.run() == [])
  print("selftest", ContinuousClock.now - t)
  let k = try PrivateKey.generate(.rsa(bits: 2048))
  let der = try k.serialised()
  let t2 = ContinuousClock.now
  for _ in 0..<10 { _ = try PrivateKey(rsaPrivateKeyDER: der.bytes) }
  print("rsa load", (ContinuousClock.now - t2) / 10)
  let e = try PrivateKey.generate(.p256)
  let p = e.publicKey.point!
  let t3 = ContinuousClock.now
  for _ in 0..<2000 { _ = try e.agree(with: p.span) }
  print("ecdh", (ContinuousClock.now - t3) / 2000)
  let m = [UInt8](repeating: 1, count: 500)
  let t4 = ContinuousClock.now
  for _ in 0..<2000 { _ = SHA256.hash(m) }
  print("sha256 500", (ContinuousClock.now - t4) / 2000)
  let t5 = ContinuousClock.now
  for _ in 0..<2000 { _ = try HMACSHA256.authenticate(key: m.span.extracting(0..<32), m.span) }
  print("hmac 500", (ContinuousClock.now - t5) / 2000)
  let iv = [UInt8](repeating: 0, count: 16), no: [UInt8] = []
  let t6 = ContinuousClock.now
  for _ in 0..<2000 { _ = try? AESGCM.open(key: m.span.extracting(0..<32), iv: iv.span, ciphertext: m.span, tag: iv.span, aad: no.span) }
  print("gcm 500", (ContinuousClock.now - t6) / 2000)
}
