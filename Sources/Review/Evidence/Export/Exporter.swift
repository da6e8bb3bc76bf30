package import Audit
import Crypto
package import Host

/// Checks a log, and copies what an auditor needs of it to a directory for another machine.
package struct Exporter {
  private let log: LogDirectory
  private let verifier: NoteVerifier
  private let target: ExportDirectory

  package init(_ log: LogDirectory, _ verifier: NoteVerifier, to target: ExportDirectory) {
    self.log = log
    self.verifier = verifier
    self.target = target
  }

  /// An enclosed file, with its folder in the export.
  package struct Enclosure: Sendable {
    package let folder: Folder
    /// A file's name, possibly with folders of its own: `ceremony/outputs/a.pem`.
    package let name: String
    package let contents: [UInt8]

    package init(_ folder: Folder, _ name: String, _ contents: [UInt8]) {
      self.folder = folder
      self.name = name
      self.contents = contents
    }

    package enum Folder: String, Sendable { case policy, transcripts }

    /// In bytes.
    package static let byteLimit = 1 << 20

    fileprivate var path: [String] {
      [folder.rawValue] + name.split(separator: "/").map(String.init)
    }
  }

  /// - Throws: `ExportError.notGood` before anything is written.
  package func run(with enclosures: [Enclosure] = []) throws(ExportError) -> Verification {
    var segments: [CoveredSegment] = []
    let found = LogVerifier(verifier).verify(log) { segments.append($0) }
    guard found.verdict == .good, let newest = segments.last?.checkpoint else {
      throw .notGood(found)
    }
    try checkPolicies(enclosures.filter { $0.folder == .policy })
    do throws(DiskError) {
      try target.create()
      try copy(segments)
      for enclosure in enclosures {
        try target.makeFolders(enclosure.path.dropLast())
        try target.write(enclosure.path.joined(separator: "/"), enclosure.contents.span)
      }
      try target.write(ExportDirectory.verifierKey, Array((verifier.vkey + "\n").utf8).span)
    } catch { throw .disk(error) }
    if found.firstSequence == 0 { try writeTiles(newest.checkpoint.head) }
    do throws(DiskError) { try target.write(ExportDirectory.checkpoint, newest.note.span) } catch {
      throw .disk(error)
    }
    return found
  }

  /// A policy that the log does not name could later not be told from a forgery.
  private func checkPolicies(_ policies: [Enclosure]) throws(ExportError) {
    guard !policies.isEmpty else { return }
    let logged: LoggedPolicies
    do throws(AuditError) { logged = try LoggedPolicies(log) } catch { throw .log(error) }
    guard policies.allSatisfy({ logged.state(of: $0.contents) != nil }) else {
      throw .unknownPolicy
    }
  }

  private func copy(_ segments: [CoveredSegment]) throws(DiskError) {
    try target.makeFolders([ExportDirectory.log])
    try target.makeFolders([ExportDirectory.checkpoints])
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    for segment in segments {
      let source = try File(log.path + "/" + segment.fileName, .read, on: log.disk)
      let copy = try File(
        target.path + "/" + ExportDirectory.log + "/" + segment.fileName, .create(mode: 0o644),
        on: target.disk)
      var offset = 0
      while offset < segment.byteCount {
        let wanted = min(buffer.count, segment.byteCount - offset)
        var span = buffer.mutableSpan
        var part = span._mutatingExtracting(0..<wanted)
        let count = try source.read(into: &part, at: offset)
        // The file was cut since it was checked.
        guard count > 0 else { throw DiskError(.read, errno: 5) }
        try copy.write(buffer.span.extracting(0..<count), at: offset)
        offset += count
      }
      try copy.sync()
      try target.write(
        "\(ExportDirectory.checkpoints)/\(segment.checkpoint.checkpoint.head.size)",
        segment.checkpoint.note.span)
    }
    let proofs = PrunedProofs(log)
    for name in proofs.names {
      try target.makeFolders([ExportDirectory.log, PrunedProofs.folderName])
      // One that cannot be read proves nothing here either.
      guard let proof = try? proofs.contents(name) else { continue }
      try target.write("\(ExportDirectory.log)/\(PrunedProofs.folderName)/\(name)", proof.span)
    }
  }

  /// Reads the copy, so that the tree matches the lines beside it.
  private func writeTiles(_ head: TreeHead) throws(ExportError) {
    var tree = TileTree()
    var folders: Set<[String]> = []
    let reader = LogReader(LogDirectory(target.path + "/" + ExportDirectory.log, on: target.disk))
    var failure: DiskError?
    func write(_ path: TilePath, _ bytes: Span<UInt8>) throws(DiskError) {
      if folders.insert(path.directories).inserted { try target.makeFolders(path.directories) }
      try target.write(path.text, bytes)
    }
    do throws(AuditError) {
      try reader.forEachLine { _, line in
        do throws(DiskError) { try tree.take(line, write) } catch { failure = error }
        return failure == nil
      }
    } catch { throw .log(error) }
    if let failure { throw .disk(failure) }
    do throws(DiskError) { try tree.finish(write) } catch { throw .disk(error) }
    // Somebody changed the log between its check and its copy.
    guard tree.head == head else { throw .changed }
  }
}

/// Why there is no export.
package enum ExportError: Error, Equatable {
  /// The log did not verify, or it is empty.
  case notGood(Verification)
  case log(AuditError)
  case disk(DiskError)
  case changed
  /// The log does not name it.
  case unknownPolicy
}
