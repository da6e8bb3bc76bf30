internal import Ceremony
internal import KeyStore

extension StoreCopy {
  /// The result of the work with the copy at `path`; errors become advice to the operator.
  static func told<R>(_ path: String, _ work: () throws(KeyStoreError) -> R) throws(CommandFailure) -> R {
    do throws(KeyStoreError) { return try work() } catch { throw .failed("\(path): " + error.text(whereInUse: "take a copy of it")) }
  }
}
