/// One decoder, or one path through several, that reads bytes somebody else wrote.
///
/// `make fuzz` runs each under libFuzzer; `make test` runs each over its seeds and its corpus.
package protocol FuzzTarget: Sendable {
  /// As `make fuzz` and the folders of `Tests/FuzzTests/Corpora` call it.
  static var name: String { get }
  /// The most bytes that an input has.
  static var byteLimit: Int { get }

  /// What mutation begins with: golden vectors and what our own encoders write, deep nesting and
  /// lengths that lie.
  static func seeds() throws -> [[UInt8]]

  /// Takes `input` as the product would; what it refuses is refused quietly.
  ///
  /// - Throws: `BrokenPromise` where what was accepted is not what was sent; any other error is a
  ///   refusal.
  static func run(_ input: [UInt8]) throws
}

/// Something that must hold for every input and does not for this one.
package struct BrokenPromise: Error, CustomStringConvertible {
  package let description: String
}

/// - Throws: `BrokenPromise` unless `condition` holds.
func promise(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  guard condition else { throw BrokenPromise(description: what()) }
}

/// Everything that reads hostile bytes; adding a decoder is adding its file and a row here.
package let fuzzTargets: [any FuzzTarget.Type] = [
  FrameTarget.self,
  ClaimFrameTarget.self,
  MessageTarget.self,
  ServiceTarget.self,
  TokenSignatureTarget.self,
  CertificateTarget.self,
  TokenJSONTarget.self,
  PassJSONTarget.self,
  PaymentDataTarget.self,
  PaymentEnvelopeTarget.self,
  SurrogateTarget.self,
  JWEMembersTarget.self,
  KeyBlockTarget.self,
  ManifestTarget.self,
  PassphraseFileTarget.self,
  CustodianFileTarget.self,
  LedgerTarget.self,
  SLIP39WordsTarget.self,
  AuditLineTarget.self,
  NoteTarget.self,
  EvidenceTarget.self,
  SegmentTarget.self,
  PolicyTarget.self,
  ConfigurationTarget.self,
  SettingsTarget.self,
  CeremonyTarget.self,
  KeyFileTarget.self,
  ClientTarget.self,
]
