package kist

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// The golden vectors of PROTOCOL.md section 10.

const vectorsFolder = "../../proto/vectors"

type vector struct {
	name, message, frame, expect, fault, comment string
	fields                                       []string
	bytes                                        []byte
}

func readVectors(t testing.TB) []vector {
	paths, err := filepath.Glob(vectorsFolder + "/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no vectors", err)
	}
	var vectors []vector
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		v := vector{name: filepath.Base(path)}
		one := map[string]*string{"message": &v.message, "frame": &v.frame, "expect": &v.expect, "error": &v.fault, "comment": &v.comment}
		for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			key, value, _ := strings.Cut(line, ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case key == "field":
				v.fields = append(v.fields, value)
			case key == "bytes":
				octets, err := hex.DecodeString(value)
				if err != nil {
					t.Fatal(path, err)
				}
				v.bytes = append(v.bytes, octets...)
			case one[key] != nil && *one[key] == "":
				*one[key] = value
			default:
				t.Fatalf("%s: %s", path, line)
			}
		}
		vectors = append(vectors, v)
	}
	return vectors
}

// isOurs: requests are refused by daemons alone, and messages of operators' operations read by their programs.
func (v *vector) isOurs() bool {
	if v.frame == "request" {
		return v.expect == "ok"
	}
	return v.message == "" || messages[v.message] != nil
}

// lister lists what was decoded as the vectors do.
type lister struct {
	lines  []string
	prefix string
}

func (l *lister) path(f *field) string { return l.prefix + strings.ToLower(f.name) }
func (l *lister) add(f *field, format string, value any) {
	l.lines = append(l.lines, fmt.Sprintf("%s = "+format, l.path(f), value))
}
func (l *lister) bytes(f *field, value *[]byte) {
	if len(*value) > 0 {
		l.add(f, "hex:%x", *value)
	}
}
func (l *lister) text(f *field, value *string) {
	if *value != "" {
		l.add(f, "text:%s", *value)
	}
}
func (l *lister) secret(f *field, value *Secret) { l.bytes(f, &value.bytes) }
func (l *lister) secretText(f *field, value *Secret) {
	text := value.Text()
	l.text(f, &text)
}
func (l *lister) uint32(f *field, value *uint32) {
	if *value != 0 {
		l.add(f, "%d", *value)
	}
}
func (l *lister) uint64(f *field, value *uint64) {
	if *value != 0 {
		l.add(f, "%d", *value)
	}
}
func (l *lister) optionalUint32(f *field, value **uint32) {
	if *value != nil {
		l.add(f, "%d", **value)
	}
}
func (l *lister) optionalUint64(f *field, value **uint64) {
	if *value != nil {
		l.add(f, "%d", **value)
	}
}
func (l *lister) boolean(f *field, value *bool) {
	if *value {
		l.add(f, "%v", true)
	}
}
func (l *lister) enum(f *field, value *uint32) { l.uint32(f, value) }
func (l *lister) texts(f *field, value *[]string) {
	for i, text := range *value {
		l.lines = append(l.lines, fmt.Sprintf("%s[%d] = text:%s", l.path(f), i, text))
	}
}
func (l *lister) blobs(f *field, value *[][]byte) {
	for i, octets := range *value {
		l.lines = append(l.lines, fmt.Sprintf("%s[%d] = hex:%x", l.path(f), i, octets))
	}
}

func (l *lister) nested(f *field, m message, index int) {
	prefix := l.prefix
	l.prefix = l.path(f) + "."
	if index >= 0 {
		l.prefix = fmt.Sprintf("%s[%d].", strings.TrimSuffix(l.prefix, "."), index)
	}
	m.visit(l)
	l.prefix = prefix
}

func (l *lister) numbers(f *field, values []uint32) {
	for i, value := range values {
		l.lines = append(l.lines, fmt.Sprintf("%s[%d] = %d", l.path(f), i, value))
	}
}

// framesOf reads frame behind frame, as a client does, one byte at a time, as they may arrive.
func framesOf(octets []byte) (lines []string, err error) {
	replies := &replies{}
	take := func(reply []byte) error {
		header, err := readHeader(reply)
		if err != nil {
			return err
		}
		place := fmt.Sprintf("frame[%d].", len(lines)/5)
		for name, value := range map[string]uint64{
			"status": uint64(header.status), "opcode": uint64(header.opcode), "requestid": header.requestID, "auditsequence": header.auditSequence,
		} {
			lines = append(lines, place+name+" = "+strconv.FormatUint(value, 10))
		}
		lines = append(lines, place+"body = hex:"+hex.EncodeToString(reply[replyHeaderSize:]))
		return nil
	}
	for i := range octets {
		if err := replies.fill(strings.NewReader(string(octets[i : i+1]))); err != nil {
			return nil, err
		}
		if _, err := replies.next(take); err != nil {
			return nil, err
		}
	}
	if replies.filled > 0 {
		return nil, &flaw{fault: "truncated"}
	}
	return lines, nil
}

