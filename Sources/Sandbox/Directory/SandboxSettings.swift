internal import Format

/// A sandbox's own settings, section by section.
struct SandboxSettings {
  struct Setting {
    let name: String
    /// In TOML; nil leaves the daemon's default.
    let value: String?
    /// Whether it makes the sandbox what it is, so that nobody may set it otherwise.
    let isFixed: Bool
    var comment: String?

    static func fixed(_ name: String, _ value: String?) -> Setting { Setting(name: name, value: value, isFixed: true) }
    static func usual(_ name: String, _ value: String, _ comment: String? = nil) -> Setting {
      Setting(name: name, value: value, isFixed: false, comment: comment)
    }

    var lines: [String] { (comment.map { ["# " + $0] } ?? []) + (value.map { ["\(name) = \($0)"] } ?? []) }
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
      Section(name: "service", settings: [.fixed("socket", path("run/kist.sock")), .usual("mode", text("0666"))]),
      Section(name: "admin", settings: [.fixed("socket", path("run/admin.sock"))]),
      Section(name: "policy", settings: [.fixed("directory", path("policy.d"))]),
      Section(
        name: "audit", settings: [.fixed("directory", path("audit")), .fixed("origin", text(origin)), .usual("segment_size", text("1MiB"))]),
      Section(name: "backup", settings: [.usual("directory", path("backups"))]),
      Section(
        name: "memory",
        settings: [
          .usual("arena_size", text("4MiB"), "With the operator's own half, within the 8 MiB that a user may usually lock."),
          .usual("allow_mlock_fallback", "true"),
        ]),
      Section(name: "limits", settings: [.usual("connections", "32")]),
      Section(name: "apple_pay", settings: [.usual("replay_entries", "65536")]),
      Section(name: "unlock", settings: [.fixed("credential", path("kek"))]),
      Section(
        name: "sandbox",
        settings: [
          .fixed("rehearsal", "true"), .fixed("trust_anchor", path("pki/root.cer")), .fixed("clock", clock.map { text($0.wholeSeconds) }),
        ]),
    ]
  }
}
