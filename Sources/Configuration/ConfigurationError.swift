internal import Format

/// What is wrong with a configuration or policy file, and where: `file:line:column: message`.
///
/// The message holds names of keys and values from the file; neither file has secrets in it.
package struct ConfigurationError: Error, Hashable, Sendable {
  package let file: String
  /// nil if the error is about the file as a whole.
  package let position: SourcePosition?
  /// One printable line.
  package let message: String
  /// Whether there is no such file, or it cannot be read: nothing in it is wrong.
  package let isUnreadable: Bool

  package init(file: String, position: SourcePosition? = nil, _ message: String, isUnreadable: Bool = false) {
    (self.file, self.position, self.message, self.isUnreadable) = (file, position, Printable.line(message), isUnreadable)
  }
}

/// A place in a text; both count from 1, columns in code points.
package struct SourcePosition: Hashable, Comparable, Sendable {
  package let line, column: Int

  package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

  package static func < (a: SourcePosition, b: SourcePosition) -> Bool { (a.line, a.column) < (b.line, b.column) }
}

extension ConfigurationError: CustomStringConvertible {
  package var description: String {
    let file = Printable.line(file)
    guard let position else { return "\(file): \(message)" }
    return "\(file):\(position.line):\(position.column): \(message)"
  }
}
