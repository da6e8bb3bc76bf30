import Configuration
import Policy
import Testing

/// A system with two users and two groups.
let accounts = Accounts(
  uid: { ["kist": 900, "acme": 1001, "nobody": 65_534, "root": 0][$0] },
  gid: { ["clients": 2001, "operators": 2002, "nogroup": 65_534][$0] })

/// What the daemon's own schema and the policy's make of a text: nil, or `line:column: message`.
enum Schema: Sendable {
  case daemon, policy

  func complaint(about text: String) -> String? {
    do throws(ConfigurationError) {
      switch self {
      case .daemon:
        _ = try DaemonConfiguration.decode(Array(text.utf8), file: "FILE", accounts: accounts)
      case .policy:
        _ = try PolicyDirectory.locate(
          [.init(file: "FILE", text: Array(text.utf8))], accounts: accounts
        ).policy
      }
      return nil
    } catch {
      return error.description
    }
  }
}

extension DaemonConfiguration {
  /// The freshness window of a merchant's tokens: its own, or the general one.
  func freshnessWindow(merchant: String) -> Duration {
    merchants.first { $0.identifier == merchant }?.freshnessWindow ?? applePay.freshnessWindow
  }
}

/// A text and what is wrong with it.
struct Mistake: Sendable, CustomTestStringConvertible {
  let text: String
  let complaint: String

  init(_ text: String, _ complaint: String) {
    self.text = text
    self.complaint = complaint
  }

  var testDescription: String { complaint }
}
