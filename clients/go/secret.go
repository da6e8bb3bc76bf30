package kist

import "fmt"

// Secret is bytes of an answer that are printed nowhere. What is made of them, such as by Text, is not wiped by Wipe.
type Secret struct{ bytes []byte }

// Bytes are the bytes themselves, not a copy; none if policy did not release the field or the answer has none.
func (s Secret) Bytes() []byte { return s.bytes }

// Len is the count of bytes.
func (s Secret) Len() int { return len(s.bytes) }

// Text is the bytes as a string, which nothing can wipe.
func (s Secret) Text() string { return string(s.bytes) }

// Wipe overwrites the bytes with zeros.
func (s Secret) Wipe() { wipe(s.bytes) }

// String does not show the bytes.
func (s Secret) String() string { return fmt.Sprintf("[secret of %d bytes]", len(s.bytes)) }

// GoString does not show the bytes either.
func (s Secret) GoString() string { return s.String() }

// Format does not show them under any verb.
func (s Secret) Format(state fmt.State, _ rune) { fmt.Fprint(state, s.String()) }

// MarshalText does not show them in JSON and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
