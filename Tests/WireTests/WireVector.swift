import Encoding
import Foundation
import Testing
import Wire

/// One file of `proto/vectors`; `proto/PROTOCOL.md` says how it is written.
struct WireVector: CustomTestStringConvertible, Sendable {
  enum Subject: Hashable {
    case message(String)
    case frames(FrameKind)
  }

  enum FrameKind: String {
    case request
    case reply
  }

  enum Expectation: Hashable {
    case accepted
    /// The error's class, and its field where it has one.
    case refused(String)
  }

  enum Flaw: Error {
    case line(file: String, line: String)
    case incomplete(file: String)
  }

  let file: String
  let subject: Subject
  let expectation: Expectation
  let fields: [String]
  let bytes: [UInt8]

  var testDescription: String { file }

  static func accepted() throws -> [WireVector] { try all().filter { $0.expectation == .accepted } }
  static func refused() throws -> [WireVector] { try all().filter { $0.expectation != .accepted } }

  static func all() throws -> [WireVector] {
    try FileManager.default.contentsOfDirectory(at: Repository.root.appending(path: "proto/vectors"), includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .map { try WireVector(file: $0.lastPathComponent, text: String(contentsOf: $0, encoding: .utf8)) }
  }

  /// - Throws: `Flaw` for a key that is not known, stands twice, or is missing.
  init(file: String, text: String) throws {
    self.file = file
    var subject: Subject?
    var expectation: String?
    var error: String?
    var comment: String?
    var fields: [String] = []
    var bytes: [UInt8]?
    for line in text.split(separator: "\n") {
      let key = line.prefix { $0 != ":" }
      let value = String(line.dropFirst(key.count + 1).drop { $0 == " " })
      let flaw = Flaw.line(file: file, line: String(line))
      switch (key, value) {
      case ("message", _) where subject == nil: subject = .message(value)
      case ("frame", _) where subject == nil: subject = .frames(try FrameKind(rawValue: value).orThrow(flaw))
      case ("expect", "ok") where expectation == nil, ("expect", "malformed") where expectation == nil: expectation = value
      case ("error", _) where error == nil: error = value
      case ("comment", _) where comment == nil: comment = value
      case ("field", _) where value.contains(" = "): fields.append(value)
      case ("bytes", _): bytes = (bytes ?? []) + (try Hex.decode(value).orThrow(flaw))
      default: throw flaw
      }
    }
    guard let subject, let bytes, let expectation, comment != nil, (error != nil) == (expectation == "malformed"), error == nil || fields.isEmpty
    else { throw Flaw.incomplete(file: file) }
    (self.subject, self.fields, self.bytes) = (subject, fields, bytes)
    self.expectation = error.map(Expectation.refused) ?? .accepted
  }
}

/// The checkout these tests were built from.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}

extension Optional {
  func orThrow(_ error: some Error) throws -> Wrapped {
    guard let self else { throw error }
    return self
  }
}

extension WireError {
  /// As the vectors write it.
  var vectorName: String {
    switch self {
    case .truncated: "truncated"
    case .trailingBytes: "trailing-bytes"
    case .frameSize: "frame-size"
    case .version: "version"
    case .reservedBits: "reserved-bits"
    case .unexpectedField(let field): "unexpected-field \(field)"
    case .wireType(let field): "wire-type \(field)"
    case .varint: "varint"
    case .explicitDefault(let field): "explicit-default \(field)"
    case .tooLong(let field): "too-long \(field)"
    case .badValue(let field): "bad-value \(field)"
    case .text(let field): "text \(field)"
    }
  }
}
