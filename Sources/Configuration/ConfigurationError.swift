import Format

/// What is wrong with a configuration or policy file, and where: `file:line:column: message`.
///
/// The message holds names of keys and values from the file; neither file has secrets in it.
package struct ConfigurationError: Error, Hashable {
  package let file: String
  /// nil if the error is about the file as a whole.
  package let position: SourcePosition?
  /// One printable line.
  package let message: String
  /// Whether there is no such file, or it cannot be read: nothing in it is wrong.
  package let isUnreadable: Bool

  package init(
    file: String, position: SourcePosition? = nil, _ message: String, isUnreadable: Bool = false
  ) {
    self.file = file
    self.position = position
    self.message = Printable.line(message)
    self.isUnreadable = isUnreadable
  }
}

/// A place in a text; both count from 1, columns in code points.
package struct SourcePosition: Hashable, Comparable, Sendable {
  package let line, column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (a: SourcePosition, b: SourcePosition) -> Bool {
    (a.line, a.column) < (b.line, b.column)
  }
}

extension ConfigurationError: CustomStringConvertible {
  package var description: String {
    let file = Printable.line(file)
    guard let position else { return "\(file): \(message)" }
    return "\(file):\(position.line):\(position.column): \(message)"
  }
}

/// Collects all mistakes in some files, so that their writer learns of them at once.
struct Mistakes {
  private(set) var all: [ConfigurationError] = []

  mutating func add(_ more: some Sequence<ConfigurationError>) { all += more }

  /// The result of `body`; nil if it throws, and the error is collected.
  mutating func attempt<R>(_ body: @autoclosure () throws(ConfigurationError) -> R?) -> R? {
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
