package kist

import (
	"encoding/json"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON is read as strictly as the daemon's own programs read it: unambiguous and bounded.
const (
	jsonDepth   = 16
	jsonValues  = 1024
	jsonMembers = 64
)

var errJSON = errors.New("no JSON, ambiguous, or more than the bounds allow")

// parseJSON gives the value of a whole text: map[string]any, []any, string, bool or nil; a number, which no token has, is 0. It is refused if it is not RFC 8259, names a
// member twice, has half a surrogate pair, or more or deeper values than the bounds allow.
func parseJSON(text []byte) (any, error) {
	// Only what is JSON goes to the reader below.
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, errJSON
	}
	r := &jsonReader{rest: text}
	value := r.value(0)
	return value, r.err
}

type jsonReader struct {
	rest  []byte
	count int
	err   error
}

// next is the next sign that is not white space, comma or colon.
func (r *jsonReader) next() byte {
	for {
		switch r.rest[0] {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.rest = r.rest[1:]
		default:
			return r.rest[0]
		}
	}
}

func (r *jsonReader) add() bool {
	r.count++
	if r.count > jsonValues {
		r.err = errJSON
	}
	return r.err == nil
}

func (r *jsonReader) value(depth int) any {
	if !r.add() {
		return nil
	}
	switch r.next() {
	case '{':
		return r.members(depth)
	case '[':
		return r.elements(depth)
	case '"':
		return r.text()
	}
	return r.scalar()
}

func (r *jsonReader) enter(depth int) bool {
	if depth == jsonDepth {
		r.err = errJSON
	}
	r.rest = r.rest[1:]
	return r.err == nil
}

func (r *jsonReader) members(depth int) any {
	found := map[string]any{}
	for isIn := r.enter(depth); isIn && r.next() != '}'; isIn = r.err == nil {
		if len(found) == jsonMembers || !r.add() {
			r.err = errJSON
			return nil
		}
		name := r.text()
		if _, isTwice := found[name]; isTwice {
			r.err = errJSON
			return nil
		}
		found[name] = r.value(depth + 1)
	}
	return r.leave(found)
}

func (r *jsonReader) elements(depth int) any {
	found := []any{}
	for isIn := r.enter(depth); isIn && r.next() != ']'; isIn = r.err == nil {
		found = append(found, r.value(depth+1))
	}
	return r.leave(found)
}

func (r *jsonReader) leave(found any) any {
	if r.err != nil {
		return nil
	}
	r.rest = r.rest[1:]
	return found
}

func (r *jsonReader) text() string {
	end := 1
	for ; r.rest[end] != '"'; end++ {
		if r.rest[end] == '\\' {
			end++
		}
	}
	quoted := r.rest[:end+1]
	r.rest = r.rest[end+1:]
	var text string
	if hasHalfPair(quoted) || json.Unmarshal(quoted, &text) != nil {
		r.err = errJSON
	}
	return text
}

// hasHalfPair: the library would make another character of half a surrogate pair.
func hasHalfPair(quoted []byte) bool {
	high := false
	for i := 0; i < len(quoted); i++ {
		unit := rune(0)
		if quoted[i] == '\\' {
			i++
			if quoted[i] == 'u' {
				for _, digit := range quoted[i+1 : i+5] {
					unit = unit<<4 | rune(digit&0xf+digit>>6*9)
				}
				i += 4
			}
		}
		isSurrogate := utf16.IsSurrogate(unit)
		if isLow := isSurrogate && unit >= 0xdc00; high != isLow {
			return true
		}
		high = isSurrogate && unit < 0xdc00
	}
	return high
}

func (r *jsonReader) scalar() any {
	end := 0
	for end < len(r.rest) && (r.rest[end] == '+' || r.rest[end] == '-' || r.rest[end] == '.' || r.rest[end] >= '0' && r.rest[end] <= '9' || r.rest[end]|0x20 >= 'a' && r.rest[end]|0x20 <= 'z') {
		end++
	}
	word := string(r.rest[:end])
	r.rest = r.rest[end:]
	switch word {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	return 0
}
