// expect: overlapping accesses to 'secret'
import Host

func replace() throws(SecretMemoryError) {
  var secret = try SecretBuffer(count: 32)
  var bytes = secret.mutableBytes
  secret = try SecretBuffer(count: 16)
  bytes[0] = 1
}
