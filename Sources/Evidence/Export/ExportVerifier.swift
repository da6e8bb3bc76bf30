package import Audit
internal import CryptoBackend
internal import Encoding
internal import Storage

/// Checks an export without the host that it came from: its log, its checkpoint, and every tile of its tree.
///
/// A tree of tiles without segments, such as another log's, is checked from its entries.
package struct ExportVerifier {
  private let export: ExportDirectory
  private let verifier: NoteVerifier

  private let signatures: SignatureScope

  package init(_ export: ExportDirectory, _ verifier: NoteVerifier, signatures: SignatureScope = .last) {
    (self.export, self.verifier, self.signatures) = (export, verifier, signatures)
  }

  package struct Finding: Equatable, Sendable {
    /// What the checkpoint says.
    package internal(set) var head: TreeHead
    /// Of the segments, where there are any.
    package internal(set) var log: Verification?
    /// Files of the tree that are what the log's entries give.
    package internal(set) var tileCount = 0
  }

  /// - Parameter anchor: a tree head kept elsewhere.
  package func verify(anchor: TreeHead? = nil) throws(ExportFault) -> Finding {
    var finding = Finding(head: try checkpoint())
    let hasLog = export.has(ExportDirectory.log)
    if hasLog {
      let log = LogVerifier(verifier, anchor: anchor, signatures: signatures).verify(logDirectory)
      finding.log = log
      guard log.verdict == .good else { throw .log(log) }
      guard log.head == finding.head else { throw .checkpoint }
      // Of a log whose oldest segments were taken away there is no tree of tiles.
      guard log.firstSequence == 0 else {
        guard !export.has(ExportDirectory.tiles) else { throw .unreadable(ExportDirectory.log + "/00000000000000000000.log") }
        return finding
      }
    }
    var tree = TileTree()
    var count = 0
    func compare(_ path: TilePath, _ bytes: Span<UInt8>) throws(ExportFault) {
      let found = try read(path, limit: bytes.count)
      guard found == bytes.array else { throw .tile(path) }
      count += 1
    }
    if hasLog { try feedLines(&tree, compare) } else { try feedEntries(&tree, finding.head.size, compare) }
    try tree.finish(compare)
    guard tree.head == finding.head else { throw .root }
    finding.tileCount = count
    return finding
  }

  private var logDirectory: LogDirectory { LogDirectory(export.path + "/" + ExportDirectory.log, on: export.disk) }

  private func checkpoint() throws(ExportFault) -> TreeHead {
    let bytes: [UInt8]
    do throws(StorageError) {
      bytes = try export.read(ExportDirectory.checkpoint, limit: CosignedCheckpoint.byteLimit)
    } catch { throw .unreadable(ExportDirectory.checkpoint) }
    do throws(NoteError) { return try CosignedCheckpoint(parsing: bytes.span).head(signedBy: verifier) } catch { throw .checkpoint }
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

  private func feedEntries(_ tree: inout TileTree, _ size: UInt64, _ compare: Compare) throws(ExportFault) {
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
      }
      guard start == bundle.count else { throw .tile(path) }
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
package enum ExportFault: Error, Equatable, Sendable {
  /// A file is missing or cannot be read.
  case unreadable(String)
  /// The checkpoint is not signed by the log, or not that of its segments.
  case checkpoint
  case log(Verification)
  /// The file is not what the log's entries give.
  case tile(TilePath)
  /// The entries give another root than the checkpoint.
  case root
}
