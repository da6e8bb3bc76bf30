package kist

import (
	"errors"
	"fmt"
	"strings"
)

// Why there is no valid answer. Find them by errors.Is.
var (
	// ErrEndpoint: the endpoint is not unix:/PATH.
	ErrEndpoint = errors.New("the endpoint is not unix:/PATH")
	// ErrUnreachable: nobody answers on the socket, and nothing was sent. It wraps the system's error.
	ErrUnreachable = errors.New("the daemon cannot be reached")
	// ErrDisconnected: the connection ended before the reply, and the request may have been carried out.
	ErrDisconnected = errors.New("the connection ended before the reply")
	// ErrTimeout: no reply came within the client's time-out, and the request may have been carried out. A context's own end is context.DeadlineExceeded or
	// context.Canceled instead.
	ErrTimeout = errors.New("the reply did not come in time")
	// ErrRequest: a value breaks a bound of the protocol, so nothing was sent; the text names the field and the bound.
	ErrRequest = errors.New("the request breaks a bound")
	// ErrReply: the reply breaks the protocol, and the connection was closed.
	ErrReply = errors.New("the reply breaks the protocol")
	// ErrToken: the text is not a payment token of Apple's; nothing was sent.
	ErrToken = errors.New("no payment token")
	// ErrNoSuchKey: no key has such a label, or none that the caller may list.
	ErrNoSuchKey = errors.New("no key has the label, or policy lets this caller list none that has")
	// ErrSeveralKeys: more than one key has such a label; the text names them.
	ErrSeveralKeys = errors.New("several keys have such labels")
)

// Error is a call that failed.
type Error struct {
	// Operation is the method's name.
	Operation string
	// RequestID is in the audit record, too: kist audit show --request. It is 0 if the call came to no connection.
	RequestID uint64
	// RetryKey, of a call with one, is the key with which the same call can be made again [OP-OPEN-11].
	RetryKey []byte
	err      error
}

func (e *Error) Error() string {
	if e.RequestID == 0 {
		return fmt.Sprintf("kist: %s: %v", e.Operation, e.err)
	}
	return fmt.Sprintf("kist: %s: %v (request %016x)", e.Operation, e.err, e.RequestID)
}

// Unwrap is why.
func (e *Error) Unwrap() error { return e.err }

// Error makes a status one that errors.Is finds: errors.Is(err, kist.StatusDenied).
func (value Status) Error() string { return value.String() }

// Refused is the daemon's answer; find it by errors.As.
type Refused struct {
	// Status is why.
	Status Status
	Answer
	// Stage, of StatusRejected, is the check that failed, if policy shows it, else 0; Field and ReleasedField are what it is about.
	Stage         Stage
	Field         PassField
	ReleasedField ReleasedField
	// Why, of StatusMalformed, names the field that broke a bound.
	Why string
	// RetryAfter, of StatusBusy, is the milliseconds until the same call can succeed; 0 if not told.
	RetryAfter uint32
	// Request and Until, of StatusApprovalNeeded, are what an operator approves by, kist approve REQUEST, and the second since 1970 from which it is forgotten.
	Request string
	Until   uint64

	endsConnection bool
}

// Is lets errors.Is compare it with a status.
func (r *Refused) Is(target error) bool { return target == error(r.Status) }

func (r *Refused) Error() string {
	text := []string{r.Status.String()}
	if r.Stage != 0 {
		text = append(text, "at stage "+r.Stage.String())
	}
	switch {
	case r.ReleasedField != 0:
		text = append(text, r.ReleasedField.String())
	case r.Field != 0:
		text = append(text, r.Field.String())
	case r.Why != "":
		text = append(text, r.Why)
	case r.RetryAfter != 0:
		text = append(text, fmt.Sprintf("for %d ms", r.RetryAfter))
	case r.Request != "":
		text = append(text, "kist approve "+r.Request)
	}
	if r.IsAudited {
		text = append(text, fmt.Sprintf("audit record %d", r.AuditSequence))
	}
	return strings.Join(text, ", ")
}
