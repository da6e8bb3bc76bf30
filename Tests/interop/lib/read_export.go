// Checks an export of an audit log and two proofs with the packages that Go checks its module database with.
//
// usage: read_export EXPORT VKEY RECORD-PROOF GROWTH-PROOF OLD-CHECKPOINT      (exit 0: good)
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

// The tiles of C2SP tlog-tiles: the height is not in their path.
type tiles struct{ export string }

func (t tiles) Height() int { return height }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range wanted {
		path := strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", height))
		bytes, err := os.ReadFile(filepath.Join(t.export, "tile", path))
		if err != nil {
			return nil, err
		}
		data = append(data, bytes)
	}
	return data, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func check(err error, what string) {
	if err != nil {
		log.Fatalf("read_export: %s: %v", what, err)
	}
}

func require(ok bool, what string) {
	if !ok {
		log.Fatalf("read_export: %s", what)
	}
}

func read(path string) []byte {
	data, err := os.ReadFile(path)
	check(err, path)
	return data
}

func hash(line string) tlog.Hash {
	data, err := base64.StdEncoding.DecodeString(line)
	check(err, "hash "+line)
	require(len(data) == sha256.Size, "a hash's size")
	return tlog.Hash(*(*[sha256.Size]byte)(data))
}

// open gives what a checkpoint says, if the log signed it.
func open(text []byte, vkey string) tlog.Tree {
	verifier, err := note.NewVerifier(vkey)
	check(err, "verifier key")
	opened, err := note.Open(text, note.VerifierList(verifier))
	check(err, "checkpoint")
	lines := strings.Split(opened.Text, "\n")
	require(len(lines) == 4 && lines[0] == verifier.Name() && lines[3] == "", "form of the checkpoint")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	check(err, "size")
	return tlog.Tree{N: size, Hash: hash(lines[2])}
}

// split gives a proof's first lines, its hashes, and the checkpoint behind them.
func split(text []byte, heads int) ([]string, []tlog.Hash, []byte) {
	before, checkpoint, found := bytes.Cut(text, []byte("\n\n"))
	require(found, "form of the proof")
	lines := strings.Split(string(before), "\n")
	var hashes []tlog.Hash
	for _, line := range lines[heads:] {
		hashes = append(hashes, hash(line))
	}
	return lines[:heads], hashes, checkpoint
}

func number(line, keyword string) int64 {
	value, err := strconv.ParseInt(strings.TrimPrefix(line, keyword+" "), 10, 64)
	check(err, keyword)
	return value
}

// entries gives every entry of the export's bundles.
func entries(export string, size int64) [][]byte {
	var all [][]byte
	for index := int64(0); index*256 < size; index++ {
		width := size - index*256
		if width > 256 {
			width = 256
		}
		tile := tlog.Tile{H: height, L: 0, N: index, W: int(width)}
		bundle := read(filepath.Join(export, "tile", "entries", strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/0/", height))))
		for len(bundle) > 0 {
			end := 2 + int(bundle[0])<<8 + int(bundle[1])
			all = append(all, bundle[2:end])
			bundle = bundle[end:]
		}
	}
	return all
}

func main() {
	log.SetFlags(0)
	require(len(os.Args) == 6, "see the first lines of the source")
	export, vkey := os.Args[1], os.Args[2]
	tree := open(read(filepath.Join(export, "checkpoint")), vkey)
	reader := tlog.TileHashReader(tree, tiles{export})

	root, err := tlog.TreeHash(tree.N, reader)
	check(err, "tiles")
	require(root == tree.Hash, "the tiles give another root")
	all := entries(export, tree.N)
	require(int64(len(all)) == tree.N, "number of entries")
	for index := int64(0); index < tree.N; index += 1 + tree.N/64 {
		proof, err := tlog.ProveRecord(tree.N, index, reader)
		check(err, "tiles")
		check(tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(all[index])), "entry")
	}

	lines, hashes, checkpoint := split(read(os.Args[3]), 3)
	require(lines[0] == "c2sp.org/tlog-proof@v1", "the proof's first line")
	record, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	check(err, "extra")
	proven, index := open(checkpoint, vkey), number(lines[2], "index")
	check(tlog.CheckRecord(hashes, proven.N, proven.Hash, index, tlog.RecordHash(record)), "record proof")
	require(bytes.Equal(record, all[index]), "the proof's record is another")

	lines, hashes, checkpoint = split(read(os.Args[4]), 1)
	grown, old := open(checkpoint, vkey), open(read(os.Args[5]), vkey)
	require(number(lines[0], "old") == old.N, "old size")
	check(tlog.CheckTree(hashes, grown.N, grown.Hash, old.N, old.Hash), "growth proof")
	fmt.Printf("good: %d entries, root %x\n", tree.N, tree.Hash[:])
}
