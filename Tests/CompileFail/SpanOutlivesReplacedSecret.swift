// expect: overlapping accesses to 'secret'
import SecretMemory

func replace() throws(SecretMemoryError) {
  var secret = try SecretBuffer(count: 32)
  var bytes = secret.mutableBytes
  secret = try SecretBuffer(count: 16)
  bytes[0] = 1
}
