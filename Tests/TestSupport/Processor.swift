import Foundation

/// What OpenSSL takes the processor for; with `OPENSSL_ia32cap` it leaves out what that names, and
/// runs other code.
package enum Processor {
  package static let variable = "OPENSSL_ia32cap"

  /// For the environment of a program that a test starts: as the tests themselves run, so does all
  /// they start.
  ///
  /// An empty value would leave out everything there is, so there is none.
  package static let environment: [String: String] = ProcessInfo.processInfo.environment.filter {
    $0.key == variable && !$0.value.isEmpty
  }
}
