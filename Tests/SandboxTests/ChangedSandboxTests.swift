@testable import Sandbox
import Configuration
import Encoding
import Foundation
import Policy
import Testing
import TestSupport

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
    #expect(try sandbox.pinned(at: later).clock == later)
    let again = try SandboxDirectory(folder.path)
    #expect(again.clock == later)
    #expect(again.configuration.audit.origin == sandbox.configuration.audit.origin)
    #expect(try again.pinned(at: nil).clock == nil)
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
      guard case .configuration(let error) = refusal({ () throws(SandboxError) in try SandboxDirectory(folder.path) }) else {
        Issue.record("opened with a broken \(name)")
        return
      }
      #expect(error.file == sandbox.path + "/" + name)
      try folder.write(name, good)
    }
  }

  /// The kernel shows it for users that it cannot name.
  @Test func theOverflowUserGetsNone() throws {
    let refused = refusal { () throws(SandboxError) in try SandboxDirectory.make(folder.path, user: Principal.overflow, now: Scene.now) }
    guard case .configuration(let error) = refused else {
      Issue.record("made for the overflow user")
      return
    }
    #expect(error.file.hasSuffix("/policy.d/10-sandbox.toml"))
    #expect(try !SandboxDirectory.isPresent(at: folder.path))
  }
}
