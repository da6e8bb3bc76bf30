package import Configuration
internal import KeyStore

/// Exports a key to another machine, as an X9.143 block of version D under an exchange key that both hold.
package struct ExportBlockStep: CeremonyStep {
  package static let kind = "export-block"
  let label: KeyLabel
  private let exchange: PlannedExchange
  private let fileName: String

  package init(_ table: TOMLTable, _: People) throws(ConfigurationError) {
    label = try table.label("label", "the label of an exportable key")
    exchange = try PlannedExchange(table)
    fileName = try table.required("block", "the name of the file to make").outputName(ending: ".kb")
  }

  package var outputs: [String] { [fileName] }
  package var script: [String] { ["\(label): its check value is read back", exchange.script, "a key block of it under \(exchange.label) goes to \(fileName)"] }
  package var readBacks: [ReadBack] { [.key(label), .key(exchange.label)] }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try records.readBack(.key(label))
    try records.readBack(exchange)
    try records.output(fileName)
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    guard let record = store.record(labelled: label), record.state != .destroyed else { throw .refused(.keyAbsent) }
    try room.readBack(.key(label), record.check.text)
    try exchange.readBack(room)
    let block: [UInt8]
    do throws(KeyStoreError) { block = try store.block(of: label, under: exchange.label, at: room.now) } catch { throw .keyStore(error) }
    try room.write(fileName, block)
  }
}
