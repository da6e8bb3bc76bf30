package kist

import (
	"encoding/binary"
	"fmt"
	"io"
)

const (
	protocolVersion   = 1
	flagWait          = 1 // asks for the wait in a busy reply [WIRE-24]
	lengthSize        = 4
	requestHeaderSize = 28
	requestMost       = 131072
	replyHeaderSize   = 20
	replyMost         = 1024 * 1024
	unaudited         = 1<<64 - 1
)

// KeyID names a key: the 16 bytes of its description's ID.
type KeyID [16]byte

// NewKeyID makes a KeyID of a description's ID.
func NewKeyID(id []byte) (key KeyID, err error) {
	if len(id) != len(key) {
		return key, fmt.Errorf("%w: a key's id has %d bytes, not %d", ErrRequest, len(key), len(id))
	}
	copy(key[:], id)
	return key, nil
}

// Answer is what every answer has.
type Answer struct {
	// AuditSequence is the record of the request in the audit log, if IsAudited.
	AuditSequence uint64
	IsAudited     bool
}

// appendFrame puts a whole frame behind others, and leaves no copy of those behind.
func appendFrame(frames []byte, opcode uint16, id uint64, key KeyID, body []byte, flags byte) []byte {
	start, size := len(frames), lengthSize+requestHeaderSize+len(body)
	if start+size > cap(frames) {
		wider := make([]byte, start, 2*cap(frames)+size)
		copy(wider, frames)
		wipe(frames)
		frames = wider
	}
	frames = frames[:start+size]
	frame := frames[start:]
	binary.BigEndian.PutUint32(frame, uint32(size-lengthSize))
	frame[4], frame[5] = protocolVersion, flags
	binary.BigEndian.PutUint16(frame[6:], opcode)
	binary.BigEndian.PutUint64(frame[8:], id)
	copy(frame[16:], key[:])
	copy(frame[lengthSize+requestHeaderSize:], body)
	return frames
}

// replyHeader is the 20 bytes after a reply's length.
type replyHeader struct {
	status        Status
	opcode        uint16
	requestID     uint64
	auditSequence uint64
}

// replies cuts what arrives into replies.
type replies struct {
	buffer []byte
	filled int
}

// fill reads more.
func (r *replies) fill(from io.Reader) error {
	if r.filled == len(r.buffer) {
		wider := make([]byte, 2*len(r.buffer)+4096)
		copy(wider, r.buffer)
		wipe(r.buffer)
		r.buffer = wider
	}
	count, err := from.Read(r.buffer[r.filled:])
	r.filled += count
	if count > 0 {
		return nil
	}
	return err
}

// next hands the next whole reply over, its length stripped, and wipes it afterwards; false if none is there. A length that no reply has is a flaw [WIRE-4].
func (r *replies) next(take func(reply []byte) error) (bool, error) {
	if r.filled < lengthSize {
		return false, nil
	}
	size := binary.BigEndian.Uint32(r.buffer)
	if size < replyHeaderSize || size > replyMost {
		return false, &flaw{fault: "frame-size"}
	}
	end := lengthSize + int(size)
	if r.filled < end {
		return false, nil
	}
	err := take(r.buffer[lengthSize:end])
	rest := copy(r.buffer, r.buffer[end:r.filled])
	wipe(r.buffer[rest:r.filled])
	r.filled = rest
	return true, err
}

func (r *replies) wipe() {
	wipe(r.buffer)
	r.filled = 0
}

func readHeader(reply []byte) (header replyHeader, err *flaw) {
	if reply[0] != protocolVersion {
		return header, &flaw{fault: "version"}
	}
	header = replyHeader{
		status:        Status(reply[1]),
		opcode:        binary.BigEndian.Uint16(reply[2:]),
		requestID:     binary.BigEndian.Uint64(reply[4:]),
		auditSequence: binary.BigEndian.Uint64(reply[12:]),
	}
	if statusNames[uint32(header.status)] == "" {
		return header, &flaw{fault: "bad-value"}
	}
	return header, nil
}

// readAnswer fills the call's reply from a frame. isFirst says whether it is the first of its connection. The error is a *Refused, or ErrReply.
func readAnswer(c *call, reply []byte, isFirst bool) error {
	header, err := readHeader(reply)
	if err != nil {
		return broken(err)
	}
	body := reply[replyHeaderSize:]
	answer := Answer{AuditSequence: header.auditSequence, IsAudited: header.auditSequence != unaudited}
	if !answer.IsAudited {
		answer.AuditSequence = 0
	}
	if header.opcode != c.opcode || header.requestID != c.requestID {
		if header.opcode == 0 && header.requestID == 0 && len(body) == 0 {
			// [WIRE-8] and, as the first reply, [WIRE-21].
			if header.status == StatusMalformed || header.status == StatusBusy && isFirst {
				return &Refused{Status: header.status, Answer: answer, endsConnection: true}
			}
		}
		return broken(&flaw{fault: "another request's reply"}) // [WIRE-19]
	}
	if header.status != StatusOK {
		return refusal(header.status, answer, body)
	}
	if c.reply == nil && len(body) > 0 {
		return broken(&flaw{fault: "trailing-bytes"})
	}
	return c.fill(answer, body)
}

func broken(err *flaw) error { return fmt.Errorf("%w: %v", ErrReply, err) }

// refusal reads the body that goes with a status [WIRE-18].
func refusal(status Status, answer Answer, body []byte) error {
	refused := &Refused{Status: status, Answer: answer, endsConnection: status == StatusMalformed}
	var err *flaw
	switch {
	case status == StatusApprovalNeeded: // [WIRE-20]
		var needed bodyApprovalNeeded
		err = decode(&needed, body)
		refused.Request, refused.Until = needed.Request, needed.Until
	case len(body) == 0:
	case status == StatusMalformed: // [WIRE-22]
		var malformation bodyMalformation
		err = decode(&malformation, body)
		refused.Why = malformation.Why
	case status == StatusBusy: // [WIRE-24]
		var busy bodyBusy
		err = decode(&busy, body)
		refused.RetryAfter = busy.RetryAfter
	case status == StatusRejected:
		var rejection bodyRejection
		err = decode(&rejection, body)
		if err != nil && err.fault == "bad-value" {
			// A stage of a later daemon is a rejection like any other (section 8); a field that is unknown takes nothing from its stage.
			err = nil
		}
		refused.Stage, refused.Field, refused.ReleasedField = rejection.Stage, known(passFieldNames, rejection.Field), known(releasedFieldNames, rejection.ReleasedField)
	default:
		err = &flaw{fault: "trailing-bytes"}
	}
	if err != nil {
		return broken(err)
	}
	return refused
}

// known is 0 for a number of a later daemon.
func known[E ~uint32](names map[uint32]string, value E) E {
	if names[uint32(value)] == "" {
		return 0
	}
	return value
}
