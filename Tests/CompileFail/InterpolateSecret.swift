// expect: no exact matches in call to instance method 'appendInterpolation'
import Host

func text() throws(SecretMemoryError) -> String {
  let secret = try SecretBuffer(count: 32)
  return "\(secret)"
}
