// expect: 'secret' consumed more than once
import Host

func twice() throws(SecretMemoryError) -> (Int, Int) {
  let secret = try SecretBuffer(count: 32)
  let first = secret
  let second = secret
  return (first.count, second.count)
}
