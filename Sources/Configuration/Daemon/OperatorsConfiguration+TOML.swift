internal import Format
internal import Policy

extension OperatorsConfiguration {
  /// - Parameter isSandbox: a sandbox has one person, who needs no approval.
  init(_ table: TOMLTable, isSandbox: Bool) throws(ConfigurationError) {
    self.init()
    approval = try Self.approval(table) ?? (isSandbox ? [] : Opcode.approvedByDefault)
    approvalTime = try table.optional("approval_time")?.duration(in: .seconds(60)...(.seconds(86_400))) ?? .seconds(900)
  }

  private static func approval(_ table: TOMLTable) throws(ConfigurationError) -> Set<Opcode>? {
    guard let node = table.optional("approval") else { return nil }
    let names = Opcode.allCases.filter { $0.isForOperators && $0.traits.approval != .never }.map(\.name)
    var operations: Set<Opcode> = []
    for element in try node.array("operators' operations") {
      let opcode = try element.text("one of \(names.joined(separator: ", "))") { names.contains($0) ? Opcode(name: $0) : nil }
      guard operations.insert(opcode).inserted else { throw element.error("is listed twice in 'approval'; expected once") }
    }
    return operations
  }
}
