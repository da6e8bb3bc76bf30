import Format
import Foundation
import TestSupport

/// What `protoc` makes of `proto/kist.proto`, as far as Kist's own tables have it.
struct Descriptor {
  private(set) var messages: [MessageSchema] = []
  private(set) var enumerations: [String: [String: UInt64]] = [:]

  static let present = compiler != nil

  private static let compiler: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(
    separator: ":"
  )
  .map { URL(filePath: String($0)).appending(path: "protoc") }
  .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  enum Flaw: Error {
    case noCompiler
    case exit(Int32)
    /// The descriptor itself, or something in the schema that Kist has no notion of.
    case unreadable
    case unknown(String)
  }

  static func compiled() throws -> Descriptor {
    let output = FileManager.default.temporaryDirectory.appending(path: "kist-descriptor-\(UUID())")
    defer { try? FileManager.default.removeItem(at: output) }
    let process = Process()
    process.executableURL = try compiler.orThrow(Flaw.noCompiler)
    let folder = Repository.root.appending(path: "proto")
    process.arguments = [
      "--proto_path=\(folder.path)", "--descriptor_set_out=\(output.path)", "kist.proto",
    ]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Flaw.exit(process.terminationStatus) }
    return try Descriptor([UInt8](Data(contentsOf: output)))
  }

  init(_ set: [UInt8]) throws {
    for file in try LenientMessage(set).messages(1) {
      guard try file.text(2) == "kist.v1", try file.text(12) == "proto3" else {
        throw Flaw.unreadable
      }
      for message in try file.messages(4) { messages.append(try Self.schema(message)) }
      for enumeration in try file.messages(5) {
        let values = try enumeration.messages(2).map { (try $0.text(1), $0.number(2)) }
        enumerations[try enumeration.text(1)] = Dictionary(uniqueKeysWithValues: values)
      }
    }
  }

  private static func schema(_ message: LenientMessage) throws -> MessageSchema {
    // Nested types, extensions and real oneofs would be things that Kist's tables cannot say.
    guard try message.messages(3).isEmpty, try message.messages(4).isEmpty,
      try message.messages(6).isEmpty
    else { throw Flaw.unreadable }
    return MessageSchema(try message.text(1), try message.messages(2).map(field))
  }

  private static func field(_ field: LenientMessage) throws -> Field {
    let repeated = field.number(4) == 3
    let optional = field.number(17) == 1
    guard optional || !field.has(9) else { throw Flaw.unreadable }
    return Field(
      UInt32(field.number(3)), try field.text(1), try kind(field),
      repeated ? .repeated : optional ? .optional : .implicit)
  }

  private static func kind(_ field: LenientMessage) throws -> String {
    switch field.number(5) {
    case 4: "uint64"
    case 8: "bool"
    case 9: "string"
    case 11, 14: String(try field.text(6).dropFirst(".kist.v1.".count))
    case 12: "bytes"
    case 13: "uint32"
    default: throw Flaw.unknown(try field.text(1))
    }
  }
}

/// Any protobuf message, its fields in the order they came; reads what a compiler wrote, not what a
/// stranger did.
struct LenientMessage {
  private enum Value {
    case number(UInt64)
    case bytes([UInt8])
  }

  private var fields: [(number: UInt64, value: Value)] = []

  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let tag = try Self.varint(&rest)
      switch tag & 7 {
      case 0: fields.append((tag >> 3, .number(try Self.varint(&rest))))
      case 2:
        let count = Int(try Self.varint(&rest))
        guard count <= rest.count else { throw Descriptor.Flaw.unreadable }
        fields.append((tag >> 3, .bytes(Array(rest.prefix(count)))))
        rest = rest.dropFirst(count)
      default: throw Descriptor.Flaw.unreadable
      }
    }
  }

  func has(_ number: UInt64) -> Bool { fields.contains { $0.number == number } }

  func number(_ number: UInt64) -> UInt64 {
    for field in fields where field.number == number {
      if case .number(let value) = field.value { return value }
    }
    return 0
  }

  func text(_ number: UInt64) throws -> String {
    String(decoding: all(number).first ?? [], as: UTF8.self)
  }
  func messages(_ number: UInt64) throws -> [LenientMessage] {
    try all(number).map(LenientMessage.init)
  }

  private func all(_ number: UInt64) -> [[UInt8]] {
    fields.compactMap { field in
      guard field.number == number, case .bytes(let bytes) = field.value else { return nil }
      return bytes
    }
  }

  private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { throw Descriptor.Flaw.unreadable }
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    throw Descriptor.Flaw.unreadable
  }
}
