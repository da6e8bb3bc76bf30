import Audit
import Format
import Policy
import Review

/// Whether people do what the log shows that they do: back up, hold drills, review, have a witness
/// sign.
let evidenceChecks: [CheckUp.Check] = [checkBackup, checkDrill, checkReview, checkWitnesses]

/// What is only in the store and in no older backup.
private let keyMaking: [Opcode] = [.generateKey, .importKey, .importBlock, .attachCertificate]

@Sendable private func checkBackup(_ host: Host) -> [Finding] {
  guard let configuration = try? host.written.get(), configuration.sandbox == nil,
    configuration.backup.directory != nil,
    let made = host.lastRecord(of: keyMaking.map(\.name))
  else { return [] }
  let backup = host.lastRecord(of: [Opcode.backUp.name])
  guard (backup?.sequence).map({ $0 < made.sequence }) ?? true else { return [] }
  return [
    Finding(
      .backupStale, made.label ?? "",
      "\(made.label ?? "A key") changed on \(made.time.day), and \(backup.map { "the last backup is of \($0.time.day)" } ?? "there is no backup").",
      cure: "Run kist backup --wait, and note its digest elsewhere.")
  ]
}

@Sendable private func checkDrill(_ host: Host) -> [Finding] {
  host.overdue(
    .drillStale, [.recordDrill], days: 366, "No backup was tried",
    cure: "Hold a drill: kist drill proves that the keys can be rebuilt.")
}

@Sendable private func checkReview(_ host: Host) -> [Finding] {
  host.overdue(
    .reviewStale, [.reviewLog], days: 31, "Nobody has signed off a review of the log",
    cure: "Have an auditor read kist audit report and sign with kist audit review.")
}

@Sendable private func checkWitnesses(_ host: Host) -> [Finding] {
  host.surroundings.checkpoints.compactMap { named in
    guard let latest = named.content.lastWitnessed else {
      return Finding(
        .witnessMissing, named.name, "No witness has signed the checkpoint.",
        cure: "Have it signed, and take it in with kist audit cosign.")
    }
    let days = host.surroundings.now.days(after: latest)
    guard days >= witnessDays else { return nil }
    return Finding(
      .witnessStale, named.name, "The last witness signed \(days) days ago.",
      cure: "Print a new checkpoint with kist audit checkpoint, and have it signed.")
  }
}

private let witnessDays: Int64 = 7

extension CosignedCheckpoint {
  /// When a witness last signed it, as it says itself; kist audit verify --witnesses verifies that.
  /// Nil if there is none.
  var lastWitnessed: Timestamp? {
    // A cosignature is a time in eight bytes and 64 bytes of Ed25519.
    stamps.filter { $0.signature.count == 72 }.map {
      Timestamp(seconds: $0.signature.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
    }.max()
  }
}

extension Host {
  /// A finding if the log has no such record of the last `days`, and is older than that. As far
  /// ahead is as far off: a clock was wrong then.
  fileprivate func overdue(
    _ trouble: Trouble, _ operations: [Opcode], days: Int64, _ cause: String, cure: String
  ) -> [Finding] {
    guard let written = try? written.get(), written.sandbox == nil, let began = logBegan else {
      return []
    }
    func isRecent(_ time: Timestamp) -> Bool { surroundings.now.days(after: time).magnitude < days }
    guard !isRecent(began),
      !(lastRecord(of: operations.map(\.name)).map { isRecent($0.time) } ?? false)
    else { return [] }
    return [Finding(trouble, "", "\(cause) for more than \(days) days.", cure: cure)]
  }
}
