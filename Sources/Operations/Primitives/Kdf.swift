import Crypto
import Format
import Host
import Policy

/// `kdf`: derives a key from the secret behind a handle; uses the handle up even on failure
/// [OP-KDF-1].
enum Kdf: Operation {
  static let opcode = Opcode.kdf

  static func run(
    _ request: borrowing KDFRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    guard !request.release || context.grant.secrets.contains(.derivedKey) else { throw .noSuchKey }
    let secret = try context.handle(request.handle, spending: true)
    let info = try info(request)
    let derived = try secret.withBytes { (bytes) throws(OperationError) in
      try derive(request, bytes, info)
    }
    if request.release {
      try release(derived, into: &reply)
      context.finding.secrets = ReleasedSecrets([.derivedKey])
    } else {
      let handle = try context.handles.add(derived, .derivedKey, of: secret.key)
      var answer = KDFReply()
      answer.handle = handle.span
      try reply.write(answer)
    }
  }

  private static func release(_ derived: borrowing SecretBuffer, into reply: inout MessageWriter)
    throws(OperationError)
  {
    var answer = KDFReply()
    answer.derivedKey = derived.bytes
    try reply.write(answer)
  }

  private static func derive(
    _ request: borrowing KDFRequest, _ secret: Span<UInt8>, _ info: borrowing SecretBuffer
  ) throws(OperationError) -> SecretBuffer {
    try onParameters(
      KeyDerivation(request.derivation).derive(
        secret: secret, info: info.bytes, salt: request.salt, count: request.count))
  }

  /// The OtherInfo; its parts are joined in the arena because SuppPrivInfo may be secret
  /// [OP-KDF-3].
  private static func info(_ request: borrowing KDFRequest) throws(OperationError) -> SecretBuffer {
    do throws(SecretMemoryError) {
      guard !request.otherInfo.isEmpty else { return try SecretBuffer(copying: request.info) }
      return try concatenation(request.otherInfo)
    } catch { throw OperationError(error) }
  }

  private static func concatenation(_ parts: borrowing OtherInfo) throws(SecretMemoryError)
    -> SecretBuffer
  {
    var whole = try SecretBuffer(count: parts.count)
    var out = whole.mutableBytes
    var place = 0
    out.copy(parts.algorithmID, at: place)
    place += parts.algorithmID.count
    out.copy(parts.partyUInfo, at: place)
    place += parts.partyUInfo.count
    out.copy(parts.partyVInfo, at: place)
    place += parts.partyVInfo.count
    out.copy(parts.suppPubInfo, at: place)
    place += parts.suppPubInfo.count
    out.copy(parts.suppPrivInfo, at: place)
    return whole
  }
}

extension KeyDerivation {
  init(_ choice: DerivationChoice) {
    switch choice {
    case .oneStepSHA256: self.init(.oneStep, .sha256)
    case .oneStepSHA384: self.init(.oneStep, .sha384)
    case .oneStepSHA512: self.init(.oneStep, .sha512)
    case .x963SHA256: self.init(.x963, .sha256)
    case .x963SHA384: self.init(.x963, .sha384)
    case .x963SHA512: self.init(.x963, .sha512)
    case .hkdfSHA256: self.init(.hkdf, .sha256)
    case .hkdfSHA384: self.init(.hkdf, .sha384)
    case .hkdfSHA512: self.init(.hkdf, .sha512)
    }
  }
}
