// expect: argument type 'SecretBuffer' does not conform to expected type 'Copyable'
import Host

func show() throws(SecretMemoryError) {
  let secret = try SecretBuffer(count: 32)
  print(secret)
}
