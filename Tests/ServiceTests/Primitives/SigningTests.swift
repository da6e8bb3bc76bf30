import Crypto
import Format
import KeyStore
import ServiceHarness
import TestSupport
import Testing

@Suite struct SigningTests {
  static let message = Array("to be signed".utf8)

  static func role(_ scheme: SignatureChoice) -> KeyRole {
    switch scheme {
    case .ecdsaP256SHA256, .ecdsaP256SHA256Fixed, .ecdsaP384SHA384, .ecdsaP384SHA384Fixed:
      .signingECDSA
    case .rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA256, .rsaPSSSHA384,
      .rsaPSSSHA512:
      .signingRSA
    case .ed25519: .signingEd25519
    }
  }

  static func hash(_ scheme: SignatureChoice) -> HashAlgorithm? {
    switch scheme {
    case .ecdsaP256SHA256, .ecdsaP256SHA256Fixed, .rsaPKCS1SHA256, .rsaPSSSHA256: .sha256
    case .ecdsaP384SHA384, .ecdsaP384SHA384Fixed, .rsaPKCS1SHA384, .rsaPSSSHA384: .sha384
    case .rsaPKCS1SHA512, .rsaPSSSHA512: .sha512
    case .ed25519: nil
    }
  }

  private func key(_ scheme: SignatureChoice, _ scene: PrimitiveScene) -> KeyID {
    let isP384 = scheme == .ecdsaP384SHA384 || scheme == .ecdsaP384SHA384Fixed
    return isP384 ? scene.signingP384 : scene.key(Self.role(scheme))
  }

  @Test(
    "[OP-SIGN-1] [OP-SIGN-2] [OP-SIGN-3] each scheme signs, and a change is seen",
    arguments: SignatureChoice.allCases)
  func signs(_ scheme: SignatureChoice) throws {
    let scene = try PrimitiveScene()
    let id = key(scheme, scene)
    let signature = try scene.ask(.sign, id, Body.sign(scheme, Self.message)).signature
    #expect(try scene.ask(.verify, id, Body.verify(scheme, Self.message, signature)) == "ok")
    #expect(
      try scene.ask(.verify, id, Body.verify(scheme, Self.message + [0], signature)) == "signature")
    for place in [0, signature.count / 2, signature.count - 1] {
      var changed = signature
      changed[place] ^= 1
      #expect(try scene.ask(.verify, id, Body.verify(scheme, Self.message, changed)) == "signature")
    }
    for other in [[], Array(signature.dropLast()), signature + [0]] {
      #expect(try scene.ask(.verify, id, Body.verify(scheme, Self.message, other)) == "signature")
    }

    let message = Self.message
    guard let digest = try Self.hash(scheme)?.hash(message.span) else {
      let digest = [UInt8](repeating: 1, count: 64)
      #expect(try scene.ask(.sign, id, Body.sign(scheme, digest, digested: true)) == "parameters")
      return
    }
    let overDigest = try scene.ask(.sign, id, Body.sign(scheme, digest, digested: true)).signature
    #expect(try scene.ask(.verify, id, Body.verify(scheme, Self.message, overDigest)) == "ok")
    #expect(
      try scene.ask(.verify, id, Body.verify(scheme, digest, signature, digested: true)) == "ok")
    for count in [0, 20, digest.count - 1] {
      #expect(
        try scene.ask(.sign, id, Body.sign(scheme, Array(digest.prefix(count)), digested: true))
          == "parameters")
      #expect(
        try scene.ask(
          .verify, id, Body.verify(scheme, Array(digest.prefix(count)), signature, digested: true))
          == "parameters")
    }
  }

  @Test(
    "[OP-SIGN-1] a scheme of another kind of key is refused", arguments: SignatureChoice.allCases)
  func otherKinds(_ scheme: SignatureChoice) throws {
    let scene = try PrimitiveScene()
    let own = key(scheme, scene)
    for id in [
      scene.key(.signingECDSA), scene.signingP384, scene.key(.signingRSA),
      scene.key(.signingEd25519),
    ] where id != own {
      #expect(try scene.ask(.sign, id, Body.sign(scheme, Self.message)) == "parameters")
      #expect(
        try scene.ask(.verify, id, Body.verify(scheme, Self.message, [1, 2, 3])) == "parameters")
    }
  }

  @Test("one scheme's signature is not another's") func schemesApart() throws {
    let scene = try PrimitiveScene()
    for scheme in SignatureChoice.allCases {
      let signature = try scene.ask(.sign, key(scheme, scene), Body.sign(scheme, Self.message))
        .signature
      for other in SignatureChoice.allCases
      where other != scheme && key(other, scene) == key(scheme, scene) {
        #expect(
          try scene.ask(.verify, key(scheme, scene), Body.verify(other, Self.message, signature))
            == "signature")
      }
    }
  }

  @Test("the merchant's identity key signs TLS handshakes and nothing else") func identity() throws
  {
    let scene = try PrimitiveScene()
    let id = scene.key(.merchantIdentityRSA)
    let publicKey = try PublicKey(spki: publicKey(of: id, scene))
    // TLS 1.2: rsa_pkcs1_sha*; TLS 1.3: rsa_pss_rsae_sha*.
    for scheme in [
      SignatureChoice.rsaPKCS1SHA256, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA256,
      .rsaPSSSHA384, .rsaPSSSHA512,
    ] {
      let signature = try scene.ask(.sign, id, Body.sign(scheme, Self.message)).signature
      let message = Self.message
      let isGood = try publicKey.verify(signature.span, over: message.span, .message, scheme)
      #expect(isGood)
    }
    #expect(try scene.ask(.verify, id, Body.verify(.rsaPSSSHA256, Self.message, [1])) == "denied")
    #expect(try scene.ask(.unwrap, id, Body.unwrap([UInt8](repeating: 1, count: 256))) == "denied")
  }
}

