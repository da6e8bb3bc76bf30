import Format
package import Foundation

/// One file of `proto/vectors`; `proto/PROTOCOL.md` says how it is written.
package struct WireVector: Sendable {
  package enum Subject: Hashable, Sendable {
    case message(String)
    case frames(FrameKind)
  }

  package enum FrameKind: String, Sendable {
    case request
    case reply
  }

  package enum Expectation: Hashable, Sendable {
    case accepted
    /// The error's class, and its field where it has one.
    case refused(String)
  }

  package enum Flaw: Error {
    case line(file: String, line: String)
    case incomplete(file: String)
  }

  package let file: String
  package let subject: Subject
  package let expectation: Expectation
  package let fields: [String]
  package let bytes: [UInt8]

  package static func accepted() throws -> [WireVector] {
    try all().filter { $0.expectation == .accepted }
  }
  package static func refused() throws -> [WireVector] {
    try all().filter { $0.expectation != .accepted }
  }

  package static func all() throws -> [WireVector] {
    try FileManager.default.contentsOfDirectory(
      at: Repository.root.appending(path: "proto/vectors"), includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "txt" }
    .sorted { $0.lastPathComponent < $1.lastPathComponent }
    .map {
      try WireVector(file: $0.lastPathComponent, text: String(contentsOf: $0, encoding: .utf8))
    }
  }

  /// - Throws: `Flaw` for a key that is not known, stands twice, or is missing.
  package init(file: String, text: String) throws {
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
      case ("frame", _) where subject == nil:
        subject = .frames(try FrameKind(rawValue: value).orThrow(flaw))
      case ("expect", "ok") where expectation == nil,
        ("expect", "malformed") where expectation == nil:
        expectation = value
      case ("error", _) where error == nil: error = value
      case ("comment", _) where comment == nil: comment = value
      case ("field", _) where value.contains(" = "): fields.append(value)
      case ("bytes", _): bytes = (bytes ?? []) + (try Hex.decode(value).orThrow(flaw))
      default: throw flaw
      }
    }
    guard let subject, let bytes, let expectation, comment != nil,
      (error != nil) == (expectation == "malformed"), error == nil || fields.isEmpty
    else { throw Flaw.incomplete(file: file) }
    self.subject = subject
    self.fields = fields
    self.bytes = bytes
    self.expectation = error.map(Expectation.refused) ?? .accepted
  }
}

/// The checkout these tests were built from.
package enum Repository {
  package static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
}

extension Optional {
  package func orThrow(_ error: some Error) throws -> Wrapped {
    guard let self else { throw error }
    return self
  }
}
