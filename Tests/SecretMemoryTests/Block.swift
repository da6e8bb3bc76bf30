import CLinux

/// A block of the arena, or what a mistaken caller takes for one, by its address.
struct Block: Hashable {
  let address: UInt

  init(at address: UInt) { self.address = address }

  init?(count: Int) {
    guard let block = unsafe kist_arena_alloc(count) else { return nil }
    address = UInt(bitPattern: block)
  }

  /// As OpenSSL allocates; zero bytes are no block.
  init?(openSSLCount count: Int) {
    guard let block = unsafe kist_arena_openssl_malloc(count, nil, 0) else { return nil }
    address = UInt(bitPattern: block)
  }

  func free() { unsafe kist_arena_free(pointer) }

  /// As OpenSSL reallocates; nil when there is no room, or when `count` is zero and the block is
  /// gone.
  func grown(to count: Int) -> Block? {
    guard let block = unsafe kist_arena_openssl_realloc(pointer, count, nil, 0) else { return nil }
    return Block(at: UInt(bitPattern: block))
  }

  func write(_ byte: UInt8, at offset: Int) {
    unsafe pointer?.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
  }
  func fill(_ byte: UInt8, count: Int) {
    unsafe pointer?.initializeMemory(as: UInt8.self, repeating: byte, count: count)
  }
  func holds(_ byte: UInt8, in range: Range<Int>) -> Bool {
    unsafe UnsafeRawBufferPointer(start: pointer, count: range.upperBound)[range].allSatisfy {
      $0 == byte
    }
  }

  static func + (block: Block, bytes: Int) -> Block {
    Block(at: block.address &+ UInt(bitPattern: bytes))
  }

  private var pointer: UnsafeMutableRawPointer? {
    unsafe UnsafeMutableRawPointer(bitPattern: address)
  }
}

/// The address of a span's first byte.
func address(of bytes: Span<UInt8>) -> UInt {
  unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
}
