package import Host

/// A file system in memory that knows what is durable, can fail any one call, and can lose power.
///
/// Contents and names are kept twice: as the running process sees them, and as they would be found
/// after a crash. Only `sync` makes contents durable, and only `syncDirectory` makes names durable.
@safe package final class SimulatedDisk: Disk, @unchecked Sendable {
  /// What happens to one changing call (open for creation, write, truncate, sync, rename, remove,
  /// makeDirectory).
  package enum Fault: Hashable, Sendable, CaseIterable {
    /// An error, and nothing was done.
    case notDone
    /// An error, but all was done, and durably.
    case doneButError
    /// An error after half of a write; as `notDone` for other calls.
    case torn
  }

  /// What of the work that was never synced is found after a crash.
  package enum Crash: Hashable, Sendable, CaseIterable {
    case losesUnsynced
    case keepsUnsynced
    /// The first half of every unsynced write.
    case keepsFirstHalves
    /// The second half of every unsynced write: sectors go to the disk in any order.
    case keepsSecondHalves
  }

  private struct Node {
    var cached: [UInt8] = []
    var durable: [UInt8] = []
    var isDirectory = false
    /// Writes since the last sync: offset and bytes.
    var pending: [(offset: Int, bytes: [UInt8])] = []
    /// Whether something other than these writes happened since.
    var isTruncated = false

    /// Only what was written: a log's file is large and its commits are many.
    mutating func makeDurable() {
      if isTruncated {
        durable = cached
      } else {
        for (offset, bytes) in pending { SimulatedDisk.overwrite(&durable, bytes, at: offset) }
      }
      pending = []
      isTruncated = false
    }
  }

  private let lock = Lock()
  private var nodes: [Int: Node] = [:]
  private var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var descriptors: [Int32: Int] = [:]
  /// Those that take whole pages only.
  private var direct: Set<Int32> = []
  private var locked: Set<Int> = []
  private var lastNode = 0
  private var lastDescriptor: Int32 = 2
  private var calls = 0
  private var readCount = 0
  private var plan: (call: Int, fault: Fault, errno: Int32)?
  private var capacity = Int.max
  private var openings = 0
  private var shortage: (opening: Int, errno: Int32)?

  package init() {}

  /// The number of changing calls so far.
  package var changingCalls: Int { lock.withLock { calls } }

  /// Lets the changing call of that number (from 0, over the disk's life) fail.
  package func fail(call: Int, _ fault: Fault, errno: Int32) {
    lock.withLock { plan = (call, fault, errno) }
  }

  /// Lets every opening of a file or a directory fail from the `opening`-th on, counted from now;
  /// nil ends that.
  package func failOpenings(from opening: Int?, errno: Int32 = 24) {
    lock.withLock { (openings, shortage) = (0, opening.map { ($0, errno) }) }
  }

  /// Lets the disk be full when its files have that many bytes; nil takes the end away.
  package func fill(to bytes: Int?) { lock.withLock { capacity = bytes ?? Int.max } }

  /// Bytes of all files there are.
  package var usedBytes: Int { lock.withLock { used } }

  /// The file system as the next process finds it.
  package func afterCrash(_ crash: Crash) -> SimulatedDisk {
    lock.withLock {
      let next = SimulatedDisk()
      next.lastNode = lastNode
      next.names = crash == .keepsUnsynced ? names : durableNames
      next.durableNames = next.names
      for (id, node) in nodes {
        let bytes = Self.contents(of: node, after: crash)
        next.nodes[id] = Node(cached: bytes, durable: bytes, isDirectory: node.isDirectory)
      }
      return next
    }
  }

  /// A file's bytes as the running process sees them.
  package func contents(_ path: String) -> [UInt8]? {
    lock.withLock { names[path].flatMap { nodes[$0]?.cached } }
  }

  /// Puts a file there, durably, as an intruder or a restored backup would.
  package func plant(_ path: String, _ bytes: [UInt8]) {
    lock.withLock {
      let id = names[path] ?? makeNode()
      nodes[id] = Node(cached: bytes, durable: bytes)
      names[path] = id
      durableNames[path] = id
    }
  }

  /// Puts another file under the name, durably; who has the old one open keeps it.
  package func substitute(_ path: String, _ bytes: [UInt8]) {
    unplant(path)
    plant(path, bytes)
  }

  /// Takes a name away, durably.
  package func unplant(_ path: String) {
    lock.withLock {
      names[path] = nil
      durableNames[path] = nil
    }
  }

  // MARK: Disk

  package func open(_ path: String, _ access: FileAccess) throws(DiskError) -> Int32 {
    try lock.withLock { () throws(DiskError) in
      try countOpening(.open)
      switch access {
      case .read, .readFollowingLink, .update, .updateDirect:
        guard let id = names[path], let node = nodes[id], !node.isDirectory else {
          throw DiskError(.open, errno: 2)
        }
        let descriptor = makeDescriptor(id)
        if access == .updateDirect { direct.insert(descriptor) }
        return descriptor
      case .create:
        guard names[path] == nil else { throw DiskError(.open, errno: 17) }
        guard parentIsThere(path) else { throw DiskError(.open, errno: 2) }
        return try change(.open) { durably in
          let id = makeNode()
          names[path] = id
          if durably { durableNames[path] = id }
          return makeDescriptor(id)
        }
      }
    }
  }

  package func isNamed(_ descriptor: Int32, _ path: String) throws(DiskError) -> Bool {
    lock.withLock { descriptors[descriptor] != nil && names[path] == descriptors[descriptor] }
  }

  package func close(_ descriptor: Int32) {
    lock.withLock {
      if let id = descriptors.removeValue(forKey: descriptor) { locked.remove(id) }
    }
  }

  package func size(_ descriptor: Int32) throws(DiskError) -> Int {
    try lock.withLock { () throws(DiskError) in try node(descriptor, .size).cached.count }
  }

  package func lock(_ descriptor: Int32) throws(DiskError) {
    try lock.withLock { () throws(DiskError) in
      guard let id = descriptors[descriptor], locked.insert(id).inserted else {
        throw DiskError(.lock, errno: 11)
      }
    }
  }

  /// Bytes that were read since the disk was made.
  package var readBytes: Int { lock.withLock { readCount } }

  package func read(_ descriptor: Int32, into buffer: inout MutableSpan<UInt8>, at offset: Int)
    throws(DiskError) -> Int
  {
    let bytes = try lock.withLock { () throws(DiskError) in try node(descriptor, .read).cached }
    let count = max(0, min(buffer.count, bytes.count - offset))
    guard count > 0 else { return 0 }
    lock.withLock { readCount += count }
    // Not byte by byte: a log's file has a million of them, and a debug build is slow.
    unsafe buffer.withUnsafeMutableBufferPointer { room in
      _ = unsafe room.update(fromContentsOf: bytes[offset..<offset + count])
    }
    return count
  }

  package func write(_ descriptor: Int32, _ bytes: Span<UInt8>, at offset: Int) throws(DiskError) {
    let all = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    try lock.withLock { () throws(DiskError) in
      let id = try nodeID(descriptor, .write)
      guard !direct.contains(descriptor) || (offset | all.count) % PageBuffer.pageSize == 0 else {
        throw DiskError(.write, errno: 22)
      }
      let room = capacity - used + (nodes[id]?.cached.count ?? 0) - offset
      guard room >= all.count else {
        put(Array(all.prefix(max(0, room))), at: offset, in: id, durably: false)
        throw DiskError(.write, errno: 28)
      }
      do throws(DiskError) {
        try change(.write) { durably in put(all, at: offset, in: id, durably: durably) }
      } catch {
        if case .torn? = plan?.fault {
          put(Array(all.prefix(all.count / 2)), at: offset, in: id, durably: true)
        }
        throw error
      }
    }
  }

  package func truncate(_ descriptor: Int32, to size: Int) throws(DiskError) {
    try lock.withLock { () throws(DiskError) in
      let id = try nodeID(descriptor, .truncate)
      try change(.truncate) { durably in
        Self.resize(&nodes[id, default: Node()].cached, to: size)
        nodes[id, default: Node()].isTruncated = true
        if durably { nodes[id, default: Node()].makeDurable() }
      }
    }
  }

  package func syncData(_ descriptor: Int32) throws(DiskError) { try sync(descriptor) }

  package func sync(_ descriptor: Int32) throws(DiskError) {
    try lock.withLock { () throws(DiskError) in
      let id = try nodeID(descriptor, .sync)
      try change(.sync) { _ in nodes[id, default: Node()].makeDurable() }
    }
  }

  package func rename(_ source: String, to target: String) throws(DiskError) {
    try lock.withLock { () throws(DiskError) in
      guard let id = names[source] else { throw DiskError(.rename, errno: 2) }
      try change(.rename) { durably in
        names[source] = nil
        names[target] = id
        guard durably else { return }
        durableNames[source] = nil
        durableNames[target] = id
      }
    }
  }

  package func remove(_ path: String) throws(DiskError) {
    try lock.withLock { () throws(DiskError) in
      guard names[path] != nil else { throw DiskError(.remove, errno: 2) }
      try change(.remove) { durably in
        names[path] = nil
        if durably { durableNames[path] = nil }
      }
    }
  }

  package func makeDirectory(_ path: String, mode: UInt32) throws(DiskError) {
    try lock.withLock { () throws(DiskError) in
      guard names[path] == nil else { throw DiskError(.makeDirectory, errno: 17) }
      try change(.makeDirectory) { durably in
        let id = makeNode()
        nodes[id]?.isDirectory = true
        names[path] = id
        if durably { durableNames[path] = id }
      }
    }
  }

  package func syncDirectory(_ path: String) throws(DiskError) {
    try lock.withLock { () throws(DiskError) in
      try countOpening(.open)
      try change(.sync) { _ in
        for name in Set(names.keys).union(durableNames.keys) where Self.parent(name) == path {
          durableNames[name] = names[name]
        }
      }
    }
  }

  package func freeBytes(_ path: String) throws(DiskError) -> Int {
    lock.withLock { max(0, capacity - used) }
  }

  package func list(_ path: String) throws(DiskError) -> [String] {
    try lock.withLock { () throws(DiskError) in
      try countOpening(.list)
      guard let id = names[path], nodes[id]?.isDirectory == true else {
        throw DiskError(.list, errno: 2)
      }
      return names.keys.filter { Self.parent($0) == path }.map {
        String($0.dropFirst(path.utf8.count + 1))
      }.sorted()
    }
  }
}

