package import Configuration
import Crypto
import Host
import KeyStore

/// Opens the store that the other steps work on.
package struct UnlockStep: CeremonyStep {
  package static let kind = "unlock"
  package static let opensStore = true
  package enum Means: String, CaseIterable, Sendable {
    /// Custodians enter their shares.
    case shares
    /// The administrator enters the store's passphrase.
    case passphrase
  }

  let means: Means

  package init(_ table: TOMLTable, _: People) throws(ConfigurationError) {
    let expected = "one of " + Means.allCases.map(\.rawValue).joined(separator: ", ")
    means = try table.text("with", expected) { Means(rawValue: $0) }
  }

  init(with means: Means) { self.means = means }

  package var opening: UnlockStep? { self }
  package var readBacks: [ReadBack] { means == .shares ? [.kek] : [] }

  package var script: [String] {
    switch means {
    case .shares:
      [
        "custodians enter their shares, until there are enough",
        "the KEK's check value is compared with the store's, and read back",
      ]
    case .passphrase: ["the administrator enters the passphrase"]
    }
  }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try check(&records, expecting: nil)
  }

  /// - Parameter line: what the store's line on its KEK must be, if that is known.
  func check(_ records: inout RecordCursor, expecting line: String?) throws(RecordCursor.End) {
    switch means {
    case .shares:
      let found = try GatheredKEK.check(&records)
      guard line == nil || found == line else { throw records.fault("the register of the copy") }
    case .passphrase: try records.entry(records.people.administrator, Subject.passphrase)
    }
    try records.inventory()
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let locked = try onStore(LockedKeyStore.open(room.place.path, on: room.directory.disk))
    let kind = room.kind
    guard locked.claimedKind == kind else { throw .keyStore(.wrongKind(locked.claimedKind)) }
    switch means {
    case .shares:
      let register = try onStore(locked.custodians())
      let kek = try GatheredKEK.ask(for: locked.claimedKEK, register, room)
      let store = try onStore(locked.unlock(kek: kek, expecting: kind))
      // Until now, the shares' holders were checked by a register that was not yet verified.
      guard store.custodians == register else { throw .keyStore(.custodians) }
      room.store = store
    case .passphrase:
      room.store = try room.retrying { () throws(CeremonyError) -> KeyStore? in
        let passphrase = try room.askSecret(
          room.people.administrator, "passphrase of \(room.place.path)")
        do throws(KeyStoreError) {
          return try locked.unlock(passphrase: passphrase.bytes, expecting: kind)
        } catch {
          guard error == .wrongPassphrase else { throw .keyStore(error) }
          try room.tell("  the passphrase is wrong")
          return nil
        }
      }
      try room.record(
        .entry(
          person: room.people.administrator.name, subject: Subject.passphrase,
          value: locked.claimedKEK.description))
    }
    try room.takeStock()
    let count = room.store?.records.count { $0.state != .destroyed } ?? 0
    try room.tell("  the store is open: \(count) keys, each unwrapped and checked")
  }
}
