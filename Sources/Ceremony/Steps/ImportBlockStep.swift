package import Configuration
internal import Crypto
internal import Host
package import KeyStore

/// Imports a key that another machine sent in a key block, under an exchange key that both hold.
package struct ImportBlockStep: CeremonyStep {
  package static let kind = "import-block"
  let key: PlannedKey
  private let exchange: PlannedExchange
  private let file: BroughtFile
  /// Which of versions A, B and C are accepted, under a Triple DES key; none unless the file says so.
  private let old: Set<KeyBlockVersion>

  package init(_ table: TOMLTable, _: People) throws(ConfigurationError) {
    key = try PlannedKey(table)
    exchange = try PlannedExchange(table)
    file = try BroughtFile(table, "file", "where the key block is")
    old = Set(
      try table.list("versions", "versions") { node throws(ConfigurationError) in
        try node.text("one of A, B, C") { ["A": KeyBlockVersion.a, "B": .b, "C": .c][$0] }
      })
  }

  package var newLabel: KeyLabel? { key.label }

  package var script: [String] {
    ["\(key.text), from the key block \(file.path) under \(exchange.label)", exchange.script, file.script]
      + (old.isEmpty ? [] : ["OLD FORMATS ARE TAKEN: " + old.map { String(UnicodeScalar($0.rawValue)) }.sorted().joined(separator: ", ")])
      + ["the key's check value is read back"]
  }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    if records.kind == .production {
      try records.readBack(exchange)
      try file.check(&records)
    }
    try key.check(nil, &records)
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    guard room.kind == .production else { return try key.acceptTestKey(room) }
    try exchange.readBack(room)
    let block = try file.read(limit: KeyBlock.longest, room)
    let (store, exchange, old) = (try room.openStore(), exchange.label, old)
    let opened = try CeremonyError.keyStore { () throws(KeyStoreError) in
      try store.open(block: block.span, under: exchange, allowing: old, at: room.now)
    }
    let role = key.role
    let material = try CeremonyError.crypto { () throws(CryptoError) in try KeyMaterial(keyData: opened.key.bytes, for: role) }
    guard let algorithm = material.algorithm(in: role) else { throw .keyStore(.importRefused(.algorithm)) }
    try key.accept(material, algorithm, from: opened.header, room)
  }
}
