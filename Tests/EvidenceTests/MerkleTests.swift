import Audit
import Crypto
import Foundation
import Review
import TestSupport
import Testing

@Suite struct MerkleTests {
  init() throws { try #require(TestArena.ready) }

  @Test(.enabled(if: Vectors.present, "vectors are not here"))
  func everyVectorIsProvenOrRefused() throws {
    let folder = Vectors.root.appendingPathComponent("tlog/rfc6962-merkle/testdata")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap {
      $0 as? String
    }.filter { $0.hasSuffix(".json") }
    #expect(files.count == 196)
    for file in files {
      let vector = try JSONDecoder().decode(
        Vector.self, from: Data(contentsOf: folder.appendingPathComponent(file)))
      #expect(vector.isProven == !vector.wantErr, "\(file)")
    }
  }

  private struct Vector: Decodable {
    let leafIdx, treeSize, size1, size2: UInt64?
    let root, leafHash, root1, root2: Data?
    let proof: [Data]?
    let wantErr: Bool

    /// Hashes of another size than 32 bytes cannot even be written in our types; consistency asks
    /// no more of two roots than that they are equal, so there any text stands for its hash.
    var isProven: Bool {
      let path = (proof ?? []).compactMap { Digest256([UInt8]($0)) }
      guard path.count == proof?.count ?? 0 else { return false }
      func digest(_ data: Data?) -> Digest256? { data.flatMap { Digest256([UInt8]($0)) } }
      func text(_ data: Data?) -> Digest256? {
        data.map { Digest256([UInt8]($0)) ?? SHA256.hash(Array("no hash".utf8) + [UInt8]($0)) }
      }
      if let leafIdx, let treeSize {
        guard let leaf = digest(leafHash), let root = digest(root) else { return false }
        return InclusionProof(index: leafIdx, size: treeSize, path: path).proves(leaf, in: root)
      }
      guard let size1, let size2, let old = text(root1), let new = text(root2) else { return false }
      return ConsistencyProof(path: path).proves(
        TreeHead(size: size1, root: old), isPrefixOf: TreeHead(size: size2, root: new))
    }
  }

  private let leaves = (0..<70).map { TreeHash.leaf([UInt8($0)].span) }

  /// [AUD-TREE-1]
  @Test func theFrontierGivesTheRootOfTheDefinition() throws {
    // RFC 6962 test roots of Go's and Trillian's suites: no leaf, and one empty leaf.
    #expect(
      Frontier().root.hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      TreeHash.leaf([UInt8]().span).hex
        == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d")
    var frontier = Frontier()
    for (index, leaf) in leaves.enumerated() {
      frontier.append(leaf)
      #expect(frontier.hashes.count == (index + 1).nonzeroBitCount)
      let proof = try #require(inclusion(of: index, in: index + 1))
      #expect(proof.proves(leaf, in: frontier.root))
      #expect(Frontier(size: frontier.size, hashes: frontier.hashes) == frontier)
    }
  }

  @Test func proofsMadeHereHoldAndNoOthers() throws {
    for size in [1, 2, 3, 7, 8, 9, 33, 70] {
      let head = head(size)
      for index in 0..<size {
        let proof = try #require(inclusion(of: index, in: size))
        #expect(proof.proves(leaves[index], in: head.root))
        #expect(!proof.proves(TreeHash.leaf([99].span), in: head.root))
        #expect(
          !InclusionProof(index: UInt64(size), size: UInt64(size), path: proof.path).proves(
            leaves[index], in: head.root))
        #expect(
          !InclusionProof(index: UInt64(index), size: UInt64(size), path: proof.path + [head.root])
            .proves(leaves[index], in: head.root))
      }
      #expect(inclusion(of: size, in: size) == nil)
      for old in 1...size {
        let proof = try #require(consistency(from: old, to: size))
        #expect(proof.proves(self.head(old), isPrefixOf: head))
        #expect(
          old == size
            || !proof.proves(TreeHead(size: UInt64(old), root: head.root), isPrefixOf: head))
        #expect(
          !ConsistencyProof(path: proof.path + [head.root]).proves(self.head(old), isPrefixOf: head)
        )
      }
      #expect(consistency(from: 0, to: size) == nil)
      #expect(consistency(from: size + 1, to: size) == nil)
    }
  }

  /// [AUD-PROOF-4] One pass makes the proofs of any number of sizes, and knows each old root.
  @Test func proofsOfManySizesAreMadeTogether() throws {
    for size in [1, 8, 33, 70] {
      let proofs = together(to: size)
      #expect(proofs.count == size)
      for number in 1...proofs.count {
        #expect(proofs[number - 1].old == head(number))
        #expect(proofs[number - 1].proof == consistency(from: number, to: size))
      }
    }
  }

  /// Of all sizes, and two that there are not.
  private func together(to size: Int) -> [(old: TreeHead, proof: ConsistencyProof)] {
    ConsistencyProof.all(from: (0...size + 1).map { UInt64($0) }, to: UInt64(size)) {
      feed(&$0, size, 0)
    }
  }

  /// The golden vector: eleven leaves of one byte each.
  @Test func theProofOfTheVectors() throws {
    let signer = try NoteSigner(
      name: "kist.test/audit", key: PrivateKey(ed25519Seed: [UInt8](repeating: 7, count: 32).span))
    let key = try Self.vector("vkey")
    #expect(key == Array((signer.verifier.vkey + "\n").utf8))
    let text = try Self.vector("kept")
    let kept = try CosignedCheckpoint(parsing: text.span)
    let old = try kept.head(signedBy: signer.verifier)
    #expect(old == head(5))
    let note = try Checkpoint(origin: "kist.test/audit", head: head(11)).signed(by: signer)
    let path = try #require(consistency(from: 5, to: 11))
    let proof = GrowthProof(from: 5, path, to: try CosignedCheckpoint(parsing: note.span))
    let bytes = try Self.vector("5-11")
    #expect(bytes == proof.text)
    let isTrue = try proof.isTrue(signer.verifier, from: old)
    #expect(isTrue)
  }

  private static func vector(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Repository.root.appending(path: "proto/vectors/audit-v1/" + name)))
  }

  /// Of a tree whose first leaves are only known by their edge, the same proofs come out, or none.
  @Test func proofsAreMadeFromWhatIsLeft() throws {
    for size in [5, 8, 33, 70] {
      for kept in 0...size {
        for index in 0..<size {
          let proof = inclusion(of: index, in: size, behind: kept)
          #expect(proof == nil ? index < kept : proof == inclusion(of: index, in: size))
        }
        for old in 1...size {
          let proof = consistency(from: old, to: size, behind: kept)
          #expect(proof == nil ? old < kept : proof == consistency(from: old, to: size))
        }
      }
    }
  }

  private func inclusion(of index: Int, in size: Int, behind kept: Int = 0) -> InclusionProof? {
    InclusionProof(of: UInt64(index), size: UInt64(size)) { feed(&$0, size, kept) }
  }

  private func consistency(from old: Int, to size: Int, behind kept: Int = 0) -> ConsistencyProof? {
    ConsistencyProof(from: UInt64(old), to: UInt64(size)) { feed(&$0, size, kept) }
  }

  private func feed(_ roots: inout SubtreeRoots, _ size: Int, _ kept: Int) {
    var edge = Frontier()
    for leaf in leaves[..<kept] { edge.append(leaf) }
    roots.take(edge)
    for leaf in leaves[kept..<size] { roots.take(leaf) }
  }

  private func head(_ size: Int) -> TreeHead {
    var frontier = Frontier()
    for leaf in leaves[..<size] { frontier.append(leaf) }
    return frontier.head
  }
}