// The caller holds `lock` throughout.
extension SimulatedDisk {
  /// Counts the call, and does `work` unless the plan says otherwise.
  private func change<R>(_ call: DiskError.Call, _ work: (_ durably: Bool) -> R) throws(DiskError)
    -> R
  {
    defer { calls += 1 }
    guard let plan, plan.call == calls else { return work(false) }
    switch plan.fault {
    case .notDone, .torn: break
    case .doneButError: _ = work(true)
    }
    throw DiskError(call, errno: plan.errno)
  }

  private func countOpening(_ call: DiskError.Call) throws(DiskError) {
    defer { openings += 1 }
    if let shortage, openings >= shortage.opening { throw DiskError(call, errno: shortage.errno) }
  }

  private var used: Int { names.values.reduce(0) { $0 + (nodes[$1]?.cached.count ?? 0) } }

  private func makeNode() -> Int {
    lastNode += 1
    nodes[lastNode] = Node()
    return lastNode
  }

  private func makeDescriptor(_ id: Int) -> Int32 {
    lastDescriptor += 1
    descriptors[lastDescriptor] = id
    return lastDescriptor
  }

  private func nodeID(_ descriptor: Int32, _ call: DiskError.Call) throws(DiskError) -> Int {
    guard let id = descriptors[descriptor] else { throw DiskError(call, errno: 9) }
    return id
  }

