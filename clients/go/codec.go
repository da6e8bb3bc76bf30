package kist

import (
	"fmt"
	"unicode/utf8"
)

// Messages are read and written by the rules of PROTOCOL.md section 3: each has one encoding, and all others are refused [WIRE-3].

const (
	wireVarint    = 0
	wireDelimited = 2
	uint32Most    = 1<<32 - 1
	setMost       = 255 // numbers of enums that are sent in a set are one byte each
)

type presence int

const (
	presenceAny      presence = iota // absent if it has its default
	presenceRequired                 // the same on the wire, but the default is refused
	presenceOptional                 // a default can be sent
	presenceRepeated
)

// field is one field and its bounds: of a number its value, else its size in bytes.
type field struct {
	number   uint32
	name     string
	presence presence
	least    uint64
	most     uint64
	count    int   // the most elements of a list
	sizes    []int // the only sizes besides none
}

// message is a struct that shows its fields in the order of their numbers.
type message interface {
	visit(v visitor)
	// atFault is the number of a field that the bounds alone do not find wrong, or 0.
	atFault() int
}

// visitor reads or writes one field after the other.
type visitor interface {
	bytes(f *field, value *[]byte)
	text(f *field, value *string)
	secret(f *field, value *Secret)
	secretText(f *field, value *Secret)
	uint32(f *field, value *uint32)
	uint64(f *field, value *uint64)
	optionalUint32(f *field, value **uint32)
	optionalUint64(f *field, value **uint64)
	boolean(f *field, value *bool)
	enum(f *field, value *uint32)
	texts(f *field, value *[]string)
	blobs(f *field, value *[][]byte)
}

// flaw is what is wrong with a message: fault and number are the golden vectors', text is for a person, with sizes and numbers alone.
type flaw struct {
	fault  string
	number uint32
	text   string
}

func (f *flaw) Error() string {
	// These two are always about a number, which may be 0.
	if f.number == 0 && f.fault != "unexpected-field" && f.fault != "bad-value" {
		return f.fault
	}
	return fmt.Sprintf("%s %d", f.fault, f.number)
}

func breach(fault string, f *field, format string, values ...any) *flaw {
	return &flaw{fault, f.number, f.name + " " + fmt.Sprintf(format, values...)}
}

func (f *field) takes() string {
	switch {
	case f.least == f.most:
		return fmt.Sprint(f.most)
	case f.least > 0:
		return fmt.Sprintf("%d to %d", f.least, f.most)
	default:
		return fmt.Sprintf("at most %d", f.most)
	}
}

// nameOf is the name of an enum's number.
func nameOf(names map[uint32]string, value uint32) string {
	if name := names[value]; name != "" {
		return name
	}
	return "unknown"
}

// Reading

// reader takes a body apart; after a flaw it does nothing more. What it gives is a copy, so that the body can be wiped.
type reader struct {
	rest []byte
	flaw *flaw
}

// decode fills a message from a whole body. Of a flawed one it has what stands in front of the flaw.
func decode(m message, body []byte) *flaw {
	r := &reader{rest: body}
	m.visit(r)
	if r.flaw == nil {
		r.end()
	}
	if number := m.atFault(); r.flaw == nil && number != 0 {
		r.flaw = &flaw{fault: "bad-value", number: uint32(number)}
	}
	return r.flaw
}

func (r *reader) fail(fault string, number uint32) {
	if r.flaw == nil {
		r.flaw = &flaw{fault: fault, number: number}
	}
}

func (r *reader) end() {
	if len(r.rest) == 0 {
		return
	}
	tag := r.tag()
	if r.flaw != nil {
		r.flaw = &flaw{fault: "trailing-bytes"}
		return
	}
	r.fail("unexpected-field", tag>>3)
}

func (r *reader) varint() uint64 {
	var number uint64
	for i := 0; i < 10; i++ {
		if i == len(r.rest) {
			r.fail("truncated", 0)
			return 0
		}
		octet := r.rest[i]
		if i == 9 && octet > 1 { // has room for one bit
			break
		}
		number |= uint64(octet&0x7f) << (7 * i)
		if octet&0x80 != 0 {
			continue
		}
		if octet == 0 && i > 0 {
			break
		}
		r.rest = r.rest[i+1:]
		return number
	}
	r.fail("varint", 0)
	return 0
}

func (r *reader) tag() uint32 {
	tag := r.varint()
	if tag > uint32Most {
		r.fail("varint", 0)
	}
	return uint32(tag)
}

// takes says whether this field is next, and takes its tag.
func (r *reader) takes(f *field, wire uint32) bool {
	if r.flaw != nil || len(r.rest) == 0 {
		return r.isMissing(f)
	}
	before := r.rest
	tag := r.tag()
	if r.flaw != nil {
		return false
	}
	switch number := tag >> 3; {
	case number < f.number:
		r.fail("unexpected-field", number)
		return false
	case number > f.number:
		r.rest = before
		return r.isMissing(f)
	case tag&7 != wire:
		r.fail("wire-type", number)
		return false
	}
	return true
}

