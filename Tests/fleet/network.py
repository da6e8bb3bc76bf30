"""Network namespaces, and the cables between them."""

from process import run


class Cables:
    """A namespace for each host, and a cable from each to a hub, by which they reach one another; a cable that is cut swallows packets.

    The hub is this process's own namespace if it has no name.
    """

    def __init__(self, prefix="", hub=""):
        self.prefix, self.hub = prefix, hub
        if hub:
            self.add(hub)
        self.inside(hub, "ip", "link", "set", "lo", "up")
        self.inside(hub, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")

    def add(self, name):
        run("ip", "netns", "add", self.prefix + name)

    def remove(self, name):
        run("ip", "netns", "delete", self.prefix + name)

    def lay(self, name, near, far):
        """A cable to a new namespace, with the addresses of both ends."""
        self.add(name)
        self.inside(self.hub, "ip", "link", "add", "name", name, "type", "veth", "peer", "name", "hosts", "netns", self.prefix + name)
        self.inside(self.hub, "ip", "address", "add", near + "/24", "dev", name)
        self.inside(self.hub, "ip", "link", "set", "dev", name, "up")
        self.inside(name, "ip", "address", "add", far + "/24", "dev", "hosts")
        for device in ("hosts", "lo"):
            self.inside(name, "ip", "link", "set", device, "up")
        self.inside(name, "ip", "route", "add", "default", "via", near)

    def cut_off(self, name, cut):
        """From all others."""
        self.inside(self.hub, "ip", "link", "set", "dev", name, "down" if cut else "up")

    def inside(self, name, *words):
        return run(*self.words_inside(name), *words)

    def words_inside(self, name):
        return ["ip", "netns", "exec", self.prefix + name] if name else []
