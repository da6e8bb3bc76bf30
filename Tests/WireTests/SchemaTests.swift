import Format
import Foundation
import KistClient
import TestSupport
import Testing

@Suite(
  "schema",
  .enabled(
    if: Descriptor.present,
    "protoc is not installed: the field tables are not compared with proto/kist.proto"))
struct SchemaTests {
  @Test(
    "[WIRE-9] every message has the fields of the schema, and every message of the schema is there")
  func messages() throws {
    let compiled = try Descriptor.compiled().messages
    #expect(Schema.messages.map(\.name) == compiled.map(\.name))
    for (ours, theirs) in zip(Schema.messages, compiled) { #expect(ours == theirs) }
  }

  @Test(
    "[WIRE-9] every enum has the names and numbers of the schema, and every enum of the schema is there"
  )
  func enumerations() throws {
    let theirs = try Descriptor.compiled().enumerations
    // A value that is the default is absent on the wire: of an enum none has that number, but for
    // a status, which stands in the header.
    for (name, values) in theirs {
      #expect(
        values.filter { $0.value == 0 }.keys.allSatisfy {
          name == "Status" ? $0 == "STATUS_OK" : $0.hasSuffix("_UNSPECIFIED")
        } && values.values.contains(0), "\(name)")
    }
    #expect(
      Schema.enumerations
        == theirs.mapValues { $0.filter { !$0.key.hasSuffix("_UNSPECIFIED") } })
  }
}

@Suite("tables")
struct TableTests {
  @Test(
    "[WIRE-9] every bound is the one of proto/kist.proto, with which the clients compare theirs")
  func bounds() throws {
    var (bounds, message): ([String], Substring) = ([], "")
    for line in try String(
      contentsOf: Repository.root.appending(path: "proto/kist.proto"), encoding: .utf8
    ).split(separator: "\n") {
      if let opening = line.wholeMatch(of: /message (\w+) \{/) { message = opening.1 }
      guard
        let field = line.prefixMatch(
          of: /\s+.+ (\w+) = (\d+); *\/\/ \[(\d+)\.\.(\w+)(?: ([a-z0-9 ]+))?\]/)
      else { continue }
      bounds.append("\(message) \(field.2) \(field.1) \(field.3) \(field.4) \(field.5 ?? "plain")")
    }
    #expect(Schema.bounds == bounds)
  }

  @Test("[WIRE-9] PROTOCOL.md names every field, or proto/kist.proto says behind it what it is")
  func explained() throws {
    let folder = Repository.root.appending(path: "proto")
    let text = try String(contentsOf: folder.appending(path: "PROTOCOL.md"), encoding: .utf8)
    var (fields, message): (Int, Substring) = (0, "")
    for line in try String(contentsOf: folder.appending(path: "kist.proto"), encoding: .utf8).split(
      separator: "\n")
    {
      if let opening = line.wholeMatch(of: /message (\w+) \{/) { message = opening.1 }
      guard
        let field = line.wholeMatch(
          of: /\s+(?:repeated |optional )?\w+ (\w+) = \d+;(?: *\/\/ (?:\[[^\]]*\] ?)*(.*))?/)
      else { continue }
      fields += 1
      #expect(field.2?.isEmpty == false || text.contains("`\(field.1)`"), "\(message).\(field.1)")
    }
    #expect(fields == Schema.messages.map(\.fields.count).reduce(0, +))
  }

  @Test("fields ascend from 1, and no name or number stands twice")
  func fields() {
    for message in Schema.messages {
      let numbers = message.fields.map(\.number)
      #expect(
        numbers == numbers.sorted() && Set(numbers).count == numbers.count && numbers.first == 1,
        "\(message.name)")
      #expect(Set(message.fields.map(\.name)).count == message.fields.count, "\(message.name)")
    }
    #expect(Set(Schema.messages.map(\.name)).count == Schema.messages.count)
  }

  @Test("a released field has the number and name of its field in the reply")
  func released() {
    let reply = Schema.messages.first { $0.name == "OpenPaymentTokenReply" }?.fields
    for field in ReleasedField.allCases {
      let inReply = reply?.first { $0.number == field.number }
      #expect(inReply?.name == String(field.name.map { $0 == "-" ? "_" : $0 }))
    }
    #expect(ReleasedField.allCases.map(\.rawValue) == Array(1...17) + [20, 21, 22])
  }

  @Test("names lead back to what they name, and nothing else does")
  func names() {
    for opcode in Opcode.allCases { #expect(Opcode(name: opcode.name) == opcode) }
    for field in ReleasedField.allCases { #expect(ReleasedField(name: field.name) == field) }
    for secret in ReleasedSecret.allCases { #expect(ReleasedSecret(name: secret.name) == secret) }
    for choice in DerivationChoice.allCases {
      #expect(DerivationChoice(name: choice.name) == choice)
    }
    for choice in SignatureChoice.allCases { #expect(SignatureChoice(name: choice.name) == choice) }
    for choice in MACChoice.allCases { #expect(MACChoice(name: choice.name) == choice) }
    for name in ["", "pin", "Ping", "ping ", "DPAN", "dpan,last4"] {
      #expect(Opcode(name: name) == nil)
      #expect(ReleasedField(name: name) == nil)
    }
    #expect(Set(Stage.allCases.map(\.name)).count == Stage.allCases.count)
    #expect(Set(Status.allCases.map(\.name)).count == Status.allCases.count)
  }

  @Test("a set of fields holds what was put in, ascending")
  func releasedFields() {
    let set = ReleasedFields([.raw, .dpan, .cryptogram, .dpan])
    #expect(set.fields == [.dpan, .cryptogram, .raw])
    #expect(set.contains(.raw) && !set.contains(.eci))
    #expect(ReleasedFields(ReleasedField.allCases).fields == ReleasedField.allCases)
    #expect(ReleasedFields([]).isEmpty)
  }
}
