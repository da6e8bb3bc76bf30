import CLinux
import Foundation
import Server
import Testing

@Suite final class ListenerTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("kist-listener-\(UUID().uuidString.prefix(8))").path

  init() throws { try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: directory + "/" + name)[.posixPermissions] as? Int
  }

  private func give(_ name: String) -> Int32 { unsafe kist_give_socket(directory + "/" + name, UInt32.max, UInt32.max, 0o666) == 0 ? 0 : errno }

  @Test("a socket gets its mode") func bound() throws {
    let listener = try Listener.bind(path: directory + "/kist.sock", owner: nil, group: nil, mode: 0o620)
    #expect(try mode("kist.sock") == 0o620)
    _ = consume listener
    #expect(!FileManager.default.fileExists(atPath: directory + "/kist.sock"))
  }

  /// As while the service manager changes from one daemon to the next, which share the socket.
  @Test("a connection that another process took in between is waited for by nobody, and a stop is seen") func shared() throws {
    let bound = try Listener.bind(path: directory + "/shared.sock", owner: nil, group: nil, mode: 0o600)
    let adopted = try Listener(adopting: dup(bound.descriptor))
    for descriptor in [bound.descriptor, adopted.descriptor] { #expect(kist_accept(descriptor) == -1 && errno == EAGAIN) }
    adopted.stop()
    guard case .stopped = adopted.next() else { return #expect(Bool(false), "the stop is not seen") }
    #expect(kist_accept(bound.descriptor) == -1 && errno == EAGAIN, "the socket is still listened at")
  }

  /// What root would otherwise give away, or open to everybody, in a directory that others can write to.
  @Test("what somebody put in the socket's place keeps its owner and mode") func replaced() throws {
    let victim = directory + "/victim"
    #expect(FileManager.default.createFile(atPath: victim, contents: nil, attributes: [.posixPermissions: 0o600]))
    try FileManager.default.createSymbolicLink(atPath: directory + "/link", withDestinationPath: victim)
    #expect(give("link") == EEXIST)
    #expect(give("victim") == EEXIST)
    let other = try Listener.bind(path: directory + "/other.sock", owner: nil, group: nil, mode: 0o600)
    try FileManager.default.linkItem(atPath: directory + "/other.sock", toPath: directory + "/second-name")
    #expect(give("second-name") == EEXIST)
    #expect(give("nothing") == ENOENT)
    #expect(try mode("victim") == 0o600)
    #expect(try mode("other.sock") == 0o600)
    _ = consume other
  }
}
