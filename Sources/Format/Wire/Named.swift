/// An enum whose cases have names in policy, in the audit log and on the command line.
package protocol Named: CaseIterable {
  var name: String { get }
}

extension Named {
  package init?(name: some StringProtocol) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

extension Opcode {
  /// Whether it is available only on the operators' socket: the numbers from 0x0100 on.
  package var isForOperators: Bool { rawValue >= 0x0100 }
}
