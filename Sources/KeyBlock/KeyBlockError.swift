package import CryptoBackend

/// Why a key block could not be read or written.
package enum KeyBlockError: Error, Equatable, Sendable {
  /// The text is shorter than a block, longer than one, no multiple of its unit, or not as long as it says. [KS-BLOCK-LENGTH]
  case length
  /// A version that may not be read here, or that nobody reads; its character. [KS-BLOCK-VERSION] [KS-BLOCK-OLD]
  case version(UInt8)
  /// A field of the sixteen-character header. [KS-BLOCK-HEADER]
  case header(KeyBlockHeader.Field)
  /// The optional block at `index`, counted from 0. [KS-BLOCK-OPTIONAL]
  case optionalBlock(OptionalBlock.Fault, index: Int)
  /// Ciphertext or MAC is not upper-case hexadecimal. [KS-BLOCK-HEX]
  case hex
  /// The MAC is not that of this header and key under this KBPK. [KS-BLOCK-MAC]
  case mac
  /// The key does not have a length its algorithm allows, or the block says one that it cannot hold. [KS-BLOCK-KEY]
  case keyLength
  /// The KBPK is not as long as one of the block's version is.
  case kbpk
  case crypto(CryptoError)
}
