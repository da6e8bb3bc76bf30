import Crypto
import Format
import Host
import KeyStore

/// `mac`: a message authentication code under a stored key or a handle [OP-MAC-1].
enum Mac: Operation {
  static let opcode = Opcode.mac

  static func run(
    _ request: borrowing MACRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let code = try MessageCode.compute(request, context)
    try reply.write(MACReply(mac: code.bytes))
  }
}

/// `verify-mac`: checks a MAC; a wrong one, or one of another length than stated, is a rejection
/// [OP-MAC-3].
enum VerifyMac: Operation {
  static let opcode = Opcode.verifyMAC

  static func run(
    _ request: borrowing VerifyMACRequest, _ context: borrowing OperationContext,
    into reply: inout MessageWriter
  ) throws(OperationError) {
    let code = try MessageCode.compute(request.authenticated, context)
    guard ConstantTime.equal(code.bytes, request.mac) else { throw .rejected(.mac) }
  }
}

/// Computes the code for `mac` and `verify-mac`.
enum MessageCode {
  /// In bytes; shorter codes can be guessed (SP 800-107 §5.3.3, SP 800-38B annex A).
  static let shortest = 8

  /// The code over the request's message, truncated to its length unless that is zero [OP-MAC-2].
  static func compute(_ request: borrowing MACRequest, _ context: borrowing OperationContext)
    throws(OperationError) -> SecretBuffer
  {
    let key = try WorkingKey(request.handle, context)
    guard let algorithm = try algorithm(of: key) ?? request.algorithm else { throw .fault }
    let length = request.length
    let message = request.message
    guard length == 0 || (shortest...algorithm.size).contains(length) else {
      throw .rejected(.parameters)
    }
    let whole = try key.withBytes { (bytes) throws(OperationError) in
      try onParameters(algorithm.authenticate(bytes, message))
    }
    return try onMemory(
      SecretBuffer(
        copying: length == 0 ? whole.bytes : whole.bytes.extracting(first: length)))
  }

  /// The algorithm in a stored key's record; nil for a handle.
  private static func algorithm(of key: WorkingKey) throws(OperationError) -> MACChoice? {
    switch key {
    case .held: nil
    case .stored(let slot):
      switch slot.record.algorithm {
      case .hmac(.sha256): .hmacSHA256
      case .hmac(.sha384): .hmacSHA384
      case .hmac(.sha512): .hmacSHA512
      case .aes256: .aesCMAC
      case .asymmetric, .tripleDES2, .hmacOTP: throw .noSuchKey
      }
    }
  }
}

extension MACChoice {
  /// The size of the full code in bytes.
  fileprivate var size: Int {
    switch self {
    case .hmacSHA256: 32
    case .hmacSHA384: 48
    case .hmacSHA512: 64
    case .aesCMAC: 16
    }
  }

  fileprivate func authenticate(_ key: Span<UInt8>, _ message: Span<UInt8>) throws(CryptoError)
    -> SecretBuffer
  {
    switch self {
    case .hmacSHA256: try HMAC.authenticate(.sha256, key: key, message)
    case .hmacSHA384: try HMAC.authenticate(.sha384, key: key, message)
    case .hmacSHA512: try HMAC.authenticate(.sha512, key: key, message)
    case .aesCMAC: try BlockCipher.aes.secretCMAC(key: key, message: message)
    }
  }
}
