package import Host

extension LastLoad {
  package init?(line: String) {
    guard line.hasSuffix("\n"), let space = line.firstIndex(of: " "),
      let count = Int(line[..<space]), count > 0
    else { return nil }
    let outcome = line[line.index(after: space)...].dropLast()
    if outcome == Self.taken {
      self.init(count: count, refusal: nil)
    } else if outcome.hasPrefix(Self.refused) {
      self.init(count: count, refusal: String(outcome.dropFirst(Self.refused.count)))
    } else {
      return nil
    }
  }

  /// The file in this directory, or nil if there is none or it is being written.
  package init?(in directory: String, _ name: String = fileName) {
    guard let bytes = try? TextFile.read(directory + "/" + name) else { return nil }
    self.init(line: String(decoding: bytes, as: UTF8.self))
  }
}
