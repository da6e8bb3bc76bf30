import Ceremony
import Format
import Host
import KeyStore
import Policy

/// Whether there is a key store that this daemon can open.
let storeChecks: [CheckUp.Check] = [checkStore, checkKind, checkRestored, checkFill]

@Sendable private func checkStore(_ host: Host) -> [Finding] {
  guard case .failure(let error) = host.store else { return [] }
  let path = host.keyDirectory
  let state = host.configuration?.stateDirectory ?? ""
  if error == .absent {
    if case .hidden = host.surroundings.look(at: path) { return [] }
    if host.logBegan != nil {
      return [
        Finding(
          .storeMissing, path, "There is no key store, and there is a log of one.",
          cure:
            "Put the newest backup back: kist restore; see 'Coming back from a backup' in UNLOCK.md."
        )
      ]
    }
    return [
      Finding(
        .storeMissing, path, "There is no key store.",
        cure:
          "Make one with runuser -u kist -- kist keystore init \(state); if there was one, put a backup back with kist restore."
      )
    ]
  }
  if error == .cutOff {
    return [
      Finding(
        .storeCutOff, path, "The key store has no manifest: a copy or a restore was cut off.",
        cure: "Move \(path) aside and restore it again: kist restore.")
    ]
  }
  if case .storage(.disk(let disk)) = error, disk.isDenied {
    return [
      Finding(
        .notExamined, path, "You may not read the key store's list of keys.",
        cure: "Run kist doctor as root.")
    ]
  }
  return [
    Finding(
      .storeDamaged, path, "The key store cannot be read: \(error.text).",
      cure:
        "Keep a copy of the directory as it is, and then restore the newest backup: kist restore.")
  ]
}

@Sendable private func checkKind(_ host: Host) -> [Finding] {
  guard let store = try? host.store.get(), let configuration = try? host.written.get() else {
    return []
  }
  let wanted: StoreKind = configuration.sandbox == nil ? .production : .rehearsal
  guard store.claimedKind != wanted else { return [] }
  return [
    Finding(
      .storeKind, host.keyDirectory,
      "The key store is of kind \(store.claimedKind.rawValue), and kist.toml is for \(wanted.rawValue).",
      cure:
        "Name the right store in state_directory, or take [sandbox] \(wanted == .rehearsal ? "out" : "from the sandbox's own kist.toml")."
    )
  ]
}

@Sendable private func checkRestored(_ host: Host) -> [Finding] {
  let mark = host.keyDirectory + "/restored.json"
  guard case .there = host.surroundings.look(at: mark) else { return [] }
  return [
    Finding(
      .storeRestored, mark,
      "The key store was put back from a backup, and no daemon has recorded that yet.",
      cure: "Start kistd and unlock it, and read in the journal which keys are missing.")
  ]
}

extension StatusReport {
  /// The first share of the key store's files at which people are warned, in hundredths.
  package static let highFill: UInt32 = 75
}

@Sendable private func checkFill(_ host: Host) -> [Finding] {
  guard let fill = (try? host.store.get())?.claimedFill, fill >= Int(StatusReport.highFill) else {
    return []
  }
  return [
    Finding(
      .storeFilling, host.keyDirectory,
      "The key store has \(fill) % of what it may have; when it is full, it takes no new keys.",
      cure:
        "Destroy keys that nobody needs, and set key_store.destroyed_retention, so that destroyed keys make room."
    )
  ]
}
