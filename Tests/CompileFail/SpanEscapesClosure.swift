// expect: global function 'withKey' requires that 'Span<UInt8>' conform to 'Escapable'
import Host

func withKey<R>(_ secret: borrowing SecretBuffer, _ body: (Span<UInt8>) -> R) -> R {
  body(secret.bytes)
}

func leak(_ secret: borrowing SecretBuffer) -> UInt8 {
  let bytes: Span<UInt8> = withKey(secret) { $0 }
  return bytes[0]
}
