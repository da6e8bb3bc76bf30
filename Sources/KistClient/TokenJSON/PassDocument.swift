internal import Format

/// A JSON object from which a pass's base64 is read.
struct PassDocument: ~Escapable {
  private let json: JSONReader

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) throws(PassJSONError) {
    do throws(JSONReaderError) { json = try JSONReader(text) } catch { throw .notObject }
    guard json.root.kind == .object else { throw .notObject }
  }

  /// The member that goes by one of these names.
  func bytes(_ names: [String]) throws(PassJSONError) -> [UInt8] {
    for name in names {
      guard let value = try value(name) else { continue }
      guard let bytes = try? Self.base64(json, value) else { throw .malformed(name) }
      return bytes
    }
    throw .missing(names[0])
  }

  func list(_ name: String) throws(PassJSONError) -> [[UInt8]] {
    guard let value = try value(name) else { throw .missing(name) }
    do throws(JSONReaderError) { return try elements(of: value) } catch { throw .malformed(name) }
  }

  private func value(_ name: String) throws(PassJSONError) -> JSONReader.Value? {
    do throws(JSONReaderError) { return try json.member(name, of: json.root) } catch { throw .malformed(name) }
  }

  /// The strings of an array, each read as a text of its own; the array's grammar has been checked with the whole text's.
  private func elements(of array: JSONReader.Value) throws(JSONReaderError) -> [[UInt8]] {
    guard array.kind == .array else { throw .wrongKind }
    let text = json.bytes(of: array)
    var found: [[UInt8]] = []
    var at = 1
    while at < text.count - 1 {
      switch text[at] {
      case UInt8(ascii: "\""):
        var end = at + 1
        while text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
        let element = try JSONReader(text.extracting(at..<(end + 1)))
        found.append(try Self.base64(element, element.root))
        at = end + 1
      case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): at += 1
      default: throw .wrongKind
      }
    }
    return found
  }

  private static func base64(_ json: borrowing JSONReader, _ value: JSONReader.Value) throws(JSONReaderError) -> [UInt8] {
    var text = [UInt8](repeating: 0, count: try json.decodedCount(of: value))
    var span = text.mutableSpan
    _ = try json.decode(value, into: &span)
    guard let bytes = Base64.decode(text.span) else { throw .malformed }
    return bytes
  }
}
