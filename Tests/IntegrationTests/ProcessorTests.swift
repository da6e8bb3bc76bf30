import Foundation
import TestSupport
import Testing

/// What is measured is measured on each kind of processor, so a daemon under test has the mask that
/// its test has.
@Suite struct ProcessorTests {
  @Test(
    "a daemon has the mask that the tests run with, or another that its test wants",
    arguments: [nil, ":~0x80230000"])
  func mask(_ wanted: String?) throws {
    var options = TestDaemon.Options()
    if let wanted { options.environment[Processor.variable] = wanted }
    let daemon = try TestDaemon(options)
    defer { daemon.stop() }
    let environment = try String(contentsOfFile: "/proc/\(daemon.pid)/environ", encoding: .utf8)
    let mask = environment.split(separator: "\0").first { $0.hasPrefix(Processor.variable + "=") }
    let given = wanted ?? Processor.environment[Processor.variable]
    #expect(mask.map(String.init) == given.map { "\(Processor.variable)=\($0)" })
  }
}
