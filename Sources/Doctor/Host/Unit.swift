import Format

/// A unit as systemd reads it: its file, and the drop-ins that change it.
struct Unit: Sendable {
  let name: String
  let path: String
  /// Whether its file is a link to /dev/null, so that it never starts.
  let isMasked: Bool
  private let settings: [(name: String, value: String)]

  static let daemon = "kistd.service"
  static let services = "kist.socket"
  static let operators = "kist-admin.socket"
  /// With the two that the daemon's brings along.
  static let names = [daemon, services, operators, "kist-accounts.path", "kist-check.timer"]

  /// In the order of systemd.unit(5).
  private static let directories = [
    "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system", "/lib/systemd/system",
  ]

  /// Whether its file is the administrator's, in place of the package's.
  var isReplaced: Bool { path.hasPrefix("/etc/") || path.hasPrefix("/run/") }

  /// Nil if there is no such unit.
  init?(_ name: String, in surroundings: Surroundings) {
    guard let path = Self.directories.map({ "\($0)/\(name)" }).first(where: surroundings.has) else {
      return nil
    }
    let text = surroundings.text(path)
    self.name = name
    self.path = path
    isMasked = text == nil
    var dropIns: [String: String] = [:]
    for directory in Self.directories.map({ "\($0)/\(name).d" }) {
      for file in surroundings.names(in: directory)
      where file.hasSuffix(".conf") && dropIns[file] == nil {
        dropIns[file] = surroundings.text("\(directory)/\(file)") ?? ""
      }
    }
    settings = ([text ?? ""] + dropIns.sorted { $0.key < $1.key }.map(\.value)).flatMap(
      Self.settings)
  }

  /// What the setting was given last; nil if it is not set.
  func value(_ name: String) -> String? { settings.last { $0.name == name }?.value }

  /// Each time it was given, with its name in front, since it was last set to nothing.
  func lines(_ name: String) -> [String] {
    settings.filter { $0.name == name }.reduce(into: []) { lines, setting in
      lines = setting.value.isEmpty ? [] : lines + ["\(name)=\(setting.value)"]
    }
  }

  /// All that it was given since it was last set to nothing, which empties a list.
  func words(_ name: String) -> [String] {
    settings.filter { $0.name == name }.reduce(into: []) { words, setting in
      if setting.value.isEmpty {
        words = []
      } else {
        words += setting.value.split(separator: " ").map(String.init)
      }
    }
  }

  private static func settings(_ text: String) -> [(name: String, value: String)] {
    text.replacing("\r\n", with: "\n").replacing("\\\n", with: " ").lines().compactMap { line in
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        String($0.trimmed)
      }
      guard parts.count == 2, let first = parts[0].first, first != "#", first != ";" else {
        return nil
      }
      return (parts[0], parts[1])
    }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    return start.lastIndex { $0 != " " && $0 != "\t" }.map { start[...$0] } ?? ""
  }
}
