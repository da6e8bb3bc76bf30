// expect: binary operator '==' cannot be applied to two 'SecretBuffer' operands
import Host

func same(_ a: borrowing SecretBuffer, _ b: borrowing SecretBuffer) -> Bool { a == b }
