/// Why a key block could not be read or written.
package enum KeyBlockError: Error, Equatable, Sendable {
  /// The text is too short or too long for a block, no multiple of its unit, or not as long as it says. [KS-BLOCK-LENGTH]
  case length
  /// A version that is unknown or not allowed here; its character. [KS-BLOCK-VERSION] [KS-BLOCK-OLD]
  case version(UInt8)
  /// A wrong field in the sixteen-character header. [KS-BLOCK-HEADER]
  case header(KeyBlockHeader.Field)
  /// A fault in the optional block at `index`, counted from 0. [KS-BLOCK-OPTIONAL]
  case optionalBlock(OptionalBlock.Fault, index: Int)
  /// Ciphertext or MAC is not upper-case hexadecimal. [KS-BLOCK-HEX]
  case hex
  /// The MAC does not match this header, key and KBPK. [KS-BLOCK-MAC]
  case mac
  /// The algorithm does not allow the key's length, or the block is too short for it. [KS-BLOCK-KEY]
  case keyLength
  /// The KBPK has the wrong length for the block's version.
  case kbpk
  case crypto(CryptoError)
}
