import KistClient

let client = try Client(.fromEnvironment())
for key in try client.listKeys() { print(key.label, key.state) }
print(try client.random(16).count, "random bytes")
