// expect: type 'SecretBuffer' does not conform to protocol 'Copyable'
import Host

func collect() -> [SecretBuffer] { [] }
