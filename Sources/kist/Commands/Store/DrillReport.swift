internal import Ceremony
internal import Crypto
internal import Format
internal import KeyStore

/// What a drill proved, and with whose shares.
struct DrillReport {
  struct Share {
    let fingerprint: ShareFingerprint
    /// Nil if the copy's register has no such share.
    let holder: String?
  }

  let shares: [Share]
  let rebuilt: StoreCopy.Rebuilt
  let comparison: RecordDrillReply
  let auditSequence: UInt64?

  var isPassed: Bool { comparison.matched > 0 && comparison.surplus == 0 && comparison.missing.isEmpty && comparison.different.isEmpty }

  var text: String {
    var lines = shares.map { "share    \($0.fingerprint)  \($0.holder ?? "of nobody in the register")" }
    lines.append("backup   generation \(rebuilt.generation), \(rebuilt.records.count) keys rebuilt")
    lines.append("daemon   \(comparison.matched) of them are its own")
    lines += comparison.missing.map { "MISSING  \($0): the backup is older than this key; make another" }
    lines += comparison.different.map { "OTHER    \($0): the backup has another key of this id; find out why" }
    if comparison.surplus > 0 { lines.append("SURPLUS  \(comparison.surplus) keys that the daemon never had; find out why") }
    let record = auditSequence.map { " (audit record \($0))" } ?? ""
    lines.append((isPassed ? "the drill passed" : "the drill FAILED") + record)
    return lines.joined(separator: "\n") + "\n"
  }

  var json: CanonicalJSON {
    func labels(_ labels: [String]) -> CanonicalJSON { .array(labels.map { .string($0) }) }
    return [
      "different": labels(comparison.different), "generation": .integer(rebuilt.generation),
      "matched": .count(comparison.matched), "missing": labels(comparison.missing), "ok": .bool(isPassed),
      "rebuilt": .count(rebuilt.records.count), "shares": .array(shares.map(\.json)),
      "surplus": .count(comparison.surplus),
      "audit_sequence": auditSequence.map { .count($0) },
    ]
  }
}

extension DrillReport.Share {
  fileprivate var json: CanonicalJSON {
    ["fingerprint": .string(fingerprint.description), "holder": holder.map { .string($0) }]
  }
}
