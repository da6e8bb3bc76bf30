internal import Format

/// Builds HTML in which text from elsewhere is always escaped.
struct HTMLText {
  private(set) var html = ""

  /// Our own mark-up: a literal, so that nothing from a log can become mark-up.
  mutating func markup(_ markup: StaticString) { html += markup.description }

  /// Adds any text, escaped.
  mutating func text(_ text: String) { html += Self.escaped(text) }

  /// `<name attribute="value">…</name>`.
  mutating func element(_ name: StaticString, _ attributes: [(StaticString, String)] = [], _ body: (inout HTMLText) -> Void) {
    html += "<" + name.description
    for (name, value) in attributes { html += " " + name.description + "=\"" + Self.escaped(value) + "\"" }
    html += ">"
    body(&self)
    html += "</" + name.description + ">"
  }

  mutating func element(_ name: StaticString, _ text: String) { element(name, [], text) }

  mutating func element(_ name: StaticString, _ attributes: [(StaticString, String)], _ text: String) {
    element(name, attributes) { $0.text(text) }
  }

  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      case _ where Printable.isPrintable(scalar): out.unicodeScalars.append(scalar)
      default: out += Printable.number(scalar)
      }
    }
    return out
  }
}