  private func node(_ descriptor: Int32, _ call: DiskError.Call) throws(DiskError) -> Node {
    guard let node = nodes[try nodeID(descriptor, call)] else { throw DiskError(call, errno: 9) }
    return node
  }

  private func put(_ bytes: [UInt8], at offset: Int, in id: Int, durably: Bool) {
    Self.overwrite(&nodes[id, default: Node()].cached, bytes, at: offset)
    nodes[id, default: Node()].pending.append((offset, bytes))
    if durably { nodes[id, default: Node()].makeDurable() }
  }

  private func parentIsThere(_ path: String) -> Bool {
    names[Self.parent(path)].flatMap { nodes[$0]?.isDirectory } ?? false
  }

  private static func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func contents(of node: Node, after crash: Crash) -> [UInt8] {
    if crash == .keepsUnsynced { return node.cached }
    var bytes = node.durable
    for (offset, written) in node.pending {
      let half = written.count / 2
      switch crash {
      case .losesUnsynced, .keepsUnsynced: break
      case .keepsFirstHalves: overwrite(&bytes, Array(written[..<half]), at: offset)
      case .keepsSecondHalves: overwrite(&bytes, Array(written[half...]), at: offset + half)
      }
    }
    return bytes
  }

  private static func overwrite(_ bytes: inout [UInt8], _ new: [UInt8], at offset: Int) {
    guard !new.isEmpty else { return }
    if bytes.count < offset + new.count { resize(&bytes, to: offset + new.count) }
    bytes.replaceSubrange(offset..<offset + new.count, with: new)
  }

  private static func resize(_ bytes: inout [UInt8], to size: Int) {
    if bytes.count > size { bytes.removeLast(bytes.count - size) }
    if bytes.count < size { bytes += [UInt8](repeating: 0, count: size - bytes.count) }
  }
}
