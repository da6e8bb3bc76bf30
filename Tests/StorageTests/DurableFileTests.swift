import Foundation
import Host
import TestSupport
import Testing

@Suite struct DurableFileTests {
  @Test func realFilesAreWrittenReadAndListed() throws {
    try #require(TestArena.ready)
    let disk = LinuxDisk()
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-\(UUID().uuidString)"
    ).path
    try disk.makeDirectory(directory, mode: 0o700)
    defer { try? FileManager.default.removeItem(atPath: directory) }

    try DurableFile.replace("a", in: directory, with: [1, 2, 3].span, on: disk)
    try DurableFile.replace("a", in: directory, with: [4, 5].span, on: disk)
    #expect(try DurableFile.read(directory + "/a", limit: 2, on: disk) == [4, 5])
    let secret = try DurableFile.readSecret(directory + "/a", limit: 2, on: disk)
    let isWhole = ConstantTime.equal(secret.bytes, [4, 5].span)
    #expect(isWhole)
    #expect(throws: StorageError.tooLarge) {
      try DurableFile.read(directory + "/a", limit: 1, on: disk)
    }
    #expect(throws: StorageError.disk(DiskError(.open, errno: ENOENT))) {
      try DurableFile.read(directory + "/b", limit: 1, on: disk)
    }
    try DurableFile.makeDirectory("d", in: directory, on: disk)
    try DurableFile.makeDirectory("d", in: directory, on: disk)
    #expect(try disk.list(directory) == ["a", "d"])
    let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/a")
    #expect((attributes[.posixPermissions] as? Int) == 0o600)
    try DurableFile.remove(directory + "/a", on: disk)
    try DurableFile.remove(directory + "/a", on: disk)
    #expect(try disk.list(directory) == ["d"])
  }

  /// Sizes around that of the pieces in which it reads.
  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000]) func aFileHasItsBytesAndNoOthers(
    _ count: Int
  ) throws {
    let disk = SimulatedDisk()
    try disk.makeDirectory("/d", mode: 0o700)
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) }
    try DurableFile.replace("a", in: "/d", with: bytes.span, on: disk)
    #expect(try DurableFile.has("/d/a", bytes.span, on: disk))
    for other in [bytes + [0], Array(bytes.dropLast()), Array(bytes.dropFirst())]
    where other != bytes {
      #expect(try !DurableFile.has("/d/a", other.span, on: disk))
    }
    for place in [0, count / 2, 65_535, 65_536, count - 1] where bytes.indices.contains(place) {
      var changed = bytes
      changed[place] ^= 1
      #expect(try !DurableFile.has("/d/a", changed.span, on: disk))
    }
    #expect(throws: DiskError(.open, errno: ENOENT)) {
      try DurableFile.has("/d/b", bytes.span, on: disk)
    }
  }

  @Test func linksAreNotFollowedAndLocksExclude() throws {
    let disk = LinuxDisk()
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-\(UUID().uuidString)"
    ).path
    try disk.makeDirectory(directory, mode: 0o700)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try DurableFile.replace("a", in: directory, with: [1].span, on: disk)
    try FileManager.default.createSymbolicLink(
      atPath: directory + "/link", withDestinationPath: directory + "/a")
    #expect(throws: DiskError(.open, errno: ELOOP)) {
      _ = try File(directory + "/link", .read, on: disk)
    }
    #expect(throws: DiskError(.open, errno: EEXIST)) {
      _ = try File(directory + "/a", .create(mode: 0o600), on: disk)
    }
    let first = try File(directory + "/a", .update, on: disk)
    try first.lock()
    let second = try File(directory + "/a", .update, on: disk)
    #expect(throws: DiskError(.lock, errno: EWOULDBLOCK)) { try second.lock() }
  }

  @Test func aLockEndsWithItsFileThoughAChildHasTheDescriptor() throws {
    let disk = LinuxDisk()
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "kist-\(UUID().uuidString)"
    ).path
    let descriptor = try disk.open(path, .create(mode: 0o600))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try disk.lock(descriptor)
    let childs = dup(descriptor)
    defer { close(childs) }
    disk.close(descriptor)
    try File(path, .update, on: disk).lock()
  }

  /// Every call of a replacement, each failing in every way, then every kind of crash: the old file
  /// or the new one.
  @Test func aReplacementLeavesTheOldOrTheNewFile() throws {
    let (old, new): ([UInt8], [UInt8]) = ([1, 1, 1, 1], [2, 2, 2, 2, 2, 2])
    let start = SimulatedDisk()
    try start.makeDirectory("/s", mode: 0o700)
    try start.syncDirectory("/")
    try DurableFile.replace("a", in: "/s", with: old.span, on: start)
    let (_, calls) = try FaultMatrix(from: start).run { disk in
      (try? DurableFile.replace("a", in: "/s", with: new.span, on: disk)) != nil
    } _: { disk, acknowledged, point in
      let found = try DurableFile.read("/s/a", limit: 100, on: disk)
      #expect(found == new || !acknowledged && found == old, "\(point)")
      try DurableFile.replace("a", in: "/s", with: old.span, on: disk)
      #expect(try DurableFile.read("/s/a", limit: 100, on: disk) == old)
    }
    #expect(calls >= 5)
  }
}
