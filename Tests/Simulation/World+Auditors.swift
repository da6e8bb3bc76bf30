import Audit
import Crypto
import Format
import Policy
import Host
import Operations
import Review
import ServiceHarness
import TestSupport

extension World {
  /// Nil while nothing runs, or the store is locked.
  var verifier: NoteVerifier? {
    get throws {
      guard let status = try reply(.status, .none, [], on: .operators)?.body, !status.isEmpty else {
        return nil
      }
      let key = try StatusReport(MessageReader(status.span)).auditVerifierKey
      return key.isEmpty ? nil : try NoteVerifier(vkey: key)
    }
  }

  /// One that no loss of power takes away.
  func keepCheckpoint() throws -> Outcome {
    let durable = LogDirectory("/audit", on: disk.afterCrash(.losesUnsynced))
    guard let newest = try? LogReader(durable).newestCheckpoint() else { return .nothing }
    checkpoints.append(newest.checkpoint.head)
    return .done
  }

  /// Says the verdict. A checkpoint with another root stands for a log that was written anew from
  /// before it on, with its own key.
  func audit(_ number: Int, isForked: Bool) throws -> Outcome {
    guard let verifier = try verifier, var kept = checkpoints[around: number] else {
      return .nothing
    }
    if isForked { kept = TreeHead(size: kept.size, root: SHA256.hash(kept.root.span)) }
    return .said(LogVerifier(verifier, anchor: kept).verify(try wholeLog()).verdict.name)
  }

  /// The checkpoints with which the log can be compared.
  func comparable(_ verifier: NoteVerifier) throws -> [TreeHead] {
    let log = try wholeLog()
    return checkpoints.filter { LogVerifier(verifier, anchor: $0).verify(log).verdict == .good }
  }

  /// With what was compressed, as all programs but kistd read it.
  func wholeLog() throws -> LogDirectory {
    let whole = SimulatedDisk()
    for path in ["/audit", "/audit/pruned"] { try whole.makeDirectory(path, mode: 0o700) }
    // Of two forms of a segment the plain one counts.
    for path in try disk.list("/audit").sorted().reversed().map({ "/audit/" + $0 })
    where path.contains(".log") {
      whole.plant(
        path.hasSuffix(".zst") ? String(path.dropLast(4)) : path, disk.contents(path) ?? [])
    }
    for path in ((try? disk.list("/audit/pruned")) ?? []).map({ "/audit/pruned/" + $0 }) {
      whole.plant(path, disk.contents(path) ?? [])
    }
    return LogDirectory("/audit", on: whole)
  }
}
