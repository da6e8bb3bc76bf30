import KistClient

do {
  let client = try Client(.fromEnvironment(), timeout: .seconds(10))
  for key in try client.listKeys() { print(key.label, key.state) }
  print(try client.random(16).count, "random bytes")
} catch {
  // Thrown out of the program, it would be printed with registers and a backtrace.
  print(error)
}
