/// A record's time as it is written: RFC 3339 with microseconds, 27 characters, which compare as the times do.
struct RecordTime: Comparable, Sendable {
  private let characters: InlineArray<27, UInt8>

  /// - Parameter text: 27 bytes.
  init(_ text: Span<UInt8>) { characters = InlineArray { text[$0] } }

  static func == (a: RecordTime, b: RecordTime) -> Bool { a.characters.indices.allSatisfy { a.characters[$0] == b.characters[$0] } }

  static func < (a: RecordTime, b: RecordTime) -> Bool {
    for i in a.characters.indices where a.characters[i] != b.characters[i] { return a.characters[i] < b.characters[i] }
    return false
  }

  var text: String { String(decoding: characters.indices.map { characters[$0] }, as: UTF8.self) }
}
