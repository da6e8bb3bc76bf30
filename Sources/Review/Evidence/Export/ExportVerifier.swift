package import Audit
import Crypto
import Format
import Host

/// Checks an export without the host that it came from: the log, the checkpoints, the policy, and
/// every tile of the tree.
///
/// A tree of tiles without segments, such as another log's, is checked from its entries.
package struct ExportVerifier {
  private let export: ExportDirectory
  private let verifier: NoteVerifier

  private let signatures: SignatureScope

  package init(
    _ export: ExportDirectory, _ verifier: NoteVerifier, signatures: SignatureScope = .last
  ) {
    self.export = export
    self.verifier = verifier
    self.signatures = signatures
  }

  package struct Finding: Equatable, Sendable {
    /// What the checkpoint says.
    package internal(set) var head: TreeHead
    /// The verification of the segments, if there are any.
    package internal(set) var log: Verification?
    /// How many tile files match the log's entries.
    package internal(set) var tileCount = 0
    /// How each policy file relates to the log, by name.
    package internal(set) var policies: [String: LoggedPolicies.State] = [:]
    /// Files that nothing in the export vouches for; a folder of such files ends in a slash.
    package internal(set) var unchecked: [String] = []
  }

  /// - Parameter anchor: a tree head kept elsewhere.
  package func verify(anchor: TreeHead? = nil) throws(ExportFault) -> Finding {
    var finding = Finding(head: try checkpoint())
    var known: Set<String> = [ExportDirectory.checkpoint]
    // A newer tree head cannot be compared; everything else can be checked.
    let comparable = anchor.flatMap { $0.size <= finding.head.size ? $0 : nil }
    if export.has(ExportDirectory.log) { try checkLog(&finding, anchor: comparable, &known) }
    // A log whose oldest segments were removed has no tree of tiles.
    if finding.log?.firstSequence ?? 0 == 0 {
      try checkTiles(&finding, anchor: comparable, &known)
    } else if export.has(ExportDirectory.tiles) {
      throw .unreadable(ExportDirectory.log + "/00000000000000000000.log")
    }
    finding.unchecked = export.files(besides: known)
    if let anchor, comparable == nil { throw .older(size: finding.head.size, anchor: anchor.size) }
    return finding
  }

  private var logDirectory: LogDirectory { LogDirectory(export.logPath, on: export.disk) }

  private func checkpoint() throws(ExportFault) -> TreeHead {
    let bytes: [UInt8]
    do throws(StorageError) {
      bytes = try export.read(ExportDirectory.checkpoint, limit: CosignedCheckpoint.byteLimit)
    } catch { throw .unreadable(ExportDirectory.checkpoint) }
    do throws(NoteError) {
      return try CosignedCheckpoint(parsing: bytes.span).head(signedBy: verifier)
    } catch { throw .checkpoint }
  }

  /// Checks the segments, and the files that were copied from them or that their records name.
  private func checkLog(_ finding: inout Finding, anchor: TreeHead?, _ known: inout Set<String>)
    throws(ExportFault)
  {
    var segments: [CoveredSegment] = []
    let log = LogVerifier(verifier, anchor: anchor ?? finding.head, signatures: signatures).verify(
      logDirectory
    ) { segments.append($0) }
    finding.log = log
    switch log.verdict {
    // The rest can be checked all the same.
    case .good, .uncompared: break
    case .torn, .truncated, .tampered, .unreadable: throw .log(log)
    }
    guard log.head == finding.head else { throw .checkpoint }
    for segment in segments {
      let name = "\(ExportDirectory.checkpoints)/\(segment.checkpoint.checkpoint.head.size)"
      guard try read(name, limit: CosignedCheckpoint.byteLimit) == segment.checkpoint.note else {
        throw .untrue(name)
      }
      known.formUnion([name, "\(ExportDirectory.log)/\(segment.fileName)"])
    }
    guard try read(ExportDirectory.verifierKey, limit: 1024) == Array((verifier.vkey + "\n").utf8)
    else { throw .untrue(ExportDirectory.verifierKey) }
    known.insert(ExportDirectory.verifierKey)
    try checkPolicies(&finding, &known)
  }

  private func checkPolicies(_ finding: inout Finding, _ known: inout Set<String>)
    throws(ExportFault)
  {
    let folder = Exporter.Enclosure.Folder.policy.rawValue
    guard export.has(folder) else { return }
    let logged: LoggedPolicies
    do throws(AuditError) { logged = try LoggedPolicies(logDirectory) } catch {
      throw .unreadable(ExportDirectory.log)
    }
    for name in (export.list(folder) ?? []).map({ folder + "/" + $0 }) {
      guard let state = logged.state(of: try read(name, limit: Exporter.Enclosure.byteLimit))
      else { throw .untrue(name) }
      finding.policies[name] = state
      known.insert(name)
    }
  }

  private func checkTiles(_ finding: inout Finding, anchor: TreeHead?, _ known: inout Set<String>)
    throws(ExportFault)
  {
    var tree = TileTree()
    var tiles: Set<String> = []
    func compare(_ path: TilePath, _ bytes: Span<UInt8>) throws(ExportFault) {
      let found = try read(path, limit: bytes.count)
      guard found == bytes.array else { throw .tile(path) }
      tiles.insert(path.text)
    }
    if finding.log != nil {
      try feedLines(&tree, compare)
    } else {
      try feedEntries(&tree, finding.head.size, anchor: anchor, compare)
    }
    try tree.finish(compare)
    guard tree.head == finding.head else { throw .root }
    finding.tileCount = tiles.count
    known.formUnion(tiles)
  }

  private typealias Compare = (TilePath, Span<UInt8>) throws(ExportFault) -> Void

  private func feedLines(_ tree: inout TileTree, _ compare: Compare) throws(ExportFault) {
    var fault: ExportFault?
    do throws(AuditError) {
      try LogReader(logDirectory).forEachLine { _, line in
        do throws(ExportFault) { try tree.take(line, compare) } catch { fault = error }
        return fault == nil
      }
    } catch { throw .unreadable(ExportDirectory.log) }
    if let fault { throw fault }
  }

  private func feedEntries(
    _ tree: inout TileTree, _ size: UInt64, anchor: TreeHead?, _ compare: Compare
  ) throws(ExportFault) {
    let full = UInt64(TilePath.fullWidth)
    for index in 0..<(size + full - 1) / full {
      let path = TilePath(.entries, index, width: Int(min(full, size - index * full)))
      let bundle = try read(path, limit: TilePath.fullWidth * (2 + Int(UInt16.max)))
      var start = 0
      for _ in 0..<path.width {
        guard bundle.count - start >= 2 else { throw .tile(path) }
        let end = start + 2 + Int(bundle[start]) << 8 + Int(bundle[start + 1])
        guard end <= bundle.count else { throw .tile(path) }
        try tree.take(bundle.span.extracting(start + 2..<end), compare)
        start = end
        if let anchor, tree.size == anchor.size, tree.head != anchor { throw .fork }
      }
      guard start == bundle.count else { throw .tile(path) }
    }
  }

  private func read(_ name: String, limit: Int) throws(ExportFault) -> [UInt8] {
    do throws(StorageError) {
      return try export.read(name, limit: limit)
    } catch {
      switch error {
      case .tooLarge: throw .untrue(name)
      case .disk, .unstable, .exhausted: throw .unreadable(name)
      }
    }
  }

  private func read(_ path: TilePath, limit: Int) throws(ExportFault) -> [UInt8] {
    do throws(StorageError) {
      return try export.read(path.text, limit: limit)
    } catch {
      switch error {
      case .tooLarge: throw .tile(path)
      case .disk, .unstable, .exhausted: throw .unreadable(path.text)
      }
    }
  }
}

