internal import SecretMemory

/// OpenSSL objects that are set up for one kind of work and used again: setting one up can cost as much as the work.
///
/// Each is lent to one thread at a time. One that took part in a failure is not used again: nobody knows what it remembers.
final class Prepared<Tool: Sendable>: @unchecked Sendable {
  private let lock = Lock()
  /// Guarded by `lock`.
  private var idle: [Tool] = []

  /// More than threads work at once; a tool too many is given up.
  private static var limit: Int { 16 }

  /// Works with an idle tool that suits, or with a new one.
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
