import Configuration
import Format
import Foundation
import Policy
import TestSupport
import Testing

@testable import Sandbox

/// Sandboxes that somebody has changed, each its own.
@Suite struct ChangedSandboxTests {
  private let folder: Folder

  init() throws {
    try #require(TestArena.ready)
    folder = try Folder()
  }

  @Test func theClockIsPinnedAndLetGo() throws {
    let moment = try #require(Timestamp("2020-02-29T12:00:00Z"))
    let sandbox = try SandboxDirectory.make(folder.path, clock: moment, user: 1000, now: Scene.now)
    #expect(sandbox.clock == moment)
    let later = moment.adding(seconds: 60)
    #expect(try sandbox.changed(clock: later).clock == later)
    let again = try SandboxDirectory(folder.path)
    #expect(again.clock == later)
    #expect(again.configuration.audit.origin == sandbox.configuration.audit.origin)
    #expect(try again.changed(clock: nil).clock == nil)
  }

  @Test func whatIsNoSandboxDoesNotOpen() throws {
    let sandbox = try SandboxDirectory.make(folder.path, user: 1000, now: Scene.now)
    let text = try folder.text("kist.toml")
    let section = try #require(text.range(of: "[sandbox]"))
    try folder.write("kist.toml", String(text[..<section.lowerBound]))
    #expect(refusal { () throws(SandboxError) in try SandboxDirectory(folder.path) } == .notSandbox)
    try folder.write("kist.toml", text)
    #expect(refusal { () throws(SandboxError) in try SandboxDirectory(folder.path) } == nil)
    for name in ["kist.toml", "policy.d/10-sandbox.toml"] {
      let good = try folder.text(name)
      try folder.write(name, "nonsense = 1\n")
      guard
        case .configuration(let error) = refusal({ () throws(SandboxError) in
          try SandboxDirectory(folder.path)
        })
      else {
        Issue.record("opened with a broken \(name)")
        return
      }
      #expect(error.file == sandbox.path + "/" + name)
      try folder.write(name, good)
    }
  }

  private func additions(_ configuration: String? = nil, policies: [String] = [])
    throws(SandboxError) -> SandboxAdditions
  {
    try SandboxAdditions(
      configuration: configuration.map { folder.path + "/" + $0 },
      policies: policies.map { folder.path + "/" + $0 })
  }

  private func grant(_ name: String) -> String {
    "[[grant]]\nid = \"\(name)\"\nusers = [1000]\noperations = [\"random\"]\n"
  }

  @Test func whatIsAddedStaysUntilMoreIs() throws {
    let box = folder.path + "/box"
    try folder.write(
      "a.toml",
      "[limits]\nconnections = 40\n\n[[merchant]]\nidentifier = \"merchant.com.acme\"\nfreshness_window = \"2m\"\n"
    )
    try folder.write("b.toml", "# nothing but\n[ audit ]\nsegment_size = \"2MiB\"\n")
    for name in ["p", "q", "r"] { try folder.write(name + ".toml", grant(name)) }
    let made = try SandboxDirectory.make(
      box, adding: additions("a.toml", policies: ["p.toml", "q.toml"]), user: 1000, now: Scene.now)
    #expect(
      made.configuration.limits.connections == 40
        && made.configuration.merchants.map(\.identifier) == ["merchant.com.acme"])
    #expect(made.configuration.memory.arenaSize == 4 << 20)
    #expect(try grants(made).prefix(3) == ["p", "q", "shop"])

