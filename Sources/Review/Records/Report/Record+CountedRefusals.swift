package import Audit
internal import Format

extension Record {
  /// The counts in a record that stands for many refusals; empty for any other record.
  package var countedRefusals: [(kind: String, result: String, denial: String?, count: Int)] {
    guard operation == RecordName.refusals, case .array(let kinds)? = event.first(where: { $0.name == "kinds" })?.value else { return [] }
    return kinds.compactMap { kind in
      guard case .object(let members) = kind else { return nil }
      let values = Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
      guard case .string(let operation)? = values["op"], case .string(let result)? = values["result"], case .integer(let count)? = values["count"]
      else { return nil }
      guard case .string(let denial)? = values["denial"] else { return (operation, result, nil, Int(clamping: count)) }
      return (operation, result, denial, Int(clamping: count))
    }
  }
}
