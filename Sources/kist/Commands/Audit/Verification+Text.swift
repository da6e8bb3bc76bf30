internal import Audit
internal import Crypto
internal import Format
internal import Host
internal import Review

extension Verification {
  var text: String {
    var table = Table()
    if let head {
      table.add(["  records", "\(head.size &- firstSequence), from sequence \(firstSequence)"])
      table.add(["  root", head.root.hex])
    }
    table.add(["  checkpoints", String(checkpointCount)])
    table.add(["  segments", String(segmentCount)])
    return "\(verdict.text)\n\(table.text)"
  }

  var json: CanonicalJSON {
    verdict.json + [
      "checkpoints": .count(checkpointCount), "first_sequence": .count(firstSequence), "ok": .bool(verdict == .good),
      "root": head.map { .string($0.root.hex) }, "segments": .count(segmentCount), "size": head.map { .count($0.size) },
      "uncovered_records": .count(uncoveredCount), "verdict": .string(verdict.name),
    ]
  }
}

extension Verdict {
  fileprivate var json: CanonicalJSON {
    switch self {
    case .tampered(let sequence, let what): ["at": .count(sequence), "what": .string(what.rawValue)]
    case .uncompared(let kept, _): ["kept_size": .count(kept)]
    case .truncated(_, let expected): ["expected_size": .count(expected)]
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
    case .truncated(let size, let expected): "TRUNCATED: \(size) records, where there were \(expected)"
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
