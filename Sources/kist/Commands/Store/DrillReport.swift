internal import Encoding
internal import KeyStore
internal import SecretSharing
internal import StoreCare
internal import Wire

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
    var members: [CanonicalJSON.Member] = [
      .init("different", labels(comparison.different)), .init("generation", .integer(rebuilt.generation)),
      .init("matched", .integer(Int64(comparison.matched))), .init("missing", labels(comparison.missing)), .init("ok", .bool(isPassed)),
      .init("rebuilt", .integer(Int64(rebuilt.records.count))), .init("shares", .array(shares.map(\.json))),
      .init("surplus", .integer(Int64(comparison.surplus))),
    ]
    if let auditSequence { members.append(.init("audit_sequence", .count(auditSequence))) }
    return .object(members)
  }
}

extension DrillReport.Share {
  fileprivate var json: CanonicalJSON {
    .object([.init("fingerprint", .string(fingerprint.description))] + (holder.map { [.init("holder", .string($0))] } ?? []))
  }
}
