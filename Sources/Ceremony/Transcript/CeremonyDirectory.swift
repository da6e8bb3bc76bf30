import Audit
package import Host
import KeyStore
import Review

/// A ceremony's own directory: its file, a transcript for each sitting, what it made, and who
/// signed.
package struct CeremonyDirectory: Sendable {
  package let path: String
  let disk: any Disk

  package init(_ path: String, on disk: any Disk = LinuxDisk()) {
    self.path = path
    self.disk = disk
  }

  /// A copy of the file that was followed.
  package static let planName = "ceremony.toml"
  /// The text that witnesses sign: origin, size and root of the whole transcript.
  package static let checkpointName = "checkpoint"
  /// The same as a note, with signature lines.
  package static let noteName = "transcript.note"
  /// What `ssh-keygen -Y sign` made for somebody.
  package static func signatureName(of person: String) -> String { person + ".sshsig" }
  package static let outputsName = "outputs"
  /// The name of a rehearsal's file, which nobody can take for a real one.
  static func outputName(_ name: String, _ kind: StoreKind) -> String {
    kind == .rehearsal ? "REHEARSAL-" + name : name
  }

  /// The directory that it is in.
  var parent: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  func transcript(_ sitting: Int) -> LogDirectory {
    LogDirectory(path + "/" + Self.transcriptName(sitting), on: disk)
  }

  static func transcriptName(_ sitting: Int) -> String { "transcript-\(sitting)" }
  static let verifierName = "tool.vkey"

  /// The number of sittings there are: they are counted from 1 without a gap.
  func sittings() throws(DiskError) -> Int {
    let names = Set(try disk.list(path))
    return (1...).first { !names.contains(Self.transcriptName($0)) }.map { $0 - 1 } ?? 0
  }

  /// The names of the files in the outputs.
  func outputs() throws(StorageError) -> [String] {
    do throws(DiskError) { return try disk.list(path + "/" + Self.outputsName) } catch {
      if error.isAbsence { return [] }
      throw .disk(error)
    }
  }

  func read(_ name: String, limit: Int) throws(StorageError) -> [UInt8] {
    try DurableFile.read(path + "/" + name, limit: limit, on: disk)
  }

  /// The file, or nil if it does not exist.
  func readIfPresent(_ name: String, in folder: String? = nil, limit: Int) throws(StorageError)
    -> [UInt8]?
  {
    do throws(StorageError) {
      return try read((folder.map { $0 + "/" } ?? "") + name, limit: limit)
    } catch {
      if case .disk(let error) = error, error.isAbsence { return nil }
      throw error
    }
  }

  func write(_ name: String, _ bytes: [UInt8], in folder: String? = nil) throws(DiskError) {
    try DurableFile.replace(
      name, in: folder.map { path + "/" + $0 } ?? path, with: bytes.span, mode: 0o644, on: disk)
  }

  /// Checks that nobody else could put a transcript there for people to go on from.
  ///
  /// - Throws: `CeremonyError.refused(.exposed)`.
  func checkOwner(_ host: CeremonyHost) throws(CeremonyError) {
    let sittings = try onDisk(self.sittings())
    let folders = [Self.outputsName] + (0..<sittings).map { Self.transcriptName($0 + 1) }
    for path in [path] + folders.map({ path + "/" + $0 }) {
      guard !host.isExposed(path) else { throw .refused(.exposed(path)) }
    }
  }

  static let fileLimit = 1 << 20
}