// requestsOf makes the bytes that come of what is listed: a client writes requests and never reads one.
func requestsOf(t *testing.T, fields []string) (octets []byte) {
	for at := 0; at < len(fields); at += 5 {
		var parts [5]string
		for i, line := range fields[at : at+5] {
			_, value, _ := strings.Cut(line, " = ")
			parts[i] = strings.TrimPrefix(value, "hex:")
		}
		flags, _ := strconv.ParseUint(parts[0], 10, 8)
		opcode, _ := strconv.ParseUint(parts[1], 10, 16)
		id, _ := strconv.ParseUint(parts[2], 10, 64)
		octet, _ := hex.DecodeString(parts[3])
		body, _ := hex.DecodeString(parts[4])
		key, err := NewKeyID(octet)
		if err != nil {
			t.Fatal(err)
		}
		octets = appendFrame(octets, uint16(opcode), id, key, body, byte(flags))
	}
	return octets
}

func TestVectors(t *testing.T) {
	ours := 0
	seen := map[string]bool{}
	for _, v := range readVectors(t) {
		if !v.isOurs() {
			continue
		}
		v := v
		ours++
		seen[v.message] = true
		t.Run(v.name, func(t *testing.T) { check(t, &v) })
	}
	if ours < 343 {
		t.Errorf("%d vectors", ours)
	}
	for name := range messages {
		if !seen[name] {
			t.Errorf("%s has no vector", name)
		}
	}
}

func check(t *testing.T, v *vector) {
	switch {
	case v.frame == "request":
		if got := requestsOf(t, v.fields); string(got) != string(v.bytes) {
			t.Errorf("%x", got)
		}
	case v.frame != "":
		lines, err := framesOf(v.bytes)
		compare(t, v, lines, err)
	default:
		m := messages[v.message]()
		if err := decode(m, v.bytes); err != nil {
			compare(t, v, nil, err)
			return
		}
		l := &lister{}
		m.visit(l)
		compare(t, v, l.lines, nil)
		if again, err := encode(m); err != nil || string(again) != string(v.bytes) {
			t.Errorf("encoded again: %x, %v", again, err)
		}
	}
}

func compare(t *testing.T, v *vector, lines []string, err error) {
	said := "ok"
	var flaw *flaw
	if errors.As(err, &flaw) {
		said = flaw.Error()
	}
	expected := v.fault
	if v.expect == "ok" {
		expected = "ok"
	}
	if said != expected {
		t.Errorf("%s instead of %s", said, expected)
	}
	var fields []string
	for _, line := range v.fields { // names here have no underscores
		path, value, _ := strings.Cut(line, " = ")
		fields = append(fields, strings.ReplaceAll(path, "_", "")+" = "+value)
	}
	if v.frame != "" { // a map has no order
		sort.Strings(fields)
		sort.Strings(lines)
	}
	if expected == "ok" && strings.Join(lines, "\n") != strings.Join(fields, "\n") {
		t.Errorf("%q\ninstead of %q", lines, fields)
	}
}

// FuzzDecode: whatever is accepted has one encoding.
func FuzzDecode(f *testing.F) {
	names := make([]string, 0, len(messages))
	for name := range messages {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, v := range readVectors(f) {
		if index := sort.SearchStrings(names, v.message); index < len(names) && names[index] == v.message {
			f.Add(index, v.bytes)
		}
	}
	f.Fuzz(func(t *testing.T, index int, body []byte) {
		m := messages[names[uint(index)%uint(len(names))]]()
		if decode(m, body) != nil {
			return
		}
		if again, err := encode(m); err != nil || string(again) != string(body) {
			t.Errorf("%x becomes %x, %v", body, again, err)
		}
	})
}

// FuzzToken: no text makes it panic.
func FuzzToken(f *testing.F) {
	for _, row := range tokenTable(f) {
		f.Add(row.text)
	}
	f.Fuzz(func(t *testing.T, text []byte) { _, _ = TokenFromApple(text) })
}
