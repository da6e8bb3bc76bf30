import Foundation
import Glibc
@testable import Server
import Testing

/// Who gets a place, and who loses one for it.
@Suite final class OpenConnectionsTests {
  private var ends: [Int32] = []

  deinit { for end in ends { close(end) } }

  private func line() throws -> ReplyLine {
    var pair: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    ends += pair
    return ReplyLine(pair[0])
  }

  private func taken(_ connections: OpenConnections, by uid: UInt32, mustGetIn: Bool = false) throws
    -> ReplyLine
  {
    let line = try line()
    #expect(connections.take(line, uid: uid, mustGetIn: mustGetIn) == .taken)
    return line
  }

  @Test("a user with none gets the place of an idle connection, whose user has the most")
  func heaviest() throws {
    let connections = OpenConnections(total: 5, perUser: 4)
    let light = try (0..<2).map { _ in try taken(connections, by: 1) }
    let heavy = try (0..<3).map { _ in try taken(connections, by: 2) }
    _ = try taken(connections, by: 3)
    #expect(heavy.filter { !$0.take() }.count == 1 && light.allSatisfy { $0.take() })
    #expect(connections.count == 5)
  }

  @Test("nobody loses a connection whose request is in hand; the next user's idle one ends instead")
  func busy() throws {
    let connections = OpenConnections(total: 5, perUser: 4)
    let light = try (0..<2).map { _ in try taken(connections, by: 1) }
    let heavy = try (0..<3).map { _ in try taken(connections, by: 2) }
    for line in heavy { #expect(line.take()) }
    _ = try taken(connections, by: 3)
    #expect(light.filter { !$0.take() }.count == 1)
    #expect(connections.take(try line(), uid: 4) == .full)
  }

  @Test("nobody loses the only connection, nor one to a user who has one") func kept() throws {
    let connections = OpenConnections(total: 3, perUser: 2)
    let pair = try (0..<2).map { _ in try taken(connections, by: 1) }
    let other = try taken(connections, by: 2)
    #expect(connections.take(try line(), uid: 2) == .full)
    _ = try taken(connections, by: 3)
    #expect(connections.take(try line(), uid: 4) == .full)
    #expect(pair.filter { $0.endIfIdle() }.count == 1 && other.endIfIdle())
  }

  @Test("a place that is kept is for those alone for whom it is kept") func mustGetIn() throws {
    let connections = OpenConnections(total: 1, perUser: 2, kept: 1)
    let first = try taken(connections, by: 1)
    #expect(connections.take(try line(), uid: 2) == .full)
    _ = try taken(connections, by: 3, mustGetIn: true)
    #expect(connections.take(try line(), uid: 4, mustGetIn: true) == .full)
    connections.leave(first)
    #expect(connections.take(try line(), uid: 5) == .full)
  }

  @Test("until a connection is closed its user lacks the place, and nobody else does")
  func closing() throws {
    let connections = OpenConnections(total: 1, perUser: 1)
    let first = try taken(connections, by: 1)
    connections.leave(first)
    #expect(connections.count == 0)
    #expect(connections.take(try line(), uid: 1) == .full)
    let second = try taken(connections, by: 2)
    connections.leave(second)
    connections.giveBack(uid: 1)
    _ = try taken(connections, by: 1)
  }
}
