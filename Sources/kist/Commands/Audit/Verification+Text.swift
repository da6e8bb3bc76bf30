import Audit
import Crypto
import Format
import Host
import Review

extension Verification {
  var text: String {
    var table = Table()
    if let head {
      table.add(
        ["  records", "\(head.size &- firstSequence), from sequence \(firstSequence)"],
        ["  root", head.root.hex])
    }
    table.add(["  checkpoints", String(checkpointCount)], ["  segments", String(segmentCount)])
    return "\(verdict.text)\n\(table.text)"
  }

  var json: CanonicalJSON {
    verdict.json + [
      "checkpoints": checkpointCount, "first_sequence": firstSequence, "ok": verdict == .good,
      "root": head?.root.hex, "segments": segmentCount, "size": head?.size,
      "uncovered_records": uncoveredCount, "verdict": verdict.name,
    ]
  }
}

extension Verdict {
  fileprivate var json: CanonicalJSON {
    switch self {
    case .tampered(let sequence, let what):
      ["at": sequence, "what": what.rawValue]
    case .uncompared(let kept, _): ["kept_size": kept]
    case .truncated(_, let expected): ["expected_size": expected]
    case .good, .torn, .unreadable: [:]
    }
  }
}

extension Verdict {
  var text: String {
    switch self {
    case .good: "good"
    case .torn(let bytes, let records):
      "torn: \(bytes) bytes and \(records) whole records follow the last checkpoint; kistd sets them aside when it starts"
    case .truncated(let size, let expected):
      "TRUNCATED: \(size) records, where there were \(expected)"
    case .tampered(let sequence, let what): "TAMPERED WITH at record \(sequence): \(what.text)"
    case .uncompared(let kept, let oldest):
      "NOT COMPARED: the checkpoint of \(kept) records is older than the oldest record, \(oldest), and no true proof in pruned/ leads from it"
    case .unreadable(let error): "cannot be read: \(error.map(\.text) ?? "there is no log")"
    }
  }
}

extension Tampering {
  var text: String {
    switch self {
    case .form: "neither a record nor a checkpoint"
    case .sequence: "a sequence number is out of order"
    case .chain: "a record does not name the one before it"
    case .segment: "a segment does not continue the one before it"
    case .signer: "a checkpoint is signed by another name or key"
    case .signature: "a checkpoint's signature is bad"
    case .size: "a checkpoint's size is not the number of records before it"
    case .root: "a checkpoint's root is not that of the records before it"
    case .fork: "this is not the log that the checkpoint was taken of"
    case .remainder: "something follows the last checkpoint of a segment that is not the last"
    case .compression: "the compressed segment that begins there is cut short or damaged"
    }
  }
}

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
    let states = policies.sorted { $0.key < $1.key }.map { ["  " + $0.key, $0.value.rawValue] }
    return Table(states + unchecked.map { ["  unchecked", $0] }).text
  }

  var json: CanonicalJSON {
    [
      "policies": CanonicalJSON.object(policies.map { .init($0.key, .string($0.value.rawValue)) }),
      "tiles": tileCount, "unchecked": unchecked,
    ]
  }
}