    // The clock alone leaves them.
    let pinned = try made.changed(clock: Scene.now)
    #expect(pinned.clock == Scene.now && pinned.configuration.limits.connections == 40)
    #expect(try grants(pinned).first == "p")
    let other = try pinned.changed(clock: pinned.clock, adding: additions("b.toml"))
    #expect(
      other.clock == Scene.now && other.configuration.limits.connections == 32
        && other.configuration.audit.segmentSize == 2 << 20)
    #expect(other.configuration.audit.origin == made.configuration.audit.origin)
    let last = try other.changed(clock: nil, adding: additions(policies: ["r.toml"]))
    #expect(last.configuration.audit.segmentSize == 2 << 20 && last.clock == nil)
    #expect(try grants(last).prefix(2) == ["r", "shop"])
  }

  @Test(arguments: [
    ("[service]\nsocket = \"/a\"\n", 2, "'socket' in [service] is the sandbox's own; leave it out"),
    (
      "\n\n[sandbox]\n\nclock = \"2026-11-20T09:30:00Z\"\n", 5,
      "'clock' in [sandbox] is the sandbox's own"
    ),
    ("state_directory = \"/a\"\n", 1, "'state_directory' is the sandbox's own"),
    ("[audit]\norigin = \"a\"\n", 2, "'origin' in [audit]"),
    ("[limits]\nconections = 4\n", 2, "unknown key 'conections' (did you mean 'connections'?)"),
    ("[limits]\n# many\nconnections = \"4\"\n", 3, "'connections' is a string"),
    ("limits.connections = 4\n", 1, "'limits' is not under a heading"),
    ("limits = { connections = 4 }\n", 1, "expected [limits]"),
    ("[limits.more]\na = 1\n", 1, "'limits' is not under a heading"),
    ("[limits\n", 1, "not TOML"), ("[frob]\n", 1, "unknown key 'frob'"),
    ("[[limits]]\n", 1, "a table"),
  ])
  func whatDoesNotFitIsNamedAndNothingIsMade(_ text: String, _ line: Int, _ message: String) throws
  {
    try folder.write("a.toml", text)
    let box = folder.path + "/box"
    let refused = refusal { () throws(SandboxError) in
      try SandboxDirectory.make(box, adding: additions("a.toml"), user: 1000, now: Scene.now)
    }
    guard case .configuration(let error) = refused else {
      Issue.record("made with \(text)")
      return
    }
    #expect(
      error.file == folder.path + "/a.toml" && error.position?.line == line
        && error.message.contains(message), "\(error)")
    #expect(!FileManager.default.fileExists(atPath: box))
  }

  @Test func grantsThatDoNotFitChangeNothing() throws {
    let box = folder.path + "/box"
    try folder.write("good.toml", "[limits]\nconnections = 40\n")
    try folder.write("shop.toml", grant("shop"))
    try folder.write(
      "wrong.toml", grant("a") + "[[grant]]\nid = \"b\"\nusers = [1000]\noperations = [\"frob\"]\n")
    let made = try SandboxDirectory.make(box, user: 1000, now: Scene.now)
    let before = try folder.text("box/kist.toml")
    for (name, line) in [("shop.toml", 2), ("wrong.toml", 8)] {
      let refused = refusal { () throws(SandboxError) in
        try made.changed(clock: Scene.now, adding: additions("good.toml", policies: [name]))
      }
      guard case .configuration(let error) = refused else {
        Issue.record("took \(name)")
        continue
      }
      #expect(error.file == folder.path + "/" + name && error.position?.line == line, "\(error)")
      #expect(try folder.text("box/kist.toml") == before)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: box + "/policy.d") == [
          "10-sandbox.toml"
        ])
    }
    #expect(refusal { () throws(SandboxError) in try additions("none.toml") } != nil)
  }

  private func grants(_ sandbox: SandboxDirectory) throws -> [String] {
    try PolicyDirectory.load(sandbox.configuration.policyDirectory).rules.map(\.id)
  }

  /// The kernel shows it for users that it cannot name.
  @Test func theOverflowUserGetsNone() throws {
    let refused = refusal { () throws(SandboxError) in
      try SandboxDirectory.make(folder.path, user: Principal.overflow, now: Scene.now)
    }
    guard case .configuration(let error) = refused else {
      Issue.record("made for the overflow user")
      return
    }
    #expect(error.file.hasSuffix("/policy.d/10-sandbox.toml"))
    #expect(try !SandboxDirectory.isPresent(at: folder.path))
  }
}
