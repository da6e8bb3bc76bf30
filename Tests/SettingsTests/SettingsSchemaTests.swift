import Format
import Foundation
import Policy
import TestSupport
import Testing

/// `proto/settings.proto` has every field of what kistd hands over, with its number and bounds.
@Suite struct SettingsSchemaTests {
  private static let messages: [(name: String, table: @Sendable () throws -> FieldTable)] = [
    ("SettingsFrame", { try FieldTable(SettingsFrame.self) }),
    ("DaemonConfiguration", { try FieldTable(DaemonConfiguration.self) }),
    ("Principal", { try FieldTable(Principal.self) }),
    ("SocketConfiguration", { try FieldTable(SocketConfiguration.self) }),
    ("AuditConfiguration", { try FieldTable(AuditConfiguration.self) }),
    ("BackupConfiguration", { try FieldTable(BackupConfiguration.self) }),
    ("MemoryConfiguration", { try FieldTable(MemoryConfiguration.self) }),
    ("LimitsConfiguration", { try FieldTable(LimitsConfiguration.self) }),
    ("ProcessConfiguration", { try FieldTable(ProcessConfiguration.self) }),
    ("ApplePayConfiguration", { try FieldTable(ApplePayConfiguration.self) }),
    ("MerchantConfiguration", { try FieldTable(MerchantConfiguration.self) }),
    ("SurrogateFormatForm", { try FieldTable(SurrogateFormatForm.self) }),
    ("ProvisioningConfiguration", { try FieldTable(ProvisioningConfiguration.self) }),
    ("KeyExchangeConfiguration", { try FieldTable(KeyExchangeConfiguration.self) }),
    ("OperatorsConfiguration", { try FieldTable(OperatorsConfiguration.self) }),
    ("FleetConfiguration", { try FieldTable(FleetConfiguration.self) }),
    ("SandboxConfiguration", { try FieldTable(SandboxConfiguration.self) }),
    ("GrantForm", { try FieldTable(GrantForm.self) }),
    ("AccountTable", { try FieldTable(AccountTable.self) }),
    ("UserRow", { try FieldTable(UserRow.self) }), ("GroupRow", { try FieldTable(GroupRow.self) }),
    ("SubordinateRow", { try FieldTable(SubordinateRow.self) }),
  ]

  @Test("every field's number, name and bounds, and no message that is not there") func bounds()
    throws
  {
    var (bounds, fields, names, message): ([String], [String], [String], String) = ([], [], [], "")
    for line in try String(
      contentsOf: Repository.root.appending(path: "proto/settings.proto"), encoding: .utf8
    ).split(separator: "\n") {
      if let opening = line.wholeMatch(of: /(message|enum) (\w+) \{/) {
        message = opening.1 == "message" ? String(opening.2) : ""
        if !message.isEmpty { names.append(message) }
      }
      guard !message.isEmpty,
        let field = line.prefixMatch(of: /\s+(?:optional |repeated )?\w+ (\w+) = (\d+);/)
      else { continue }
      fields.append("\(message) \(field.2) \(field.1)")
      guard let bound = line.firstMatch(of: /\/\/ \[(\d+)\.\.(\w+)(?: ([a-z0-9 ]+))?\]/) else {
        continue
      }
      bounds.append("\(message) \(field.2) \(field.1) \(bound.1) \(bound.2) \(bound.3 ?? "plain")")
    }
    let tables = try Self.messages.map { ($0.name, try $0.table()) }
    #expect(names == tables.map(\.0))
    #expect(
      fields
        == tables.flatMap { name, table in table.fields.map { "\(name) \($0.number) \($0.name)" } })
    #expect(bounds == tables.flatMap { name, table in table.bounds.map { "\(name) \($0)" } })
  }
}
