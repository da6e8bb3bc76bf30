package import Format

/// What is done to every message of the protocol.
package protocol MessageVisitor {
  /// - Parameter name: as `proto/kist.proto` has it.
  mutating func message<M: Message & SendableMetatype & ~Escapable>(_ type: M.Type, _ name: String)
    throws
}

/// The messages of the protocol; `visit` is generated.
package enum Schema {
  package static let tables: [(name: String, table: FieldTable)] = {
    var collector = Tables()
    do { try visit(&collector) } catch {
      preconditionFailure("a message cannot be listed: \(error)")
    }
    return collector.tables
  }()

  package static let messages = tables.map { MessageSchema($0.name, $0.table.fields) }

  /// `MESSAGE NUMBER NAME LEAST MOST plain | required | list COUNT`, of every field that has some.
  package static let bounds = tables.flatMap { name, table in table.bounds.map { "\(name) \($0)" } }

  private struct Tables: MessageVisitor {
    var tables: [(name: String, table: FieldTable)] = []

    mutating func message<M: Message & SendableMetatype & ~Escapable>(
      _ type: M.Type, _ name: String
    ) throws { tables.append((name, try FieldTable(type))) }
  }
}

extension Schema {
  /// - Parameter names: a line for each value, in their order; each ends with the value's own name.
  static func numbers<E: RawRepresentable & Named>(_: E.Type, _ names: String)
    -> [String: UInt64]
  where E.RawValue: BinaryInteger {
    let lines = names.split(separator: "\n").map(String.init)
    precondition(lines.count == E.allCases.count, "\(E.self) has other values")
    for (line, value) in zip(lines, E.allCases) {
      let own = String(value.name.map { $0 == "-" ? "_" : $0 }).uppercased()
      precondition(line.hasSuffix(own), "\(line) is called \(value.name)")
    }
    return Dictionary(
      uniqueKeysWithValues: zip(lines, E.allCases.map { UInt64($0.rawValue) }))
  }
}
