import kist

with kist.Client() as client:
    for key in client.keys():
        print(key.label, key.state)
    print(len(client.random(16)), "random bytes")
