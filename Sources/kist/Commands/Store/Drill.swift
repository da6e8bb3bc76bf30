import Ceremony
import Crypto
import Format
import Host
import KeyStore
import KistClient

extension Command {
  static let drill = Command(
    name: "drill",
    summary: "prove that the keys can be rebuilt from shares and a backup",
    usage: """
      Usage: kist drill DIR [--share-fd N]... [--json] [--socket PATH] [--timeout S]

      Rebuilds every key of DIR, a copy of a key store's directory, from shares that
      the custodians type here one after another, without echo. Compares them with the
      keys that the daemon has now, and records the result in the audit log. DIR is
      only read, and the daemon goes on serving.

        --share-fd N   read a share's words from this open descriptor instead; as
                       often as shares are needed
        --json         answer in JSON
        --socket PATH  the operators' socket (default: KIST_ADMIN_ENDPOINT, or
                       /run/kist/admin.sock)
        --timeout S    give up after so many seconds (default: 10)

      Exit codes: 0 all of the daemon's keys were rebuilt, 1 not, 2 not understood.

      """,
    options: [.shareDescriptors, .json], daemon: .operators,
    operands: 1...1,
    handlesSecrets: true
  ) { arguments throws(CommandFailure) in
    let path = arguments.operands[0]
    let descriptors = try ShareInput.descriptors(arguments)
    // Before anybody types anything: the daemon must be reachable, and the copy valid.
    let daemon = try Daemon(arguments)
    let copy = try StoreCopy.told(path, StoreCopy(path))
    try daemon.checkGrant(of: .recordDrill)
    let (rebuilt, shares) = try rebuild(copy, path, descriptors)
    let meaning =
      "\(path) is a copy of another key store, or of this one under an earlier key encryption key"
    var (comparison, sequence): (RecordDrillReply, UInt64?) = (RecordDrillReply(), nil)
    let keys = rebuilt.records.map { DrilledKey(id: $0.id.bytes, checkValue: $0.check.value) }
    for request in RecordDrillRequest.parts(
      keys, of: UInt64(rebuilt.generation), kek: copy.claimedKEK.bytes)
    {
      let part = try daemon.ask(daemon.client.recordDrill(request), rejectedMeans: meaning)
      comparison.add(part.comparison)
      sequence = part.auditSequence
    }
    let report = DrillReport(
      shares: shares, rebuilt: rebuilt, comparison: comparison, auditSequence: sequence)
    arguments.answer(report.json, report.text)
    guard report.isPassed else { throw CommandFailure(code: 1) }
  }

  /// The KEK exists only in this function.
  private static func rebuild(
    _ copy: StoreCopy, _ path: String, _ descriptors: [Int32]
  ) throws(CommandFailure) -> (StoreCopy.Rebuilt, shares: [DrillReport.Share]) {
    let shares = try ShareInput.gather(descriptors, of: copy, path)
    var named: [DrillReport.Share] = []
    for fingerprint in try ShareInput.sharing(shares.fingerprints()) {
      named.append(
        DrillReport.Share(
          fingerprint: fingerprint, holder: copy.custodians?.holder(of: fingerprint)?.name))
    }
    let kek = try ShareInput.sharing(shares.combine())
    return (
      try StoreCopy.told(path, copy.rebuild(kek: kek)), named
    )
  }
}

extension RecordDrillRequest {
  /// As many requests as the keys need.
  static func parts(_ keys: [DrilledKey], of generation: UInt64, kek: [UInt8])
    -> [RecordDrillRequest]
  {
    let keys = keys.sorted { $0.id.lexicographicallyPrecedes($1.id) }
    return stride(from: 0, to: max(keys.count, 1), by: Caps.keysCount).map { first in
      let end = min(first + Caps.keysCount, keys.count)
      var part = RecordDrillRequest(
        generation: generation, kek: kek, keys: Array(keys[first..<end]))
      part.after = first == 0 ? [] : keys[first - 1].id
      part.more = end < keys.count
      return part
    }
  }
}

extension RecordDrillReply {
  fileprivate mutating func add(_ part: RecordDrillReply) {
    matched = matched + part.matched
    surplus = surplus + part.surplus
    missing = missing + part.missing
    different = different + part.different
  }
}

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

  var isPassed: Bool {
    comparison.matched > 0 && comparison.surplus == 0 && comparison.missing.isEmpty
      && comparison.different.isEmpty
  }

  var text: String {
    var lines = shares.map {
      "share    \($0.fingerprint)  \($0.holder ?? "of nobody in the register")"
    }
    lines.append("backup   generation \(rebuilt.generation), \(rebuilt.records.count) keys rebuilt")
    lines.append("daemon   \(comparison.matched) of them are its own")
    lines += comparison.missing.map {
      "MISSING  \($0): the backup is older than this key; make another"
    }
    lines += comparison.different.map {
      "OTHER    \($0): the backup has another key of this id; find out why"
    }
    if comparison.surplus > 0 {
      lines.append("SURPLUS  \(comparison.surplus) keys that the daemon never had; find out why")
    }
    let record = auditSequence.map { " (audit record \($0))" } ?? ""
    lines.append((isPassed ? "the drill passed" : "the drill FAILED") + record)
    return lines.joined(separator: "\n") + "\n"
  }

  var json: CanonicalJSON {
    [
      "different": comparison.different, "generation": rebuilt.generation,
      "matched": comparison.matched, "missing": comparison.missing, "ok": isPassed,
      "rebuilt": rebuilt.records.count, "shares": shares.map(\.json), "surplus": comparison.surplus,
      "audit_sequence": auditSequence,
    ]
  }
}

extension DrillReport.Share {
  fileprivate var json: CanonicalJSON {
    ["fingerprint": fingerprint.description, "holder": holder]
  }
}
