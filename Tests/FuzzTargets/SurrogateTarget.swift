import ApplePay
import Format
import Host

/// Digits under a known key, taken for a PAN and for a surrogate in a format of any kind.
///
/// In front are a byte each for the first and last digits that are kept, the length or zero, Luhn's
/// rule, and the size of the prefix, which follows.
enum SurrogateTarget: FuzzTarget {
  static let name = "surrogate"
  static let byteLimit = 64
  private static let key = [UInt8](repeating: 0x5A, count: 32),
    merchant = Array("merchant.com.acme".utf8)

  static func seeds() throws -> [[UInt8]] {
    let formats: [[UInt8]] = [
      [0, 4, 0, 2, 0], [0, 4, 0, 1, 0], [6, 4, 0, 3, 0], [8, 2, 0, 2, 0], [0, 4, 0, 2, 1, 0x39],
      [0, 4, 0, 3, 1, 0x34], [0, 4, 17, 2, 0],
      [2, 4, 18, 1, 1, 0x39], [0, 0, 32, 3, 2, 0x39, 0x30],
    ]
    let numbers = [
      "4109370251004320", "371449635398431", "0123456782", "6304000000000000000", "",
      "9041093702510043", "4109370251004320x",
    ]
    return formats.flatMap { format in numbers.map { format + Array($0.utf8) } }
  }

  static func run(_ input: [UInt8]) throws {
    guard input.count >= 5, let rule = SurrogateFormat.LuhnRule(rawValue: input[3]) else { return }
    let prefix = Array(input[5...].prefix(Int(input[4]))),
      digits = Array(input[(5 + prefix.count)...])
    let format = try SurrogateFormat(
      prefix: prefix, first: Int(input[0]), last: Int(input[1]),
      length: input[2] == 0 ? nil : Int(input[2]), luhn: rule)
    try promise(format.panLengths.contains(16), "a format takes no PAN of 16 digits")
    if let surrogate = try? made(of: digits, format) {
      try promise(surrogate.count == format.length ?? digits.count, "a surrogate of another length")
      try promise(
        surrogate.starts(with: prefix + digits.prefix(format.first)),
        "a surrogate without its first digits")
      try promise(
        surrogate.suffix(format.last) == digits.suffix(format.last),
        "a surrogate without its last digits")
      try promise(
        rule == .any || PAN.isLuhnValid(surrogate.span) == (rule == .pass),
        "a surrogate passes as it must not")
      try promise((try? pan(of: surrogate, format)) == digits, "a surrogate is another PAN's")
    }
    guard let pan = try? pan(of: digits, format) else { return }
    try promise(PAN.hasForm(pan.span) && PAN.isLuhnValid(pan.span), "a surrogate of what is no PAN")
    try promise((try? made(of: pan, format)) == digits, "a PAN has two surrogates")
  }

  private static func made(of pan: [UInt8], _ format: SurrogateFormat) throws -> [UInt8] {
    let made = try Surrogate.make(
      of: pan.span, merchant: merchant.span, format: format, key: key.span)
    return made.bytes.array
  }

  private static func pan(of surrogate: [UInt8], _ format: SurrogateFormat) throws -> [UInt8] {
    let pan = try Surrogate.pan(
      of: surrogate.span, merchant: merchant.span, format: format, key: key.span)
    return pan.bytes.array
  }
}