/// What is wrong with an export.
package enum ExportFault: Error, Equatable {
  /// A file is missing or cannot be read.
  case unreadable(String)
  /// The checkpoint is not signed by the log, or not that of its segments.
  case checkpoint
  case log(Verification)
  /// The file does not match the log's entries.
  case tile(TilePath)
  /// The entries give another root than the checkpoint.
  case root
  /// The entries give another root than the tree head that was kept elsewhere.
  case fork
  /// A file does not match the records or the verifier key.
  case untrue(String)
  /// Everything is good, but the export ends before the tree head that was kept elsewhere.
  case older(size: UInt64, anchor: UInt64)
}

/// The SHA-256 of every policy that a log names: at starts and swaps, and with each request that
/// policy decided.
package struct LoggedPolicies: Sendable {
  private var digests: Set<String> = []
  private var last: String?

  /// Reads the whole log.
  init(_ log: LogDirectory) throws(AuditError) {
    try LogReader(log).forEachRecord { record, _ in
      for digest in record.namedPolicies { digests.insert(digest) }
      last = record.namedPolicies.last ?? last
      return true
    }
  }

  /// How a policy's canonical text relates to the log; nil if the log does not name it.
  func state(of text: [UInt8]) -> State? {
    let digest = SHA256.hash(text).hex
    guard digests.contains(digest) else { return nil }
    return digest == last ? .inForce : .earlier
  }

  package enum State: String, Sendable {
    /// The last record that names any policy names this one.
    case inForce = "in force at the end of the log"
    case earlier = "in force earlier, and not at the end of the log"
  }
}

extension Record {
  /// In the order in which they came into force.
  fileprivate var namedPolicies: [String] {
    if let policy { return [policy.digest] }
    switch operation {
    case "start": return eventText("policy").map { [$0] } ?? []
    case "policy-swap": return [eventText("from"), eventText("to")].compactMap { $0 }
    default: return []
    }
  }
}
