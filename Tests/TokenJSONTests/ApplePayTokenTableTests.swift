import Format
import Foundation
import KistClient
import TestSupport
import Testing

/// `proto/vectors/payment-token-json.table`, which the Python client reads too.
@Suite("Apple Pay token JSON: the table of all clients")
struct ApplePayTokenTableTests {
  private static let rows: [Row] = {
    let file = Repository.root.appending(path: "proto/vectors/payment-token-json.table")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(Row.init)
  }()

  @Test("each text is what the table says", arguments: rows)
  fileprivate func outcome(_ row: Row) throws {
    let outcome: String
    do throws(ApplePayTokenJSONError) {
      let token = try ApplePayTokenJSON(row.text.span)
      #expect(token.keySource == .ephemeralPublicKey([0x30, 0x59]))
      #expect(token.data == [0, 1, 2, 255] && token.signature == [0x30, 0x80])
      #expect(
        token.publicKeyHash == [0xAB, 0xCD] && token.transactionID == [0x00, 0xFF]
          && token.applicationData.isEmpty)
      outcome = "ok"
    } catch { outcome = error.tableName }
    #expect(outcome == row.outcome)
  }

  @Test("the whole table is read")
  func count() { #expect(Self.rows.count == 121) }
}

private struct Row: CustomTestStringConvertible, Sendable {
  let outcome, name: String
  let text: [UInt8]

  init(_ line: Substring) {
    let parts = line.components(separatedBy: " | ")
    outcome = parts[0]
    name = parts[1]
    let rest = parts[2...].joined(separator: " | ")
    text = rest.hasPrefix("hex:") ? Hex.decode(String(rest.dropFirst(4))) ?? [] : Array(rest.utf8)
  }

  var testDescription: String { name }
}

extension ApplePayTokenJSONError {
  fileprivate var tableName: String {
    switch self {
    // Reasons of their own for people; one for programs.
    case .notJSON, .byteOrderMark, .utf16, .duplicate, .limits: "not-json"
    case .notToken: "not-token"
    case .missing(let member): "missing \(member.rawValue)"
    case .malformed(let member): "malformed \(member.rawValue)"
    case .empty(let member): "empty \(member.rawValue)"
    case .unknownVersion: "unknown-version"
    case .simulator: "simulator"
    }
  }
}
