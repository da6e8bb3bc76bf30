internal import Format
internal import Policy

/// Whether another program would move or cut the audit log.
let rotationOfLogChecks: [CheckUp.Check] = [checkLogrotate]

/// Of logrotate(8): each of its patterns stands at the beginning of a block.
@Sendable private func checkLogrotate(_ host: Host) -> [Finding] {
  guard let log = host.configuration?.audit.directory else { return [] }
  let directory = "/etc/logrotate.d"
  let files = ["/etc/logrotate.conf"] + host.surroundings.names(in: directory).map { "\(directory)/\($0)" }
  return files.flatMap { file -> [Finding] in
    patterns(host.surroundings.text(file) ?? "").filter { covers($0[...], "\(log)/00000000000000000000.log"[...]) }.map { pattern in
      Finding(
        .logRotated, file, "logrotate moves the log's segments by \(pattern), and the daemon stops where one is gone.",
        cure: "Take \(pattern) out: segments end by themselves, and kist audit compress makes old ones small.")
    }
  }
}

/// The paths outside of braces.
private func patterns(_ text: String) -> [String] {
  var (patterns, depth) = ([String](), 0)
  for line in text.lines() where !line.drop(while: { $0 == " " || $0 == "\t" }).hasPrefix("#") {
    for word in line.replacing("{", with: " { ").split(whereSeparator: \.isWhitespace) {
      switch word {
      case "{": depth += 1
      case "}": depth -= 1
      case _ where depth == 0 && (word.hasPrefix("/") || word.hasPrefix("\"/")): patterns.append(String(word.filter { $0 != "\"" }))
      default: continue
      }
    }
  }
  return patterns
}

/// As glob(7) without brackets; a directory covers nothing in it.
private func covers(_ pattern: Substring, _ path: Substring) -> Bool {
  guard let first = pattern.first else { return path.isEmpty }
  if first == "*" {
    if covers(pattern.dropFirst(), path) { return true }
    guard let next = path.first, next != "/" else { return false }
    return covers(pattern, path.dropFirst())
  }
  guard let next = path.first, first == next || (first == "?" && next != "/") else { return false }
  return covers(pattern.dropFirst(), path.dropFirst())
}
