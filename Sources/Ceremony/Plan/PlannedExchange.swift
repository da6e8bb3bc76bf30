internal import Configuration
internal import Crypto
internal import KeyStore

/// The exchange key under which a key is exported or imported. Its holders have that key, too, so people are shown which it is.
struct PlannedExchange {
  let label: KeyLabel
  /// As the other party wrote it down.
  let check: KeyCheckValue

  init(_ table: TOMLTable) throws(ConfigurationError) {
    label = try table.label("under", "the label of an exchange key")
    check = try table.required("under_kcv", Self.expected).text(Self.expected) { KeyCheckValue(hex: $0.filter { $0 != " " }) }
  }

  var script: String { "the exchange key \(label): its check value must be \(check), and is read back" }

  /// Has the check value of the store's key of that label read back, if it is the planned one.
  ///
  /// A rehearsal has an exchange key of its own.
  func readBack(_ room: CeremonyRoom) throws(CeremonyError) {
    guard let record = try room.openStore().record(labelled: label) else { throw .keyStore(.unknownKey) }
    guard room.kind == .rehearsal || isCheck(of: record.check.text) else { throw .refused(.otherExchangeKey) }
    try room.readBack(.key(label))
  }

  func isCheck(of value: String) -> Bool { value.filter { $0 != " " }.hasPrefix(check.description.filter { $0 != " " }) }

  private static let expected = "the check value of the exchange key, 6 or 10 hexadecimal digits"
}

extension RecordCursor {
  mutating func readBack(_ exchange: PlannedExchange) throws(End) {
    let value = try readBack(.key(exchange.label))
    guard kind == .rehearsal || exchange.isCheck(of: value) else { throw fault("the check value of \(exchange.label) that is in the plan, \(exchange.check)") }
  }
}
