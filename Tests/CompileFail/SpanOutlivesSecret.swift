// expect: lifetime-dependent
import Host

@_lifetime(immortal)
func leak() throws(SecretMemoryError) -> Span<UInt8> {
  let secret = try SecretBuffer(count: 32)
  return secret.bytes
}
