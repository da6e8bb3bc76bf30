/// Something that is wrong on a host, or soon will be.
package struct Finding: Hashable, Sendable {
  package let trouble: Trouble
  /// What it is about: a path, a unit, a key, a grant; empty for the host as a whole.
  package let place: String
  /// What is wrong, one sentence.
  package let cause: String
  /// What to do about it, one sentence.
  package let cure: String

  init(_ trouble: Trouble, _ place: String = "", _ cause: String, cure: String) {
    (self.trouble, self.place, self.cause, self.cure) = (trouble, place, cause, cure)
  }
}

extension [Finding] {
  /// What `kist doctor` ends with.
  package var exitCode: Int32 { contains { $0.trouble.severity == .problem } ? 1 : isEmpty ? 0 : 3 }
}

package enum Severity: String, CaseIterable, Sendable {
  /// Kist does not work, or does not protect what it should.
  case problem
  /// It works, and somebody should look at it in time.
  case warning
}
