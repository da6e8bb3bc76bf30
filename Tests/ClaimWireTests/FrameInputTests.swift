import Format
import Testing

@Suite("frames as they arrive")
struct FrameInputTests {
  private let frames: [StoreFrame] = [
    .state(isThere: true), .away(id: 7), .state(isThere: false), .away(id: .max),
  ]

  @Test("frames come out whole and in order, however their bytes arrive", arguments: 1...30)
  func pieces(_ size: Int) throws {
    let bytes = frames.flatMap { $0.encoded }
    var input = FrameInput()
    var (received, sent): ([StoreFrame], Int) = ([], 0)
    while sent < bytes.count {
      sent += give(bytes[sent...].prefix(size), to: &input)
      while let frame = try input.next(StoreFrame.self) { received.append(frame) }
    }
    #expect(received == frames)
  }

  @Test(
    "a length of nothing or of more than 65,536 is refused before the frame is there",
    arguments: [0, 65_537, 0x8000_0000, UInt32.max])
  func lengths(_ length: UInt32) {
    var input = FrameInput()
    _ = give(length.bigEndianBytes[...], to: &input)
    expectRefused(&input, .frameSize)
  }

  @Test("the largest frame fits behind a taken one, and is decoded only as a whole")
  func largest() throws {
    var input = FrameInput()
    _ = give(StoreFrame.away(id: 1).encoded[...], to: &input)
    let first = try input.next(StoreFrame.self)
    #expect(first == .away(id: 1))
    let bytes = UInt32(65_536).bigEndianBytes + [4] + [UInt8](repeating: 0, count: 65_535)
    #expect(give(bytes.dropLast(), to: &input) == bytes.count - 1)
    let early = try input.next(StoreFrame.self)
    #expect(early == nil)
    #expect(give(bytes.suffix(1) + [9], to: &input) == 1, "there is room for one frame, no more")
    expectRefused(&input, .trailingBytes)
  }

  @Test("an error of the socket comes back, and nothing is taken for received")
  func errors() throws {
    var input = FrameInput()
    #expect(input.fill { _ in -1 } == -1)
    let frame = try input.next(StoreFrame.self)
    #expect(frame == nil)
  }

  private func give(_ bytes: ArraySlice<UInt8>, to input: inout FrameInput) -> Int {
    input.fill { free in
      let part = bytes.prefix(free.count)
      for (place, byte) in part.enumerated() { free[place] = byte }
      return part.count
    }
  }

  private func expectRefused(_ input: inout FrameInput, _ expected: ClaimWireError) {
    do throws(ClaimWireError) {
      let frame = try input.next(StoreFrame.self)
      Issue.record("\(String(describing: frame)) was taken")
    } catch { #expect(error == expected) }
  }
}
