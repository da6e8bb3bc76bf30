internal import Configuration
internal import CryptoBackend
internal import SecretMemory
internal import Storage

/// A file that somebody brings to the ceremony: it is the reviewed one by its SHA-256, or it is not used.
struct BroughtFile {
  let path: String
  private let digest: Digest256

  /// - Parameters:
  ///   - key: what the step's table calls the path.
  ///   - what: what it must say, for whoever wrote something else.
  init(_ table: TOMLTable, _ key: String, _ what: String) throws(ConfigurationError) {
    path = try table.required(key, what).path()
    digest = try table.required("sha256", TOMLNode.expectedDigest + ", as sha256sum prints of the file").sha256()
  }

  var script: String { "that file's SHA-256 must be \(digest.hex)" }

  /// The bytes of a file that may hold a secret, or that somebody may mistake for one.
  func readSecret(limit: Int, _ floor: Floor) throws(CeremonyError) -> SecretBuffer {
    let (path, disk) = (path, floor.directory.disk)
    let secret = try CeremonyError.storage { () throws(StorageError) in try DurableFile.readSecret(path, limit: limit, on: disk) }
    try check(Self.digest(secret), floor)
    return secret
  }

  func read(limit: Int, _ floor: Floor) throws(CeremonyError) -> [UInt8] {
    let file = try CeremonyError.storage { () throws(StorageError) in try DurableFile.read(path, limit: limit, on: floor.directory.disk) }
    try check(SHA256.hash(file), floor)
    return file
  }

  /// Checks the record of it.
  func check(_ records: inout RecordCursor) throws(RecordCursor.End) { try records.fact(Subject.file(path), digest.hex) }

  private func check(_ found: Digest256, _ floor: Floor) throws(CeremonyError) {
    guard found == digest else { throw .refused(.otherFile) }
    try floor.record(.fact(subject: Subject.file(path), value: digest.hex))
  }

  // As a function of its own because Swift 6.3 lets no buffer be returned that was borrowed from in the same function.
  private static func digest(_ secret: borrowing SecretBuffer) -> Digest256 { SHA256.hash(secret.bytes) }
}
