import ApplePay
import Crypto
import Format
import Foundation
import Host
import TestSupport
import Testing

/// Surrogates as Kist and an independent program make them; `Tests/interop/surrogates.py` says how
/// to run both sides.
@Suite struct SurrogateInteropTests {
  private struct Row: Codable {
    let format: Format
    let key, merchant: String
    /// By PAN; nil for one that the format leaves out.
    var made: [String: String?]
    /// By number; nil for one that is no surrogate.
    var undone: [String: String?]
  }

  private struct Format: Codable {
    let prefix: String
    let first, last, length: Int
    let luhn: String

    func format() throws -> SurrogateFormat {
      let rules: [String: SurrogateFormat.LuhnRule] = ["pass": .pass, "fail": .fail, "any": .any]
      return try SurrogateFormat(
        prefix: Array(prefix.utf8), first: first, last: last, length: length == 0 ? nil : length,
        luhn: try #require(rules[luhn]))
    }
  }

  /// Where the script exchanges numbers with us; without it, its own are those of the repository
  /// and ours stay here.
  private let exchange = ProcessInfo.processInfo.environment["KIST_INTEROP_DIR"].map {
    URL(fileURLWithPath: $0)
  }
  private let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("interop/surrogates.json")

  init() throws { try #require(TestArena.ready) }

  @Test(
    "[OP-SURR-10] [OP-SURR-12] [OP-SURR-13] in every format, surrogates and PANs are those of the independent program"
  ) func same() throws {
    for row in try rows() {
      let format = try row.format.format()
      for (pan, surrogate) in row.made {
        #expect(
          try DigitsOf.surrogate(pan, row.merchant, format, row.key) == surrogate,
          "\(format) of \(pan)")
      }
      for (number, pan) in row.undone {
        #expect(
          try DigitsOf.pan(number, row.merchant, format, row.key) == pan, "\(format) of \(number)")
      }
    }
  }

  @Test func oursForTheProgram() throws {
    var rows = try rows()
    for index in rows.indices {
      let format = try rows[index].format.format()
      let row = rows[index]
      rows[index].made = [:]
      rows[index].undone = [:]
      for pan in try (10...19).map(Self.pan) {
        let surrogate = try DigitsOf.surrogate(pan, row.merchant, format, row.key)
        rows[index].made[pan] = .some(surrogate)
        // One that there is, and its neighbour, which may be one or not.
        for number in surrogate.map({
          [$0, String($0.dropLast()) + ($0.hasSuffix("0") ? "1" : "0")]
        }) ?? [] {
          rows[index].undone[number] = .some(
            try DigitsOf.pan(number, row.merchant, format, row.key))
        }
      }
    }
    if let exchange {
      try JSONEncoder().encode(rows).write(
        to: exchange.appendingPathComponent("kist-surrogates.json"))
    }
  }

  private func rows() throws -> [Row] {
    let rows = try JSONDecoder().decode(
      [Row].self,
      from: Data(
        contentsOf: exchange?.appendingPathComponent("reference-surrogates.json") ?? fixture))
    #expect(rows.count == 30)
    return rows
  }

  private static func pan(_ count: Int) throws -> String {
    let front = try Random.bytes(count - 1).map { String($0 % 10) }.joined()
    return try #require((0...9).map { front + String($0) }.first(where: DigitsOf.passes))
  }
}

/// Surrogates of texts, as texts; nil where there is none.
enum DigitsOf {
  /// - Parameter key: in hexadecimal.
  static func surrogate(_ pan: String, _ merchant: String, _ format: SurrogateFormat, _ key: String)
    throws -> String?
  {
    let pan = Array(pan.utf8)
    let merchant = Array(merchant.utf8)
    let key = try #require(Hex.decode(key))
    do throws(PANError) {
      let made = try Surrogate.make(
        of: pan.span, merchant: merchant.span, format: format, key: key.span)
      return String(decoding: made.bytes.array, as: UTF8.self)
    } catch {
      guard error == .notPAN else { throw error }
      return nil
    }
  }

  static func pan(_ surrogate: String, _ merchant: String, _ format: SurrogateFormat, _ key: String)
    throws -> String?
  {
    let surrogate = Array(surrogate.utf8)
    let merchant = Array(merchant.utf8)
    let key = try #require(Hex.decode(key))
    do throws(PANError) {
      let pan = try Surrogate.pan(
        of: surrogate.span, merchant: merchant.span, format: format, key: key.span)
      return String(decoding: pan.bytes.array, as: UTF8.self)
    } catch {
      guard error == .notSurrogate else { throw error }
      return nil
    }
  }

  static func passes(_ digits: String) -> Bool {
    let bytes = Array(digits.utf8)
    return PAN.isLuhnValid(bytes.span)
  }
}
