internal import Configuration
internal import KeyStore

/// Hands a key to another machine: an X9.143 block of version D under an exchange key that both hold.
package struct ExportBlockStep: CeremonyStep {
  let label, exchange: KeyLabel
  private let fileName: String

  init(_ table: TOMLTable) throws(ConfigurationError) {
    label = try table.label("label", "the label of a key that may leave")
    exchange = try table.label("under", "the label of an exchange key")
    fileName = try table.required("block", "the name of the file to make").outputName(ending: ".kb")
  }

  package var outputs: [String] { [fileName] }
  package var script: [String] { ["\(label): its check value is read back", "a key block of it under \(exchange) goes to \(fileName)"] }
  package var readBacks: [ReadBack] { [.key(label)] }

  package func run(_ floor: Floor) throws(CeremonyError) {
    let store = try floor.openStore()
    guard let record = store.record(labelled: label), record.state != .destroyed else { throw .refused(.keyAbsent) }
    try floor.readBack(.key(label), record.check.text)
    let block: [UInt8]
    do throws(KeyStoreError) { block = try store.block(of: label, under: exchange, at: floor.now) } catch { throw .keyStore(error) }
    try floor.write(fileName, block)
  }
}
