import Format

/// A JWS in compact serialisation (RFC 7515 §7.1) that `sign` is to sign: what a partner asks for,
/// and no more of JOSE.
///
///     let jws = JWS(payload, header, by: .ecdsaP256SHA256Fixed)
///     let text = jws.compact(try client.sign(jws.signingInput, with: key, .ecdsaP256SHA256Fixed))
public struct JWS: Hashable, Sendable {
  /// The members of a header besides `alg`: there are no others.
  public struct Header: Hashable, Sendable {
    public var kid, typ, cty, iss, aud: String?
    /// Seconds since 1970.
    public var iat, exp, nbf: UInt32?

    public init() {}
  }

  /// What is signed.
  public let signingInput: [UInt8]

  /// Nil for a scheme that JWS has no name for; so there is no `none`.
  public init?(_ payload: [UInt8], _ header: Header = Header(), by scheme: SignatureScheme) {
    guard let algorithm = scheme.jwsAlgorithm else { return nil }
    let members: CanonicalJSON = [
      "alg": algorithm, "aud": header.aud, "cty": header.cty, "exp": header.exp, "iat": header.iat,
      "iss": header.iss, "kid": header.kid, "nbf": header.nbf, "typ": header.typ,
    ]
    signingInput = Array(
      (Base64URL.encode(members.serialised) + "." + Base64URL.encode(payload)).utf8)
  }

  /// The JWS with this signature.
  public func compact(_ signature: [UInt8]) -> String {
    String(decoding: signingInput, as: UTF8.self) + "." + Base64URL.encode(signature)
  }
}

extension SignatureScheme {
  /// RFC 7518 §3.1 and RFC 8037 §3.1; ECDSA signatures are r ‖ s.
  fileprivate var jwsAlgorithm: String? {
    switch wire {
    case .ecdsaP256SHA256Fixed: "ES256"
    case .ecdsaP384SHA384Fixed: "ES384"
    case .rsaPKCS1SHA256: "RS256"
    case .rsaPSSSHA256: "PS256"
    case .ed25519: "EdDSA"
    case .ecdsaP256SHA256, .ecdsaP384SHA384, .rsaPKCS1SHA384, .rsaPKCS1SHA512, .rsaPSSSHA384,
      .rsaPSSSHA512:
      nil
    }
  }
}
