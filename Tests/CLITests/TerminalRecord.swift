import Ceremony
import Crypto
import Format
import Foundation
import Host
import Testing

/// What was on the terminals of several people, and where nothing secret may be.
final class TerminalRecord {
  struct Session: Decodable {
    var shown: String
    var code: Int32
  }

  private let scratch: Scratch
  private var shown = ""

  init(_ scratch: Scratch) throws { self.scratch = scratch }

  func keep(_ text: String) { shown += text }

  /// `kist` on a terminal of somebody's own; nil is whoever runs the tests, a service.
  func hold(_ words: [String], as user: String?, typing answers: [String] = []) throws -> Session {
    let kist = try #require(Kist.path).path
    let socket = scratch.path + (user == nil ? "/run/kist.sock" : "/run/admin.sock")
    let person =
      user.map { ["/usr/bin/setpriv", "--reuid=\($0)", "--regid=operator", "--clear-groups"] } ?? []
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments =
      [Kist.fixtures + "/terminal.py", answers.joined(separator: ","), "0"] + person + [kist]
      + words + ["--socket", socket]
    process.standardOutput = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let session = try JSONDecoder().decode(Session.self, from: text)
    keep(session.shown)
    return session
  }

  func expect(
    _ session: Session, code: Int32 = 0, _ text: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    #expect(
      session.code == code && session.shown.contains(text), "\(session.shown)",
      sourceLocation: location)
  }

  /// Neither on the terminals, nor in what the ceremonies and the daemon leave.
  func expectNoSecret(_ words: [String: [String]], _ components: [String]) throws {
    var everything = shown
    for folder in ["first", "second", "audit"] {
      for file in try FileManager.default.subpathsOfDirectory(atPath: scratch.path + "/" + folder) {
        if let data = FileManager.default.contents(atPath: scratch.path + "/\(folder)/" + file) {
          everything += String(decoding: data, as: UTF8.self)
        }
      }
    }
    #expect(everything.contains("approve") && everything.contains("4320"))
    for words in words.values {
      for (first, second) in zip(words, words.dropFirst()).dropFirst(4) {
        #expect(!everything.contains("\(first) \(second)"))
      }
    }
    let parts = try components.map { digits in
      try #require(Hex.decode(digits.filter { $0 != " " }.lowercased()))
    }
    let whole = zip(parts[0], parts[1]).map { $0 ^ $1 }
    let lowered = everything.lowercased()
    for secret in parts + [whole, try kek(words)] {
      for half in [Array(secret.prefix(16)), Array(secret.suffix(16))] {
        #expect(!lowered.contains(Hex.encode(half)))
      }
      #expect(!everything.contains(Base64.encode(secret).prefix(20)))
      #expect(
        !lowered.contains(
          stride(from: 0, to: 32, by: 2).map { Hex.encode(Array(secret[$0..<$0 + 2])) }.joined(
            separator: " ")))
    }
    #expect(!everything.contains("123456123456"))
  }

  private func kek(_ words: [String: [String]]) throws -> [UInt8] {
    func sheet(_ name: String) throws -> [UInt8] {
      Array(try #require(words[name]).joined(separator: " ").utf8)
    }
    let carol = try sheet("carol")
    let dave = try sheet("dave")
    let first = try Share(words: carol.span)
    var shares = try ShareCollection(first)
    let second = try Share(words: dave.span)
    try shares.add(second)
    let kek = try shares.combine()
    return kek.bytes.indices.map { kek.bytes[$0] }
  }
}