// isMissing is false, and a flaw if the field has to be there.
func (r *reader) isMissing(f *field) bool {
	if f.presence == presenceRequired {
		r.fail("bad-value", f.number)
	}
	return false
}

// number takes a number; ok is false if it is not there.
func (r *reader) number(f *field, most uint64) (number uint64, ok bool) {
	if !r.takes(f, wireVarint) {
		return 0, false
	}
	number = r.varint()
	switch {
	case r.flaw != nil:
	case number == 0 && f.presence != presenceOptional:
		r.fail("explicit-default", f.number)
	case number > most:
		r.fail("varint", 0)
	case number < f.least || number > f.most:
		r.fail("bad-value", f.number)
	}
	return number, r.flaw == nil
}

// delimited takes a part of the body; ok is false if it is not there.
func (r *reader) delimited(f *field) (part []byte, ok bool) {
	if !r.takes(f, wireDelimited) {
		return nil, false
	}
	length := r.varint()
	switch {
	case r.flaw != nil:
	case length > uint64(len(r.rest)):
		r.fail("truncated", 0)
	case length > f.most:
		r.fail("too-long", f.number)
	case length == 0 && f.presence != presenceRepeated:
		r.fail("explicit-default", f.number)
	}
	if r.flaw != nil {
		return nil, false
	}
	part, r.rest = r.rest[:length], r.rest[length:]
	return part, true
}

// octets takes bytes or text, with at least as many as the field has.
func (r *reader) octets(f *field, isText bool) (part []byte, ok bool) {
	part, ok = r.delimited(f)
	switch {
	case !ok:
	case uint64(len(part)) < f.least:
		r.fail("bad-value", f.number)
	case isText && !utf8.Valid(part):
		r.fail("text", f.number)
	}
	return part, ok && r.flaw == nil
}

func (r *reader) bytes(f *field, value *[]byte) {
	if part, ok := r.octets(f, false); ok {
		*value = append([]byte(nil), part...)
	}
}

func (r *reader) text(f *field, value *string) {
	if part, ok := r.octets(f, true); ok {
		*value = string(part)
	}
}

func (r *reader) secret(f *field, value *Secret) { r.bytes(f, &value.bytes) }

// Of a text, too, the bytes are all that is kept: a string could not be wiped.
func (r *reader) secretText(f *field, value *Secret) {
	if part, ok := r.octets(f, true); ok {
		value.bytes = append([]byte(nil), part...)
	}
}

func (r *reader) uint32(f *field, value *uint32) {
	if number, ok := r.number(f, uint32Most); ok {
		*value = uint32(number)
	}
}

func (r *reader) uint64(f *field, value *uint64) {
	if number, ok := r.number(f, 1<<64-1); ok {
		*value = number
	}
}

func (r *reader) optionalUint32(f *field, value **uint32) {
	if number, ok := r.number(f, uint32Most); ok {
		short := uint32(number)
		*value = &short
	}
}

func (r *reader) optionalUint64(f *field, value **uint64) {
	if number, ok := r.number(f, 1<<64-1); ok {
		*value = &number
	}
}

func (r *reader) boolean(f *field, value *bool) {
	if _, ok := r.number(f, 1); ok {
		*value = true
	}
}

func (r *reader) enum(f *field, value *uint32) {
	r.uint32(&field{number: f.number, presence: f.presence, least: 1, most: f.most}, value)
}

// list takes one element after the other.
func (r *reader) list(f *field, take func(part []byte)) {
	for count := 0; ; count++ {
		if r.flaw != nil || len(r.rest) == 0 {
			return
		}
		before := r.rest
		if !r.takes(f, wireDelimited) {
			return
		}
		if count == f.count {
			r.fail("too-long", f.number)
			return
		}
		r.rest = before
		if part, ok := r.delimited(f); ok {
			take(part)
		}
	}
}

func (r *reader) texts(f *field, value *[]string) {
	r.list(f, func(part []byte) {
		if !utf8.Valid(part) {
			r.fail("text", f.number)
		}
		*value = append(*value, string(part))
	})
}

func (r *reader) blobs(f *field, value *[][]byte) {
	r.list(f, func(part []byte) { *value = append(*value, append([]byte(nil), part...)) })
}

// Writing

// writer puts a body together; after a flaw it does nothing more.
type writer struct {
	body []byte
	flaw *flaw
}

