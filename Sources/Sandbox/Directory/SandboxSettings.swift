import Configuration
import Format
import Policy

/// A sandbox's own settings, section by section.
struct SandboxSettings {
  struct Setting {
    let name: String
    /// In TOML; nil leaves the daemon's default.
    let value: String?
    /// Whether it makes the sandbox what it is, so that nobody may set it otherwise.
    let isFixed: Bool
    var comment: String?

    static func fixed(_ name: String, _ value: String?) -> Setting {
      Setting(name: name, value: value, isFixed: true)
    }
    static func usual(_ name: String, _ value: String, _ comment: String? = nil) -> Setting {
      Setting(name: name, value: value, isFixed: false, comment: comment)
    }

    var lines: [String] {
      (comment.map { ["# " + $0] } ?? []) + (value.map { ["\(name) = \($0)"] } ?? [])
    }
  }

  struct Section {
    let name: String
    let settings: [Setting]
  }

  let stateDirectory: Setting
  let sections: [Section]

  /// - Parameter origin: the audit log's name.
  init(_ directory: String, origin: String, clock: Timestamp?) {
    func text(_ text: String) -> String { "\"\(text)\"" }
    func path(_ name: String) -> String { text(directory + "/" + name) }
    stateDirectory = .fixed("state_directory", path("state"))
    sections = [
      Section(
        name: "service",
        settings: [.fixed("socket", path("run/kist.sock")), .usual("mode", text("0666"))]),
      Section(name: "admin", settings: [.fixed("socket", path("run/admin.sock"))]),
      Section(name: "policy", settings: [.fixed("directory", path("policy.d"))]),
      Section(
        name: "audit",
        settings: [
          .fixed("directory", path("audit")), .fixed("origin", text(origin)),
          .usual("segment_size", text("1MiB")),
        ]),
      Section(name: "backup", settings: [.usual("directory", path("backups"))]),
      Section(
        name: "memory",
        settings: [
          .usual(
            "arena_size", text("4MiB"),
            "With the operator's own half, within the 8 MiB that a user may usually lock."),
          .usual("allow_mlock_fallback", "true"),
        ]),
      Section(name: "limits", settings: [.usual("connections", "32")]),
      Section(name: "apple_pay", settings: [.usual("replay_entries", "65536")]),
      Section(name: "unlock", settings: [.fixed("credential", path("kek"))]),
      Section(
        name: "sandbox",
        settings: [
          .fixed("rehearsal", "true"), .fixed("trust_anchor", path("pki/root.cer")),
          .fixed("clock", clock.map { text($0.wholeSeconds) }),
        ]),
    ]
  }
}

/// A sandbox's configuration with somebody's settings among its own, line by line, so that a
/// mistake is reported where they wrote it.
struct MergedConfiguration {
  private let added: PolicyDirectory.Source?
  private var lines = ["# A throw-away daemon; kist.toml(5) describes every key."]
  /// For each line, its number in what was added; nil for the sandbox's own.
  private var origins: [Int?] = [nil]

  /// - Throws: at the first setting that the sandbox needs for itself, or a section that is not
  ///   under its heading.
  init(_ own: SandboxSettings, with added: PolicyDirectory.Source?) throws(ConfigurationError) {
    self.added = added
    append(own.stateDirectory.lines)
    guard let added else {
      for section in own.sections {
        append(["", "[\(section.name)]"] + section.settings.flatMap(\.lines))
      }
      return
    }
    let places = try Places(own, in: added)
    append([""])
    for (index, line) in added.lines.enumerated() {
      lines.append(line)
      origins.append(index + 1)
      append(places.settings[index + 1]?.flatMap(\.lines) ?? [])
    }
    for section in places.absent {
      append(["", "[\(section.name)]"] + section.settings.flatMap(\.lines))
    }
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// Checks it as the daemon does.
  func check(file: String) throws(ConfigurationError) {
    do throws(ConfigurationError) {
      _ = try DaemonConfiguration.decode(Array(text.utf8), file: file, accounts: .system)
    } catch {
      guard let added, let position = error.position, origins.indices.contains(position.line - 1),
        let line = origins[position.line - 1]
      else { throw error }
      throw ConfigurationError(
        file: added.file, position: SourcePosition(line: line, column: position.column),
        error.message)
    }
  }

  private mutating func append(_ own: [String]) {
    lines += own
    origins += own.map { _ in nil }
  }
}

/// Where a sandbox's own settings go among those that were added.
private struct Places {
  /// By the line of the section's heading: those that were not set otherwise.
  private(set) var settings: [Int: [SandboxSettings.Setting]] = [:]
  /// The sections of which nothing was added.
  private(set) var absent: [SandboxSettings.Section] = []

  init(_ own: SandboxSettings, in added: PolicyDirectory.Source) throws(ConfigurationError) {
    let root = try TOMLDocument.root(added.text, file: added.file)
    if let taken = root.optional(own.stateDirectory.name) {
      throw taken.ofSandbox("'\(taken.name)'")
    }
    for section in own.sections {
      guard let node = root.optional(section.name) else {
        absent.append(section)
        continue
      }
      let table = try node.table()
      let heading = node.keyPosition.line
      guard
        added.lines[heading - 1].filter({ $0 != " " && $0 != "\t" }).hasPrefix("[\(section.name)]")
      else {
        throw ConfigurationError(
          file: added.file, position: node.keyPosition,
          "'\(section.name)' is not under a heading; expected [\(section.name)]")
      }
      var usual: [SandboxSettings.Setting] = []
      for setting in section.settings {
        guard let taken = table.optional(setting.name) else {
          usual.append(setting)
          continue
        }
        guard !setting.isFixed else {
          throw taken.ofSandbox("'\(taken.name)' in [\(section.name)]")
        }
      }
      settings[heading] = usual
    }
  }
}

extension TOMLNode {
  fileprivate func ofSandbox(_ subject: String) -> ConfigurationError {
    ConfigurationError(
      file: file, position: keyPosition, "\(subject) is the sandbox's own; leave it out")
  }
}

extension PolicyDirectory.Source {
  /// The empty text behind the last newline is none of them.
  fileprivate var lines: [String] {
    let lines = String(decoding: text, as: UTF8.self).lines(omittingEmpty: false).map(String.init)
    return lines.last == "" ? lines.dropLast() : lines
  }
}
