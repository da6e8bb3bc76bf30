package import Configuration
import KeyStore

/// Replaces the KEK: everything in the store is sealed anew under the new one.
///
/// The store does not change until every custodian has proved their sheet; then it changes
/// atomically.
package struct RotateKEKStep: CeremonyStep {
  package static let kind = "rotate-kek"
  private let kek: NewKEK

  package init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    kek = try NewKEK(table, people)
  }

  package var readBacks: [ReadBack] { [.kek] }

  package var script: [String] {
    kek.script + [
      "every key of the store is sealed under the new KEK, opened, and compared",
      "then, in one step, the new shares open the store, and what opened it before no longer does",
      "the old sheets are destroyed before the witnesses, and so is whatever else opened the store: passphrase, credential, TPM object",
      "afterwards a new credential or TPM object is made, and a new backup: old copies of the store are under the old KEK",
    ]
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    let kind = room.kind
    try kek.deal(room) { (kek, custodians) throws(CeremonyError) in
      var inventory = try StoreInventory(store)
      inventory.replaceKEK(custodians)
      try room.change(
        .kek, to: inventory,
        room.store = onStore(
          store.reseal(under: kek, custodians: custodians).unlock(kek: kek, expecting: kind)))
    }
  }

  package var needed: [String] { kek.custodians }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    let line = try kek.check(&records)
    try records.change(.kek) { $0 == line }
  }

  package func checkFinish(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try records.confirmation(records.people.administrator, Prompt.oldMeans)
  }

  package func finish(_ room: CeremonyRoom) throws(CeremonyError) {
    try room.tell(
      "  every key is under the new KEK; a credential or TPM object that opened the store has to be made anew (docs/UNLOCK.md)"
    )
    try room.confirm(room.people.administrator, Prompt.oldMeans)
  }
}
