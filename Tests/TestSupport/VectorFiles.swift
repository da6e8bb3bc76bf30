import Foundation

extension Vectors {
  /// Every case of a Wycheproof file with its group.
  public static func wycheproof(_ name: String) throws -> [(group: VectorCase, test: VectorCase)] {
    try grouped("wycheproof/\(name)_test.json")
  }

  /// Every case of a file of `testGroups` with its group. ACVP wraps the object in an array behind
  /// a header.
  public static func grouped(_ path: String) throws -> [(group: VectorCase, test: VectorCase)] {
    let parsed = try JSONSerialization.jsonObject(with: data(path))
    let object = (parsed as? [String: Any]) ?? (parsed as? [[String: Any]])?.last ?? [:]
    return try VectorCase(object).list("testGroups").flatMap { group in
      try group.list("tests").map { (group, $0) }
    }
  }

  /// The blocks of `Name = value` lines of a CAVP or Botan file, with the `[section]` each stands
  /// in.
  ///
  /// A block ends at an empty line; of a name that comes again (a counter), the last value stays.
  public static func blocks(_ path: String) throws -> [(section: String, test: VectorCase)] {
    var found: [(section: String, test: VectorCase)] = []
    var section = ""
    var fields: [String: Any] = [:]
    func close() {
      if !fields.isEmpty { found.append((section, VectorCase(fields))) }
      fields = [:]
    }
    let text = String(decoding: try data(path), as: UTF8.self)
    for raw in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      let line = raw.trimmingCharacters(in: .whitespacesAndNewlines)
      if line.isEmpty {
        close()
      } else if line.hasPrefix("["), line.hasSuffix("]") {
        close()
        section = String(line.dropFirst().dropLast())
      } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
        let name = line[..<equals].trimmingCharacters(in: .whitespaces)
        fields[name] = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
      }
    }
    close()
    return found
  }
}