@Suite struct MessageCodeTests {
  static let message = Array("to be authenticated".utf8)
  static let roles: [(role: KeyRole, size: Int)] = [
    (.macHMACSHA256, 32), (.macHMACSHA384, 48), (.macHMACSHA512, 64), (.macCMAC, 16),
  ]

  @Test(
    "[OP-MAC-1] [OP-MAC-2] [OP-MAC-3] whole and cut, as stated and not otherwise", arguments: roles)
  func codes(_ role: KeyRole, _ size: Int) throws {
    let scene = try PrimitiveScene()
    let id = scene.key(role)
    let whole = try scene.ask(.mac, id, Body.mac(Self.message)).mac
    #expect(whole.count == size)
    for length in [0, 8, size - 1, size] {
      let code = try scene.ask(.mac, id, Body.mac(Self.message, length: length)).mac
      #expect(code == Array(whole.prefix(length == 0 ? size : length)))
      #expect(
        try scene.ask(.verifyMAC, id, Body.verifyMAC(Self.message, code, length: length)) == "ok")
      #expect(
        try scene.ask(.verifyMAC, id, Body.verifyMAC(Self.message + [0], code, length: length))
          == "mac")
      // A code of 65 bytes does not even fit its field.
      for other in [[], Array(code.dropLast())] + (code.count < 64 ? [code + [0]] : []) {
        #expect(
          try scene.ask(.verifyMAC, id, Body.verifyMAC(Self.message, other, length: length))
            == "mac")
      }
      var changed = code
      changed[code.count - 1] ^= 1
      #expect(
        try scene.ask(.verifyMAC, id, Body.verifyMAC(Self.message, changed, length: length))
          == "mac")
    }
    // A short code passes only where the verifier asked for that length.
    #expect(
      try scene.ask(.verifyMAC, id, Body.verifyMAC(Self.message, Array(whole.prefix(8)))) == "mac")
    for length in [1, 4, 7] + (size < 64 ? [size + 1] : []) {
      #expect(try scene.ask(.mac, id, Body.mac(Self.message, length: length)) == "parameters")
      #expect(
        try scene.ask(
          .verifyMAC, id, Body.verifyMAC(Self.message, Array(whole.prefix(length)), length: length))
          == "parameters")
    }
  }

  @Test("[OP-MAC-1] under a handle the request says which code", arguments: MACChoice.allCases)
  func handles(_ choice: MACChoice) throws {
    let scene = try PrimitiveScene()
    let id = scene.key(.agreement)
    let handle = try scene.derivedKey()
    let code = try scene.ask(.mac, id, Body.mac(Self.message, handle: handle, choice)).mac
    #expect(
      try scene.ask(.verifyMAC, id, Body.verifyMAC(Self.message, code, handle: handle, choice))
        == "ok")
    let other = MACChoice.allCases.first { $0 != choice } ?? choice
    #expect(
      try scene.ask(.verifyMAC, id, Body.verifyMAC(Self.message, code, handle: handle, other))
        == "mac")
    let odd = try scene.ask(.kdf, id, Body.kdf(scene.sharedSecret(), count: 33)).handle
    #expect(
      try scene.ask(.mac, id, Body.mac(Self.message, handle: odd, choice))
        == (choice == .aesCMAC ? "parameters" : "ok"))
  }
}
