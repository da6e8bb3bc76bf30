// expect: 'secret' used after consume
import Host

func late() throws(SecretMemoryError) -> Int {
  let secret = try SecretBuffer(count: 32)
  _ = consume secret
  return secret.count
}
