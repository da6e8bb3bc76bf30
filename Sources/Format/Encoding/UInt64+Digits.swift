extension UInt8 {
  /// Whether it is an ASCII digit, of public text: it branches.
  package var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension UInt64 {
  /// A number of one or more ASCII digits and nothing else; nil if it does not fit.
  package init?(digits: Span<UInt8>) {
    guard !digits.isEmpty else { return nil }
    self = 0
    for i in digits.indices {
      guard digits[i].isDigit else { return nil }
      let (tens, overflow) = multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(digits[i] - UInt8(ascii: "0")))
      guard !overflow, !carry else { return nil }
      self = sum
    }
  }
}