// encode makes the body of a message. It is a flaw where decode would refuse the result.
func encode(m message) ([]byte, *flaw) {
	w := &writer{}
	if number := m.atFault(); number != 0 {
		return nil, &flaw{"bad-value", uint32(number), fieldName(m, uint32(number)) + " is none of the values it takes here, or does not go with the other fields"}
	}
	m.visit(w)
	if w.flaw != nil {
		wipe(w.body)
		return nil, w.flaw
	}
	return w.body, nil
}

func (w *writer) fail(fault string, f *field, format string, values ...any) {
	if w.flaw == nil {
		w.flaw = breach(fault, f, format, values...)
	}
}

// append makes room without leaving a copy of what is there behind.
func (w *writer) append(part ...byte) {
	if len(w.body)+len(part) > cap(w.body) {
		wider := make([]byte, len(w.body), 2*cap(w.body)+len(part)+64)
		copy(wider, w.body)
		wipe(w.body)
		w.body = wider
	}
	w.body = append(w.body, part...)
}

func (w *writer) varint(number uint64) {
	for ; number >= 0x80; number >>= 7 {
		w.append(byte(number) | 0x80)
	}
	w.append(byte(number))
}

func (w *writer) number(f *field, number uint64, least uint64) {
	if w.flaw != nil {
		return
	}
	if number < least || number > f.most {
		w.fail("bad-value", f, "is %d; it takes %s", number, f.takes())
		return
	}
	w.varint(uint64(f.number)<<3 | wireVarint)
	w.varint(number)
}

// plain writes a number unless it is the default.
func (w *writer) plain(f *field, number uint64, least uint64) {
	if number != 0 {
		w.number(f, number, least)
	} else if f.presence == presenceRequired {
		w.fail("bad-value", f, "is missing")
	}
}

// element writes bytes, whatever they are.
func (w *writer) element(f *field, part []byte, isText bool) {
	size := uint64(len(part))
	switch {
	case w.flaw != nil:
		return
	case size > f.most:
		w.fail("too-long", f, "has %d bytes; it takes %s", size, f.takes())
		return
	case size < f.least:
		w.fail("bad-value", f, "has %d bytes; it takes %s", size, f.takes())
		return
	case isText && !utf8.Valid(part):
		w.fail("text", f, "is not UTF-8")
		return
	}
	w.varint(uint64(f.number)<<3 | wireDelimited)
	w.varint(size)
	w.append(part...)
}

// octets writes bytes unless there are none.
func (w *writer) octets(f *field, part []byte, isText bool) {
	if len(part) > 0 {
		w.element(f, part, isText)
	} else if f.presence == presenceRequired {
		w.fail("bad-value", f, "is missing")
	}
}

func (w *writer) bytes(f *field, value *[]byte)      { w.octets(f, *value, false) }
func (w *writer) text(f *field, value *string)       { w.octets(f, []byte(*value), true) }
func (w *writer) secret(f *field, value *Secret)     { w.octets(f, value.bytes, false) }
func (w *writer) secretText(f *field, value *Secret) { w.octets(f, value.bytes, true) }
func (w *writer) uint32(f *field, value *uint32)     { w.plain(f, uint64(*value), f.least) }
func (w *writer) uint64(f *field, value *uint64)     { w.plain(f, *value, f.least) }
func (w *writer) enum(f *field, value *uint32)       { w.plain(f, uint64(*value), 1) }
func (w *writer) texts(f *field, value *[]string)    { writeList(w, f, *value, true) }
func (w *writer) blobs(f *field, value *[][]byte)    { writeList(w, f, *value, false) }
func (w *writer) optionalUint32(f *field, value **uint32) {
	if *value != nil {
		w.number(f, uint64(**value), f.least)
	}
}
func (w *writer) optionalUint64(f *field, value **uint64) {
	if *value != nil {
		w.number(f, **value, f.least)
	}
}
func (w *writer) boolean(f *field, value *bool) {
	if *value {
		w.number(f, 1, 0)
	}
}

func writeList[E string | []byte](w *writer, f *field, value []E, isText bool) {
	if w.isTooLong(f, len(value)) {
		return
	}
	for _, element := range value {
		w.element(f, []byte(element), isText)
	}
}

func (w *writer) isTooLong(f *field, count int) bool {
	if count > f.count {
		w.fail("too-long", f, "has %d elements; it takes at most %d", count, f.count)
	}
	return count > f.count
}

// Both ways

// lists is a visitor that only looks, such as a test's.
type lists interface {
	nested(f *field, m message, index int)
	numbers(f *field, values []uint32)
}

type pointer[M any] interface {
	*M
	message
}

func visitNested[M any, P pointer[M]](v visitor, f *field, value **M) {
	switch v := v.(type) {
	case *reader:
		readNested[M, P](v, f, value)
	case *writer:
		if *value != nil && isPresent(P(*value)) || f.presence == presenceRequired {
			v.nested(f, P(orNew(*value)))
		}
	case *finder:
		v.see(f, *value != nil && isPresent(P(*value)))
	case lists:
		if *value != nil {
			v.nested(f, P(*value), -1)
		}
	}
}

