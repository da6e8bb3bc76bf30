/// Collects what is wrong with some files, so that their writer learns it at once.
struct Mistakes {
  private(set) var all: [ConfigurationError] = []

  mutating func add(_ more: some Sequence<ConfigurationError>) { all += more }

  /// What `body` gives; nil where it throws, which is kept.
  mutating func attempt<R>(_ body: () throws(ConfigurationError) -> R) -> R? {
    do throws(ConfigurationError) { return try body() } catch {
      all.append(error)
      return nil
    }
  }

  /// - Throws: all of them, where there are any.
  func end() throws(ConfigurationErrors) {
    if let first = all.first { throw ConfigurationErrors(first: first, others: all.dropFirst()) }
  }
}

/// All that is wrong with some files: by file, and in each from its beginning to its end.
package struct ConfigurationErrors: Error {
  package let first: ConfigurationError
  let others: ArraySlice<ConfigurationError>

  package var all: [ConfigurationError] { [first] + others }
}
