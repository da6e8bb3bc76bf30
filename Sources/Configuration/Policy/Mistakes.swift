/// Collects all mistakes in some files, so that their writer learns of them at once.
struct Mistakes {
  private(set) var all: [ConfigurationError] = []

  mutating func add(_ more: some Sequence<ConfigurationError>) { all += more }

  /// The result of `body`; nil if it throws, and the error is collected.
  mutating func attempt<R>(_ body: () throws(ConfigurationError) -> R) -> R? {
    do throws(ConfigurationError) { return try body() } catch {
      all.append(error)
      return nil
    }
  }

  /// - Throws: all mistakes, if there are any.
  func end() throws(ConfigurationErrors) {
    if let first = all.first { throw ConfigurationErrors(first: first, others: all.dropFirst()) }
  }
}

/// All mistakes in some files: by file, and in each from its beginning to its end.
package struct ConfigurationErrors: Error {
  package let first: ConfigurationError
  let others: ArraySlice<ConfigurationError>

  package var all: [ConfigurationError] { [first] + others }
}
