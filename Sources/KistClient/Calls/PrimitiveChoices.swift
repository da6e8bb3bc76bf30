import Format

/// A signature algorithm with its hash and form.
public struct SignatureScheme: Hashable, Sendable {
  let wire: SignatureChoice

  /// Such as `ecdsa-p256-sha256`; nil for a name that is none of `names`.
  public init?(name: String) {
    guard let wire = SignatureChoice(name: name) else { return nil }
    self.wire = wire
  }

  public var name: String { wire.name }
  public static var names: [String] { SignatureChoice.allCases.map(\.name) }

  public static let ecdsaP256SHA256 = SignatureScheme(.ecdsaP256SHA256)
  public static let ecdsaP384SHA384 = SignatureScheme(.ecdsaP384SHA384)
  /// r ‖ s instead of DER.
  public static let ecdsaP256SHA256Fixed = SignatureScheme(.ecdsaP256SHA256Fixed)
  public static let ecdsaP384SHA384Fixed = SignatureScheme(.ecdsaP384SHA384Fixed)
  public static let rsaPKCS1SHA256 = SignatureScheme(.rsaPKCS1SHA256)
  public static let rsaPKCS1SHA384 = SignatureScheme(.rsaPKCS1SHA384)
  public static let rsaPKCS1SHA512 = SignatureScheme(.rsaPKCS1SHA512)
  public static let rsaPSSSHA256 = SignatureScheme(.rsaPSSSHA256)
  public static let rsaPSSSHA384 = SignatureScheme(.rsaPSSSHA384)
  public static let rsaPSSSHA512 = SignatureScheme(.rsaPSSSHA512)
  public static let ed25519 = SignatureScheme(.ed25519)

  private init(_ wire: SignatureChoice) { self.wire = wire }
}

/// A key derivation function with its hash.
public struct Derivation: Hashable, Sendable {
  let wire: DerivationChoice

  /// Such as `one-step-sha256`; nil for a name that is none of `names`.
  public init?(name: String) {
    guard let wire = DerivationChoice(name: name) else { return nil }
    self.wire = wire
  }

  public var name: String { wire.name }
  public static var names: [String] { DerivationChoice.allCases.map(\.name) }

  public static let oneStepSHA256 = Derivation(.oneStepSHA256)
  public static let oneStepSHA384 = Derivation(.oneStepSHA384)
  public static let oneStepSHA512 = Derivation(.oneStepSHA512)
  public static let x963SHA256 = Derivation(.x963SHA256)
  public static let x963SHA384 = Derivation(.x963SHA384)
  public static let x963SHA512 = Derivation(.x963SHA512)
  public static let hkdfSHA256 = Derivation(.hkdfSHA256)
  public static let hkdfSHA384 = Derivation(.hkdfSHA384)
  public static let hkdfSHA512 = Derivation(.hkdfSHA512)

  private init(_ wire: DerivationChoice) { self.wire = wire }
}

/// A message authentication code, for a key behind a handle.
public struct MACAlgorithm: Hashable, Sendable {
  let wire: MACChoice

  /// Such as `hmac-sha256`; nil for a name that is none of `names`.
  public init?(name: String) {
    guard let wire = MACChoice(name: name) else { return nil }
    self.wire = wire
  }

  public var name: String { wire.name }
  public static var names: [String] { MACChoice.allCases.map(\.name) }

  public static let hmacSHA256 = MACAlgorithm(.hmacSHA256)
  public static let hmacSHA384 = MACAlgorithm(.hmacSHA384)
  public static let hmacSHA512 = MACAlgorithm(.hmacSHA512)
  public static let aesCMAC = MACAlgorithm(.aesCMAC)

  private init(_ wire: MACChoice) { self.wire = wire }
}
