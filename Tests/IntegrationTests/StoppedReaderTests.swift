import Foundation
import KistClient
import Testing

/// Whoever reads the daemon's standard error has stopped.
@Suite struct StoppedReaderTests {
  private let path = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-deaf-\(UUID().uuidString.prefix(8))"
  ).path

  /// Its standard error is full.
  private func daemon() throws -> TestDaemon {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "Support/deaf.py")
    return try TestDaemon(TestDaemon.Options(launcher: [Oracle.python, script.path, path]))
  }

  @Test("a reload and then a stop wait for nobody") func stop() throws {
    let daemon = try daemon()
    defer { unsafe unlink(path) }
    try daemon.reload()
    #expect(daemon.stop() == 0)
  }

  @Test(
    "requests and a reload wait for nobody, and once somebody reads again he is told how many lines he lacks"
  ) func resumed() throws {
    let daemon = try daemon()
    defer { unsafe unlink(path) }
    try daemon.reload()
    for _ in 0..<3 { _ = try Client(daemon.services).random(8) }
    let reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    var said = [UInt8]()
    var part = [UInt8](repeating: 0, count: 65_536)
    try eventually {
      try daemon.reload()
      let count = unsafe read(reader, &part, part.count)
      said += part.prefix(max(0, count)).filter { $0 != 0 }
      return String(decoding: said, as: UTF8.self).contains(" unsaid=")
    }
    #expect(daemon.stop() == 0)
  }
}
