import Foundation
import Host
import Testing

/// Files are opened in one place, which refuses what is no regular file, and links where nobody
/// named them.
@Suite final class OpeningTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-opening-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("directory"), withIntermediateDirectories: true)
    try Data("x".utf8).write(to: folder.appendingPathComponent("file"))
    #expect(unsafe mkfifo(folder.path + "/pipe", 0o600) == 0)
    for (link, target) in [
      ("link", "file"), ("link-to-pipe", "pipe"), ("link-to-link", "link"), ("loop", "loop"),
      ("link-to-nothing", "nothing"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path + "/" + link, withDestinationPath: target)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func refusal(_ name: String, _ access: FileAccess) -> DiskError? {
    do throws(DiskError) {
      _ = try File(name.hasPrefix("/") ? name : folder.path + "/" + name, access, on: LinuxDisk())
      return nil
    } catch { return error }
  }

  private static let absent = DiskError(.open, errno: ENOENT)

  @Test(
    arguments: [
      ("file", nil, nil), ("directory", .notRegular, .notRegular),
      ("pipe", .notRegular, .notRegular), ("/dev/zero", .notRegular, .notRegular),
      ("nothing", absent, absent), ("link", .link, nil), ("link-to-link", .link, nil),
      ("link-to-pipe", .link, .notRegular),
      ("/dev/stdin", .link, .notRegular), ("loop", .link, .link),
      ("link-to-nothing", .link, absent),
    ] as [(String, DiskError?, DiskError?)])
  func kinds(_ name: String, found: DiskError?, named: DiskError?) {
    #expect(refusal(name, .read) == found)
    // What standard input of the tests is, is not ours to say.
    if name != "/dev/stdin" { #expect(refusal(name, .readFollowingLink) == named) }
  }

  @Test func whatIsWrittenIsNeverALink() {
    #expect(refusal("link", .update) == .link)
    #expect(refusal("link", .create(mode: 0o600))?.isPresence == true)
    #expect(refusal("link-to-nothing", .create(mode: 0o600))?.isPresence == true)
    #expect(refusal("pipe", .update) == .notRegular)
  }

  /// Those that open something else than a file of somebody's: the root directory, the kernel's
  /// word on a process, and what kistd has handed over, whose owner and mode are looked at
  /// (ConfinementTests).
  private static let exceptions: Set<String> = [
    "Host/Storage/LinuxDisk.swift", "Server/ProcessReport.swift",
    "Server/LoadedSettings.swift", "CLinux/linux_calls.c",
  ]

  @Test func nothingElseOpensFilesForReading() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Sources").standardizedFileURL
    let files = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap {
      $0 as? String
    }
    let opening = /O_RDONLY|fopen\(|BIO_new_file|fopencookie|ifstream/
    let found = try files.filter {
      ["swift", "c", "h"].contains(URL(fileURLWithPath: $0).pathExtension)
    }
    .filter {
      try String(contentsOf: sources.appendingPathComponent($0), encoding: .utf8).contains(opening)
    }
    #expect(Set(found) == Self.exceptions)
  }
}
