internal import Format

extension TOMLNode {
  /// A duration such as `"300s"`; units are `ms`, `s`, `m`, `h` and `d`.
  package func duration(in range: ClosedRange<Duration>) throws(ConfigurationError) -> Duration {
    let expected = "a duration from \(range.lowerBound.text) to \(range.upperBound.text), such as \"300s\" or \"5m\""
    return try text(expected) { text in
      guard let (count, unit) = Self.quantity(text, ["ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]) else { return nil }
      let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit)
      let duration = Duration.milliseconds(milliseconds)
      return !overflow && range.contains(duration) ? duration : nil
    }
  }

  /// A number of bytes such as `"32MiB"`; units are `KiB`, `MiB` and `GiB`.
  func size(in range: ClosedRange<Int>, powerOfTwo: Bool = false) throws(ConfigurationError) -> Int {
    let kind = powerOfTwo ? "a power of two" : "a size"
    let expected = "\(kind) from \(Self.sizeText(range.lowerBound)) to \(Self.sizeText(range.upperBound)), such as \"32MiB\""
    return try text(expected) { text in
      guard let (count, unit) = Self.quantity(text, ["KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]) else { return nil }
      let (bytes, overflow) = count.multipliedReportingOverflow(by: unit)
      guard !overflow, range.contains(bytes), !powerOfTwo || bytes.nonzeroBitCount == 1 else { return nil }
      return bytes
    }
  }

  /// Permission bits as an octal string such as `"0660"`; only bits of `allowed`.
  func mode(allowed: UInt32) throws(ConfigurationError) -> UInt32 {
    let expected = "permission bits within 0\(String(allowed, radix: 8)), as an octal string such as \"0660\""
    return try text(expected) { text in
      guard text.utf8.count == 4, text.first == "0", let mode = UInt32(text, radix: 8), mode & ~allowed == 0 else { return nil }
      return mode
    }
  }

  package static let expectedDigest = "64 hexadecimal digits in lower case"

  /// The digits of a SHA-256.
  package func digest() throws(ConfigurationError) -> String {
    try text(Self.expectedDigest) { text in
      let digits = text.utf8.allSatisfy { $0.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }
      return text.utf8.count == 64 && digits ? text : nil
    }
  }

  /// An absolute path in normal form.
  package func path() throws(ConfigurationError) -> String {
    try text("a printable absolute path without '.', '..' or empty parts") { text in
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count > 1, parts[0].isEmpty, text.utf8.count < 4096, Printable.isLine(text) else { return nil }
      return parts.dropFirst().allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." } ? text : nil
    }
  }

  /// Digits without a leading zero, and a unit's factor.
  private static func quantity(_ text: String, _ units: [String: Int]) -> (count: Int, factor: Int)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let factor = units[String(text[digits.endIndex...])], let count = Int(digits), digits == "0" || digits.first != "0"
    else { return nil }
    return (count, factor)
  }

  private static func sizeText(_ bytes: Int) -> String {
    if bytes.isMultiple(of: 1 << 30) { return "\(bytes >> 30)GiB" }
    if bytes.isMultiple(of: 1 << 20) { return "\(bytes >> 20)MiB" }
    return "\(bytes >> 10)KiB"
  }
}

extension Duration {
  /// In the largest unit that divides it.
  fileprivate var text: String {
    let (seconds, attoseconds) = components
    guard attoseconds == 0 else { return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms" }
    if seconds == 0 || !seconds.isMultiple(of: 60) { return "\(seconds)s" }
    if seconds.isMultiple(of: 86_400) { return "\(seconds / 86_400)d" }
    if seconds.isMultiple(of: 3600) { return "\(seconds / 3600)h" }
    return "\(seconds / 60)m"
  }
}
