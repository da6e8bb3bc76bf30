import Audit
import Crypto
import Host
import KeyStore
import Service

extension UnlockError {
  var text: String {
    switch self {
    case .notLocked: "it is open already, or the daemon is stopping"
    case .store(let error): error.text
    case .audit(let error): "the audit log: " + error.text
    case .keptCheckpoint(.absent): "audit.checkpoint is missing"
    case .keptCheckpoint(.unreadable): "audit.checkpoint cannot be read"
    case .keptCheckpoint(.foreign): "audit.checkpoint is not of this log"
    case .crypto(let error): error.text
    }
  }

  /// What the error means and what to do, if its name does not say so.
  var meaning: String? {
    switch self {
    case .store(.olderThanLog):
      "the key store is older than the audit log, which has keys or changes that it lacks; if it is a backup, put it back with kist restore"
    case .store(.restoredMark):
      "restored.json in the key store is not what kist restore wrote, or the other files are not the copy's; restore the copy again"
    case .store(.restoredUnnamed):
      "the key store was made from a copy that no back-up in the audit log made; if that is intended, name its digest as backup.restored in kist.toml"
    case .store(.restoredUnread(let first)):
      "the key store was put back from a backup, and records of the audit log from \(first) on, which may tell that keys were destroyed or compromised since, are compressed or gone: expand those segments (zstd -d --keep NAME.log.zst in the log's directory, as the daemon's user); if they are gone for good, name the backup's digest as backup.forgotten in kist.toml"
    case .store(.olderShares):
      "the copy is older than the present KEK or shares, which the daemon cannot change again; a ceremony with the step restore can put it back"
    case .store(.otherMachine):
      "the key store was last opened on another machine: if it is no longer open there, start kistd with --moved, once"
    case .audit(.truncated(let size, let expected)):
      "the audit log has \(size) records and the key store knows of \(expected): put the log back, or, where it is lost and the store came from a backup, see audit.lost_with in kist.toml(5)"
    case .audit(.tampered(_, .fork)):
      "the audit log is not the one that the key store was last written beside: put that log back, or, where it is lost and the store came from a backup, move this one away and see audit.lost_with in kist.toml(5)"
    case .store(.storage(.disk(let error))) where error.isDenied,
      .audit(.disk(let error)) where error.isDenied:
      "one of its files is not the daemon's: kist doctor, run as root, names it and what to do"
    case .keptCheckpoint(.absent):
      "audit.checkpoint in the state directory is missing, which shows whether the log was cut; compare the log with a checkpoint kept elsewhere, then make it again: kist audit checkpoint LOG --key VKEY > audit.checkpoint"
    case .keptCheckpoint(.foreign), .keptCheckpoint(.unreadable):
      "audit.checkpoint in the state directory is not a checkpoint of this log; compare the log with one kept elsewhere, then make it again: kist audit checkpoint LOG --key VKEY > audit.checkpoint"
    case .notLocked, .store, .audit, .crypto: nil
    }
  }
}
