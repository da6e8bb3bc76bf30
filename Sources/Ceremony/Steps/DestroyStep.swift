package import Configuration
import Crypto
import KeyStore

/// Destroys a key: its block is removed, its record stays.
package struct DestroyStep: CeremonyStep {
  package static let kind = "destroy"
  let label: KeyLabel

  package init(_ table: TOMLTable, _: People) throws(ConfigurationError) {
    label = try table.label("label", "the label of the key to destroy")
  }

  package var script: [String] {
    ["\(label): its check value is read back, its label typed by the operator, and it is gone"]
  }
  package var readBacks: [ReadBack] { [.key(label)] }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    let value = try records.readBack(.key(label))
    guard try records.answer(records.people.reader, Prompt.destruction) == label.text else {
      throw records.fault("the label \(label)")
    }
    try records.change(.key(label)) {
      $0.contains(", check value \(value)") && $0.hasSuffix(StoreInventory.destroyed)
    }
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    let record = try room.readBackKey(label)
    let typed = try room.ask(room.people.reader, Prompt.destruction)
    guard typed == label.text else { throw .refused(.notConfirmed) }
    let now = room.now
    let anchor = store.anchor
    var inventory = try StoreInventory(store)
    inventory.destroy(label)
    try room.change(
      .key(label), to: inventory, onStore(store.destroy(record.id, at: now, anchor: anchor)))
    try room.tell("  \(label) is destroyed")
  }
}
