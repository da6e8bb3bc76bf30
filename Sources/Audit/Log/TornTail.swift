internal import Crypto
internal import Host

/// What a crash left after the last checkpoint, moved to `torn/` under a name made of the log's size then and the tail's hash.
///
/// No caller was told of anything in it, since a reply waits for the checkpoint that covers it.
struct TornTail: Equatable {
  let byteCount: Int
  /// The number of complete lines in it that begin with `{`.
  let recordCount: Int
  let digest: Digest256

  init(_ bytes: [UInt8]) {
    byteCount = bytes.count
    digest = SHA256.hash(bytes)
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
    recordCount = lines.count { $0.first == UInt8(ascii: "{") }
  }

  /// Saves the bytes; repeating it changes nothing.
  static func quarantine(_ bytes: [UInt8], size: UInt64, in directory: LogDirectory) throws(DiskError) {
    guard !bytes.isEmpty else { return }
    try DurableFile.makeDirectory("torn", in: directory.path, on: directory.disk)
    let name = SegmentName.padded(size) + "-" + SHA256.hash(bytes).hex
    try DurableFile.replace(name, in: directory.tornPath, with: bytes.span, on: directory.disk)
  }

  /// The tails moved aside when the log had this size; the log has no record of them yet.
  static func unrecorded(at size: UInt64, in directory: LogDirectory) throws(AuditError) -> [TornTail] {
    var found: [TornTail] = []
    do throws(DiskError) {
      guard try directory.disk.list(directory.path).contains("torn") else { return [] }
      for name in try directory.disk.list(directory.tornPath) where name.hasPrefix(SegmentName.padded(size) + "-") {
        let file = try File(directory.tornPath + "/" + name, .read, on: directory.disk)
        found.append(TornTail(try SegmentReader(file).remainder(from: 0)))
      }
    } catch { throw .disk(error) }
    return found
  }
}
