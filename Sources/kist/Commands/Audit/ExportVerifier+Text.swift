internal import Audit
internal import Format
internal import Review

extension ExportFault {
  /// The exit code of `kist audit verify`.
  var exitCode: Int32 {
    switch self {
    case .log(let found): found.verdict.exitCode
    case .unreadable: AuditCheck.unreadable
    case .checkpoint, .tile, .root, .fork, .untrue: AuditCheck.untrue
    case .older(let size, let anchor): Verdict.truncated(size: size, expected: anchor).exitCode
    }
  }

  /// - Parameter path: the export's.
  func text(_ path: String) -> String { path + (file.map { "/" + $0 } ?? "") + ": " + what }

  /// The same, if the reader knows which export it is.
  var text: String { (file.map { $0 + ": " } ?? "") + what }

  /// The file that it concerns, if it is a single one.
  private var file: String? {
    switch self {
    case .unreadable(let name), .untrue(let name): Printable.line(name)
    case .checkpoint: "checkpoint"
    case .tile(let tile): tile.text
    case .log, .root, .fork, .older: nil
    }
  }

  private var what: String {
    switch self {
    case .log(let found): found.verdict.text
    case .unreadable: "missing, or it cannot be read"
    case .checkpoint: "not signed by the log, or not its newest"
    case .tile: "not what the log's entries give"
    case .root: "the entries give another root than the checkpoint"
    case .fork: Tampering.fork.text
    case .untrue: "changed, or not of this log"
    case .older(let size, let anchor):
      "it ends before --checkpoint: its \(size) records are good, the checkpoint has \(anchor). Export the log again, or take an older checkpoint"
    }
  }
}

extension ExportVerifier.Finding {
  /// The text about an export, apart from its log.
  var text: String {
    var table = Table()
    for (name, standing) in policies.sorted(by: { $0.key < $1.key }) { table.add(["  " + name, standing.rawValue]) }
    for name in unchecked { table.add(["  unchecked", name]) }
    return table.text
  }

  var json: CanonicalJSON {
    [
      "policies": .object(policies.map { .init($0.key, .string($0.value.rawValue)) }), "tiles": .count(tileCount),
      "unchecked": .array(unchecked.map { .string($0) }),
    ]
  }
}
