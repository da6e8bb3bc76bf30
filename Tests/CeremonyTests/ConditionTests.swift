import Ceremony
import Testing

@Suite struct ConditionTests {
  @Test func codeThatIsMapped() {
    let maps = """
      55d0c0a00000-55d0c0a10000 r--p 00000000 fe:00 77 /usr/bin/kist
      55d0c0a10000-55d0c0b00000 r-xp 00010000 fe:00 77 /usr/bin/kist
      7f0000000000-7f0000001000 r-xp 00000000 fe:00 78                         /tmp/a spy.so (deleted)
      7f0000002000-7f0000003000 rw-p 00000000 fe:00 79                         /usr/share/data
      7f0000004000-7f0000005000 rwxp 00000000 00:00 0
      7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]
      """
    #expect(HostCondition.code(maps) == ["/tmp/a spy.so (deleted)", "/usr/bin/kist"])
    let hidden = "7f0000000000-7f0000001000 r-xp 00000000 fe:00 78    /tmp/spy.so\r\n"
    #expect(
      HostCondition.code("\(hidden)7f1000000000-7f1000001000 r-xp 00000000 fe:00 79    /tmp/b\n")
        == ["/tmp/b", "/tmp/spy.so\r"])
  }

  private static let swapHeading = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
  private static let routeHeading =
    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"

  @Test func swap() {
    #expect(HostCondition.swap("").isEmpty)
    #expect(HostCondition.swap(Self.swapHeading).isEmpty)
    #expect(
      HostCondition.swap(Self.swapHeading + "/dev/sda2  partition\t8388604\t\t0\t\t-2\n") == [.swap]
    )
  }

  @Test(arguments: [
    ("", "", []),
    (routeHeading, "", []),
    (routeHeading + "lo\t0000007F\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n", "", []),
    (routeHeading + "eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n", "", ["eth0"]),
    (routeHeading + "eth0\t00000000\t0102A8C0\t0002\t0\t0\t0\t00000000\t0\t0\t0\n", "", []),
    (
      "",
      "20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001 wlan0\n",
      ["wlan0"]
    ),
    (
      "",
      "fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001 wlan0\n",
      []
    ),
    (
      "",
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200 lo\n",
      []
    ),
    (
      "",
      "00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00000201 eth1\n",
      []
    ),
  ]) func routes(_ ipv4: String, _ ipv6: String, _ interfaces: [String]) {
    #expect(
      HostCondition.routes(ipv4: ipv4, ipv6: ipv6) == interfaces.map { .route(interface: $0) })
  }
}
