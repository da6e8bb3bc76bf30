internal import Host

/// A free list of prepared OpenSSL objects: preparing one can cost as much as the work itself.
///
/// Each object is used by one thread at a time. After a failure it is dropped, because its state is unknown.
final class Prepared<Tool: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var idle: [Tool] = []

  /// More than the threads that work at once; objects beyond the limit are freed.
  private static var limit: Int { 16 }

  /// Runs `work` with an idle object that suits, or with a new one.
  func use<Result: ~Copyable>(
    suiting isSuitable: (Tool) -> Bool = { _ in true }, or make: () throws(CryptoError) -> Tool,
    _ work: (Tool) throws(CryptoError) -> Result
  ) throws(CryptoError) -> Result {
    let tool: Tool
    if let found = take(where: isSuitable) { tool = found } else { tool = try make() }
    let result = try work(tool)
    lock.withLock { if idle.count < Self.limit { idle.append(tool) } }
    return result
  }

  private func take(where isSuitable: (Tool) -> Bool) -> Tool? {
    lock.withLock { idle.lastIndex(where: isSuitable).map { idle.remove(at: $0) } }
  }
}
