internal import Format
internal import Policy

/// The owners of keys: a file whose lines have a key's label, or `PREFIX/*`, and a name; `#` begins a comment.
struct KeyOwners {
  private var rows: [(keys: KeyPattern, owner: String)] = []

  static let none = KeyOwners()

  private init() {}

  init(_ path: String) throws(CommandFailure) {
    let text = String(decoding: try Input(path: path).contents(limit: 1 << 20), as: UTF8.self)
    for (number, line) in text.lines(omittingEmpty: false).enumerated() {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard let first = words.first else { continue }
      guard words.count > 1, let keys = KeyPattern(String(first)) else {
        throw CommandFailure(code: 1, "\(path):\(number + 1): expected a label or PREFIX/* and a name, such as 'merchant/acme/*  ACME Ltd'", isLocated: true)
      }
      rows.append((keys, words.dropFirst().joined(separator: " ")))
    }
  }

  /// The owner in the first line that covers the key.
  func owner(of label: String) -> String? { rows.first { $0.keys.covers(label) }?.owner }
}
