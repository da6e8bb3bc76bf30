internal import Configuration
internal import Format
internal import Policy

/// A sandbox's configuration with somebody's settings among its own, line by line, so that a mistake is reported where they wrote it.
struct MergedConfiguration {
  private let added: PolicyDirectory.Source?
  private var lines = ["# A throw-away daemon; kist.toml(5) describes every key."]
  /// For each line, its number in what was added; nil for the sandbox's own.
  private var origins: [Int?] = [nil]

  /// - Throws: at the first setting that the sandbox needs for itself, or a section that is not under its heading.
  init(_ own: SandboxSettings, with added: PolicyDirectory.Source?) throws(ConfigurationError) {
    self.added = added
    append(own.stateDirectory.lines)
    guard let added else {
      for section in own.sections { append(["", "[\(section.name)]"] + section.settings.flatMap(\.lines)) }
      return
    }
    let places = try Places(own, in: added)
    append([""])
    for (index, line) in added.lines.enumerated() {
      lines.append(line)
      origins.append(index + 1)
      append(places.settings[index + 1]?.flatMap(\.lines) ?? [])
    }
    for section in places.absent { append(["", "[\(section.name)]"] + section.settings.flatMap(\.lines)) }
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  /// Checks it as the daemon does.
  func check(file: String) throws(ConfigurationError) {
    do throws(ConfigurationError) { _ = try DaemonConfiguration.decode(Array(text.utf8), file: file, accounts: .system) } catch {
      guard let added, let position = error.position, origins.indices.contains(position.line - 1), let line = origins[position.line - 1] else { throw error }
      throw ConfigurationError(file: added.file, position: SourcePosition(line: line, column: position.column), error.message)
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
    if let taken = root.optional(own.stateDirectory.name) { throw taken.ofSandbox("'\(taken.name)'") }
    for section in own.sections {
      guard let node = root.optional(section.name) else {
        absent.append(section)
        continue
      }
      let table = try node.table()
      let heading = node.keyPosition.line
      guard added.lines[heading - 1].filter({ $0 != " " && $0 != "\t" }).hasPrefix("[\(section.name)]") else {
        throw ConfigurationError(file: added.file, position: node.keyPosition, "'\(section.name)' is not under a heading; expected [\(section.name)]")
      }
      var usual: [SandboxSettings.Setting] = []
      for setting in section.settings {
        guard let taken = table.optional(setting.name) else {
          usual.append(setting)
          continue
        }
        guard !setting.isFixed else { throw taken.ofSandbox("'\(taken.name)' in [\(section.name)]") }
      }
      settings[heading] = usual
    }
  }
}

extension TOMLNode {
  fileprivate func ofSandbox(_ subject: String) -> ConfigurationError {
    ConfigurationError(file: file, position: keyPosition, "\(subject) is the sandbox's own; leave it out")
  }
}

extension PolicyDirectory.Source {
  /// The empty text behind the last newline is none of them.
  fileprivate var lines: [String] {
    let lines = String(decoding: text, as: UTF8.self).lines(omittingEmpty: false).map(String.init)
    return lines.last == "" ? lines.dropLast() : lines
  }
}
