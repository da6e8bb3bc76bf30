package import Configuration
import Crypto
import Host
package import KeyStore

/// Exports a key to another machine, as an X9.143 block of version D under an exchange key that
/// both hold.
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
  package var script: [String] {
    [
      "\(label): its check value is read back", exchange.script,
      "a key block of it under \(exchange.label) goes to \(fileName)",
    ]
  }
  package var readBacks: [ReadBack] { [.key(label), .key(exchange.label)] }

  package func check(_ records: inout RecordCursor) throws(RecordCursor.End) {
    try records.readBack(.key(label))
    try records.readBack(exchange)
    try records.output(fileName)
  }

  package func run(_ room: CeremonyRoom) throws(CeremonyError) {
    let store = try room.openStore()
    try room.readBackKey(label)
    try exchange.readBack(room)
    let block = try onStore(store.block(of: label, under: exchange.label, at: room.now))
    try room.write(fileName, block)
  }
}

/// Imports a key that another machine sent in a key block, under an exchange key that both hold.
package struct ImportBlockStep: CeremonyStep {
  package static let kind = "import-block"
  let key: PlannedKey
  private let exchange: PlannedExchange
  private let file: BroughtFile
  /// Which of versions A, B and C are accepted, under a Triple DES key; none unless the file says
  /// so.
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
    [
      "\(key.text), from the key block \(file.path) under \(exchange.label)", exchange.script,
      file.script,
    ]
      + (old.isEmpty
        ? []
        : [
          "OLD FORMATS ARE TAKEN: "
            + old.map { String(UnicodeScalar($0.rawValue)) }.sorted().joined(separator: ", ")
        ])
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
    let store = try room.openStore()
    let exchange = exchange.label
    let old = old
    let opened = try onStore(
      store.open(block: block.span, under: exchange, allowing: old, at: room.now))
    let role = key.role
    let material = try onCrypto(KeyMaterial(keyData: opened.key.bytes, for: role))
    guard let algorithm = material.algorithm(in: role) else {
      throw .keyStore(.importRefused(.algorithm))
    }
    try key.accept(material, algorithm, from: opened.header, room)
  }
}

/// The exchange key under which a key is exported or imported. Its holders have that key, too, so
/// people are shown which it is.
struct PlannedExchange {
  let label: KeyLabel
  /// As the other party wrote it down.
  let check: KeyCheckValue

  init(_ table: TOMLTable) throws(ConfigurationError) {
    label = try table.label("under", "the label of an exchange key")
    check = try table.text("under_kcv", Self.expected) {
      KeyCheckValue(hex: $0.filter { $0 != " " })
    }
  }

  var script: String {
    "the exchange key \(label): its check value must be \(check), and is read back"
  }

  /// Has the check value of the store's key of that label read back, if it is the planned one.
  ///
  /// A rehearsal has an exchange key of its own.
  func readBack(_ room: CeremonyRoom) throws(CeremonyError) {
    guard let record = try room.openStore().record(labelled: label) else {
      throw .keyStore(.unknownKey)
    }
    guard room.kind == .rehearsal || isCheck(of: record.check.text) else {
      throw .refused(.otherExchangeKey)
    }
    try room.readBack(.key(label))
  }

  func isCheck(of value: String) -> Bool {
    value.filter { $0 != " " }.hasPrefix(check.description.filter { $0 != " " })
  }

  private static let expected = "the check value of the exchange key, 6 or 10 hexadecimal digits"
}

extension RecordCursor {
  mutating func readBack(_ exchange: PlannedExchange) throws(End) {
    let value = try readBack(.key(exchange.label))
    guard kind == .rehearsal || exchange.isCheck(of: value) else {
      throw fault("the check value of \(exchange.label) that is in the plan, \(exchange.check)")
    }
  }
}
