import CLinux
import Foundation
@testable import Server
import Testing

/// Each in a process of its own: for a moment a bind changes the umask, under which other tests
/// make their files.
@Suite struct ListenerTests {
  @Test("a socket gets its mode") func bound() async {
    await #expect(processExitsWith: .success) {
      let place = try Place()
      let listener = try Listener.bind(
        path: place.path + "/kist.sock", owner: nil, group: nil, mode: 0o620)
      #expect(try place.mode("kist.sock") == 0o620)
      _ = consume listener
      #expect(!FileManager.default.fileExists(atPath: place.path + "/kist.sock"))
    }
  }

  /// As while the service manager changes from one daemon to the next, which share the socket.
  @Test(
    "a connection that another process took in between is waited for by nobody, and a stop is seen")
  func shared() async {
    await #expect(processExitsWith: .success) {
      let place = try Place()
      let bound = try Listener.bind(
        path: place.path + "/shared.sock", owner: nil, group: nil, mode: 0o600)
      let adopted = try Listener(adopting: dup(bound.descriptor))
      for descriptor in [bound.descriptor, adopted.descriptor] {
        #expect(kist_accept(descriptor) == -1 && errno == EAGAIN)
      }
      adopted.stop()
      guard case .stopped = adopted.next() else {
        return #expect(Bool(false), "the stop is not seen")
      }
      #expect(
        kist_accept(bound.descriptor) == -1 && errno == EAGAIN, "the socket is still listened at")
    }
  }

  /// What root would otherwise give away, or open to everybody, in a directory that others can
  /// write to.
  @Test("what somebody put in the socket's place keeps its owner and mode") func replaced() async {
    await #expect(processExitsWith: .success) {
      let place = try Place()
      let victim = place.path + "/victim"
      #expect(
        FileManager.default.createFile(
          atPath: victim, contents: nil, attributes: [.posixPermissions: 0o600]))
      try FileManager.default.createSymbolicLink(
        atPath: place.path + "/link", withDestinationPath: victim)
      #expect(place.give("link") == EEXIST)
      #expect(place.give("victim") == EEXIST)
      let other = try Listener.bind(
        path: place.path + "/other.sock", owner: nil, group: nil, mode: 0o600)
      try FileManager.default.linkItem(
        atPath: place.path + "/other.sock", toPath: place.path + "/second-name")
      #expect(place.give("second-name") == EEXIST)
      #expect(place.give("nothing") == ENOENT)
      #expect(try place.mode("victim") == 0o600)
      #expect(try place.mode("other.sock") == 0o600)
      _ = consume other
    }
  }
}

/// A directory that goes with its owner.
private final class Place {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(
    "kist-listener-\(UUID().uuidString.prefix(8))"
  ).path

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
  }

  func give(_ name: String) -> Int32 {
    unsafe kist_give_socket(path + "/" + name, UInt32.max, UInt32.max, 0o666) == 0 ? 0 : errno
  }
}
