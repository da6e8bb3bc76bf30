import Format
import Host
import KistClient

extension Arguments {
  /// The fields that an option names, which may be repeated.
  func fields(_ option: String) throws(CommandFailure) -> [PaymentField] {
    var fields: [PaymentField] = []
    for name in all(option) {
      guard let field = PaymentField(rawValue: name) else {
        throw .usage(
          "unknown field '\(name)'; there are \(PaymentField.allCases.map(\.rawValue).joined(separator: ", "))"
        )
      }
      fields.append(field)
    }
    return fields
  }
}

// Released values never become strings: they are written from the reply to standard output through
// secret memory.
extension OpenedToken {
  /// The names of those of these fields that are not there.
  borrowing func lacking(_ fields: [PaymentField]) -> String {
    fields.filter { field in withField(field) { $0.isEmpty } }.map(\.rawValue).joined(
      separator: ", ")
  }

  borrowing func writeTable() throws(CommandFailure) {
    let released = released
    var text = try room(for: released)
    let rows = released.map(\.rawValue) + ["signed", "audit record"]
    let width = (rows.map(\.utf8.count).max() ?? 0) + 2
    func heading(_ name: String) -> String {
      name + String(repeating: " ", count: width - name.utf8.count)
    }
    for field in released {
      text.add(heading(field.rawValue))
      withField(field) {
        if field == .envelope { text.add(Hex.encode($0)) } else { text.addPrintable($0) }
      }
      text.add("\n")
    }
    text.add(heading("signed") + signed + "\n")
    if let auditSequence { text.add(heading("audit record") + "\(auditSequence)\n") }
    text.write()
  }

  borrowing func writeJSON() throws(CommandFailure) {
    let released = released.sorted { $0.rawValue < $1.rawValue }
    var text = try room(for: released)
    text.add("{" + (auditSequence.map { "\"audit_sequence\":\($0)," } ?? "") + "\"fields\":{")
    for (index, field) in released.enumerated() {
      text.add((index == 0 ? "" : ",") + "\"\(field.rawValue)\":")
      if field == .amount {
        withField(field) { text.addPrintable($0) }
      } else if field == .envelope {
        withField(field) { text.add("\"" + Hex.encode($0) + "\"") }
      } else {
        withField(field) { text.addJSON($0) }
      }
    }
    text.add("},\"signing_time\":\"\(signed)\"}\n")
    text.write()
  }

  private var released: [PaymentField] {
    borrowing get { PaymentField.allCases.filter { field in !withField(field) { $0.isEmpty } } }
  }

  private var signed: String { Timestamp(reported: signingTime)?.wholeSeconds ?? "-" }

  private borrowing func room(for fields: [PaymentField]) throws(CommandFailure) -> SecretText {
    let values = fields.reduce(0) { sum, field in sum + withField(field) { $0.count } }
    return try SecretText(capacity: values * SecretText.expansion + 4096)
  }
}
