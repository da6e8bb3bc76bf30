internal import Configuration
internal import KeyStore

/// Splits the KEK anew, among the same or other custodians.
///
/// The KEK stays the same, so the sheets of the old set go on opening the store until they are destroyed.
package struct ReshareStep: CeremonyStep {
  let split: PlannedSplit

  init(_ table: TOMLTable, _ people: People) throws(ConfigurationError) {
    split = try PlannedSplit(table, people)
  }

  package var script: [String] {
    ["custodians of the old set enter their shares, until there are enough"] + split.script
      + ["each custodian enters their share from paper", "the sheets of the old set are destroyed, before the witnesses"]
  }
  package var readBacks: [ReadBack] { [.kek] }

  package func run(_ floor: Floor) throws(CeremonyError) {
    let store = try floor.openStore()
    let kek = try GatheredKEK.ask(for: store.kekCheck, nil, floor)
    let custodians = try Deal.hand(out: kek, split, floor)
    var inventory = try StoreInventory(store)
    inventory.replaceKEK(custodians)
    try floor.change(.kek, to: inventory) { () throws(CeremonyError) in
      do throws(KeyStoreError) { try store.register(custodians, kek: kek) } catch { throw .keyStore(error) }
    }
  }

  package func finish(_ floor: Floor) throws(CeremonyError) {
    try floor.confirm(floor.people.administrator, "all sheets of the old set are destroyed, or an exception says which are not")
  }
}
