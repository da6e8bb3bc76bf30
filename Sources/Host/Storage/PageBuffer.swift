import Glibc

/// Bytes in whole pages of memory, padded with zeros, as writing past the page cache asks for.
@safe package struct PageBuffer: ~Copyable, @unchecked Sendable {
  /// In bytes; no disk asks for more.
  package static let pageSize = 4096

  private var memory: UnsafeMutableRawBufferPointer
  /// How many bytes it holds; all behind them are zeros.
  private var count: Int

  /// - Throws: `DiskError` with `ENOMEM`.
  package init(zeros count: Int = 0) throws(DiskError) {
    unsafe memory = try Self.map(max(count.roundedUpToPage, Self.pageSize))
    self.count = count
  }

  /// All pages that it holds bytes in.
  package var pages: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      let used = unsafe UnsafeRawBufferPointer(rebasing: memory[..<count.roundedUpToPage])
      return unsafe _overrideLifetime(Span(_unsafeBytes: used), borrowing: self)
    }
  }

  /// - Throws: `DiskError` with `ENOMEM`; then nothing has changed.
  package mutating func append(_ bytes: Span<UInt8>) throws(DiskError) {
    if count + bytes.count > capacity {
      let larger = unsafe try Self.map(2 * (count + bytes.count).roundedUpToPage)
      unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
      unsafe munmap(memory.baseAddress, memory.count)
      unsafe memory = larger
    }
    let free = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
    unsafe bytes.withUnsafeBytes { unsafe free.copyMemory(from: $0) }
    count += bytes.count
  }

  /// Drops the pages that are full; what is left begins with a page.
  package mutating func dropFullPages() {
    let full = count.roundedDownToPage
    guard full > 0, let start = unsafe memory.baseAddress else { return }
    unsafe memmove(start, start + full, count - full)
    unsafe memset(start + (count - full), 0, full)
    count -= full
  }

  private var capacity: Int { unsafe memory.count }

  deinit { unsafe munmap(memory.baseAddress, memory.count) }

  /// Pages that are only read stay the kernel's one page of zeros, and take no memory.
  private static func map(_ count: Int) throws(DiskError) -> UnsafeMutableRawBufferPointer {
    let start = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else {
      throw DiskError(.write, errno: ENOMEM)
    }
    return unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
  }
}

extension Int {
  /// The offset of the page that this offset is in.
  package var roundedDownToPage: Int { self & ~(PageBuffer.pageSize - 1) }
  package var roundedUpToPage: Int { (self + PageBuffer.pageSize - 1).roundedDownToPage }
}
