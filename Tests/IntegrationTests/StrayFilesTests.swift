import Foundation
import Testing

@Suite struct StrayFilesTests {
  @Test(
    "[KS-STRAYS] the journal names a file that does not belong to the key store, and what a crash left is removed unsaid",
    arguments: ["notes.txt", nil])
  func reported(_ name: String?) throws {
    let daemon = try TestDaemon()
    #expect(daemon.stop() == 0)
    let keys = daemon.directory.path + "/state/keys/"
    let leftover = keys + ".manifest.tmp"
    for path in [leftover] + (name.map { [keys + $0] } ?? []) {
      try Data("not a key".utf8).write(to: URL(fileURLWithPath: path))
    }
    let again = try daemon.restarted()
    #expect(again.stop() == 0)
    let lines = again.readErrors().split(separator: "\n").filter {
      $0.contains("event=stray-files")
    }
    #expect(lines.count == (name == nil ? 0 : 1))
    if let name {
      #expect(lines[0].contains("level=warning") && lines[0].contains("count=1 first=\(name) "))
    }
    #expect(!FileManager.default.fileExists(atPath: leftover))
  }
}