func readNested[M any, P pointer[M]](r *reader, f *field, value **M) {
	optional := *f
	optional.presence = presenceAny
	part, ok := r.delimited(&optional)
	if !ok && (f.presence != presenceRequired || r.flaw != nil) {
		return
	}
	m := new(M)
	// A required one that is missing is refused by its own first field, if that is required.
	if flaw := decode(P(m), part); flaw != nil {
		r.flaw = flaw
		return
	}
	if !ok {
		r.fail("bad-value", f.number)
		return
	}
	*value = m
}

func visitList[M any, P pointer[M]](v visitor, f *field, value *[]M) {
	switch v := v.(type) {
	case *reader:
		v.list(f, func(part []byte) {
			var m M
			if flaw := decode(P(&m), part); flaw != nil {
				v.flaw = flaw
				return
			}
			*value = append(*value, m)
		})
	case *writer:
		if v.isTooLong(f, len(*value)) {
			return
		}
		for i := range *value {
			v.nested(f, P(&(*value)[i]))
		}
	case *finder:
		v.see(f, len(*value) > 0)
	case lists:
		for i := range *value {
			v.nested(f, P(&(*value)[i]), i)
		}
	}
}

func (w *writer) nested(f *field, m message) {
	if w.flaw != nil {
		return
	}
	body, flaw := encode(m)
	if flaw != nil {
		flaw.text = f.name + "." + flaw.text
		w.flaw = flaw
		return
	}
	w.element(&field{number: f.number, name: f.name, most: f.most}, body, false)
	wipe(body)
}

func visitSet[E ~uint32](v visitor, f *field, value *[]E) {
	switch v := v.(type) {
	case *reader:
		part, ok := v.delimited(f)
		inner := &reader{rest: part}
		for last := uint64(0); ok && len(inner.rest) > 0; {
			number := inner.varint()
			if inner.flaw != nil {
				v.flaw = inner.flaw
				return
			}
			if number <= last || number > setMost {
				v.fail("bad-value", f.number)
				return
			}
			*value = append(*value, E(number))
			last = number
		}
	case *writer:
		v.octets(f, packed(*value), false)
	case *finder:
		v.see(f, len(*value) > 0)
	case lists:
		numbers := make([]uint32, len(*value))
		for i, number := range *value {
			numbers[i] = uint32(number)
		}
		v.numbers(f, numbers)
	}
}

// packed has each number once, ascending.
func packed[E ~uint32](values []E) []byte {
	var present [setMost + 1]bool
	for _, value := range values {
		present[value&setMost] = true
	}
	var part []byte
	for number, is := range present {
		if is {
			part = append(part, byte(number))
		}
	}
	return part
}

// isPresent says whether a message has any field.
func isPresent[P interface {
	comparable
	message
}](m P) bool {
	var none P
	if m == none {
		return false
	}
	finder := &finder{}
	m.visit(finder)
	return finder.found
}

// finder looks for a field that is there, or names one.
type finder struct {
	found  bool
	number uint32
	name   string
}

// fieldName is the name of a message's field.
func fieldName(m message, number uint32) string {
	finder := &finder{number: number}
	m.visit(finder)
	return finder.name
}

func (v *finder) see(f *field, isThere bool) {
	v.found = v.found || isThere
	if f.number == v.number {
		v.name = f.name
	}
}

func (v *finder) bytes(f *field, value *[]byte)           { v.see(f, len(*value) > 0) }
func (v *finder) text(f *field, value *string)            { v.see(f, *value != "") }
func (v *finder) secret(f *field, value *Secret)          { v.see(f, len(value.bytes) > 0) }
func (v *finder) secretText(f *field, value *Secret)      { v.see(f, len(value.bytes) > 0) }
func (v *finder) uint32(f *field, value *uint32)          { v.see(f, *value != 0) }
func (v *finder) uint64(f *field, value *uint64)          { v.see(f, *value != 0) }
func (v *finder) optionalUint32(f *field, value **uint32) { v.see(f, *value != nil) }
func (v *finder) optionalUint64(f *field, value **uint64) { v.see(f, *value != nil) }
func (v *finder) boolean(f *field, value *bool)           { v.see(f, *value) }
func (v *finder) enum(f *field, value *uint32)            { v.see(f, *value != 0) }
func (v *finder) texts(f *field, value *[]string)         { v.see(f, len(*value) > 0) }
func (v *finder) blobs(f *field, value *[][]byte)         { v.see(f, len(*value) > 0) }

func orNew[M any](m *M) *M {
	if m == nil {
		return new(M)
	}
	return m
}

func wipe(bytes []byte) {
	for i := range bytes {
		bytes[i] = 0
	}
}
