// expect: type 'SecretBuffer' does not conform to protocol 'Copyable'
import SecretMemory

func collect() -> [SecretBuffer] { [] }
