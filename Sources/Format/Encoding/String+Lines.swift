extension String {
  /// Its lines, which end with line feeds alone.
  ///
  /// `split(separator: "\n")` finds no line feed after a carriage return: the two are one `Character`.
  package func lines(omittingEmpty: Bool = true) -> [Substring] {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: omittingEmpty)
      .map { Substring($0) }
  }
}
