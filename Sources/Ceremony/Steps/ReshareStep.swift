package import Configuration
import KeyStore

/// Splits the KEK anew, among the same or other custodians.
///
/// The KEK stays the same, so the sheets of the old set still open the store until they are
/// destroyed.
package struct ReshareStep: CeremonyStep {
  package static let kind = "reshare"
  let split: PlannedSplit

  package init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    split = try PlannedSplit(table, people)
  }

  package var script: [String] {
    ["custodians of the old set enter their shares, until there are enough"] + split.script
      + [
        "each custodian enters their share from paper",
        "the sheets of the old set are destroyed, before the witnesses",
      ]
  }
  package var readBacks: [ReadBack] { [.kek] }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    let kek = try GatheredKEK.ask(for: store.kekCheck, store.custodians, room)
    let custodians = try Deal.hand(out: kek, split, room)
    var inventory = try StoreInventory(store)
    inventory.replaceKEK(custodians)
    try room.change(.kek, to: inventory, onStore(store.register(custodians, kek: kek)))
  }

  package var needed: [String] { split.custodians }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try GatheredKEK.check(&records)
    let line = try Deal.check(split, &records)
    try records.change(.kek) { $0 == line }
  }

  package func checkFinish(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try records.confirmation(records.people.administrator, Prompt.oldSheets)
  }

  package func finish(_ room: CeremonyRoom) throws(CeremonyError) {
    try room.confirm(room.people.administrator, Prompt.oldSheets)
  }
}
