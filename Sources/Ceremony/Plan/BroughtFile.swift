import Configuration
import Crypto
import Host

/// A file that somebody brings to the ceremony; it is used only if its SHA-256 is the reviewed one.
struct BroughtFile {
  let path: String
  private let digest: Digest256

  /// - Parameters:
  ///   - key: the path's key in the step's table.
  ///   - what: what the value must be, for the error about another value.
  init(_ table: TOMLTable, _ key: String, _ what: String) throws(ConfigurationError) {
    path = try table.required(key, what).path()
    digest = try table.required(
      "sha256", TOMLNode.expectedDigest + ", as sha256sum prints of the file"
    ).sha256()
  }

  var script: String { "that file's SHA-256 must be \(digest.hex)" }

  /// The bytes of a file that may hold a secret, also by mistake.
  func readSecret(limit: Int, _ room: CeremonyRoom) throws(CeremonyError) -> SecretBuffer {
    let path = path
    let disk = room.directory.disk
    let secret = try onStorage(DurableFile.readSecret(path, limit: limit, on: disk))
    try check(Self.digest(secret), room)
    return secret
  }

  func read(limit: Int, _ room: CeremonyRoom) throws(CeremonyError) -> [UInt8] {
    let file = try onStorage(DurableFile.read(path, limit: limit, on: room.directory.disk))
    try check(SHA256.hash(file), room)
    return file
  }

  /// Checks the file's record.
  func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try records.fact(Subject.file(path), digest.hex)
  }

  private func check(_ found: Digest256, _ room: CeremonyRoom) throws(CeremonyError) {
    guard found == digest else { throw .refused(.otherFile) }
    try room.record(.fact(subject: Subject.file(path), value: digest.hex))
  }

  // A function of its own, because Swift 6.3 does not let a function return a buffer that it has
  // borrowed from.
  private static func digest(_ secret: borrowing SecretBuffer) -> Digest256 {
    SHA256.hash(secret.bytes)
  }
}
