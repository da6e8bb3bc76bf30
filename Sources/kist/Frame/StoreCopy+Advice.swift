internal import KeyStore

extension StoreCopy {
  /// What the work with the copy at `path` gives; what is wrong with it is told to the operator.
  static func told<R>(_ path: String, _ work: () throws(KeyStoreError) -> R) throws(CommandFailure) -> R {
    do throws(KeyStoreError) { return try work() } catch { throw .failed("\(path): " + error.text(whereInUse: "take a copy of it")) }
  }
}
