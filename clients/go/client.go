// Package kist is the client of kistd, the key daemon for Apple Pay.
//
// A Client is for all goroutines: their calls share a connection and the daemon's commits without waiting for one another.
//
// No request is ever sent twice, but for a token or an envelope that is opened WithRetry.
package kist

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"
)

const retryKeySize = 16

// Options are a client's; the zero value is what most programs need.
type Options struct {
	// Endpoint is unix:/PATH; empty for the environment's KIST_ENDPOINT, else unix:/run/kist/kist.sock.
	Endpoint string
	// Timeout is for one call, with connecting, besides its context; 0 for 10 s, negative for none.
	Timeout time.Duration
}

// Client is a connection to kistd that opens when it is used, and again when it has ended. Every operation is a method. An error of a call is an *Error, which
// wraps the daemon's *Refused, one of this package's Err values, or the context's.
type Client struct {
	connection *connection
	timeout    time.Duration
}

// New makes a client. The error is ErrEndpoint.
func New(options Options) (*Client, error) {
	path, err := socketPath(options.Endpoint)
	if err != nil {
		return nil, err
	}
	if options.Timeout == 0 {
		options.Timeout = 10 * time.Second
	}
	return &Client{newConnection(path), options.Timeout}, nil
}

// Close ends the connection and every call on it; another call opens a new one.
func (c *Client) Close() { c.connection.close() }

// CallOption is what holds for one call alone.
type CallOption func(*callOptions)

type callOptions struct {
	requestID uint64
	timeout   time.Duration
	retry     bool
}

// WithRequestID has an audit record with this id: kist audit show --request. It is not 0.
func WithRequestID(id uint64) CallOption { return func(o *callOptions) { o.requestID = id } }

// WithRequestName does the same for a text, such as an order's number: 16 hexadecimal digits are the id, and any other text stands for the first 8 bytes of its SHA-256.
func WithRequestName(name string) CallOption { return WithRequestID(requestNumber(name)) }

// WithTimeout replaces the client's.
func WithTimeout(timeout time.Duration) CallOption {
	return func(o *callOptions) { o.timeout = timeout }
}

// WithRetry is for OpenPaymentToken and OpenEnvelope: if the reply is lost (ErrDisconnected, ErrTimeout), the same is sent once more, on a new connection and
// with a new time-out, with the request's RetryKey or one made for it. If the daemon then cannot be reached, is locked or serves nobody, the error is the first one's,
// for it may have been carried out.
func WithRetry() CallOption { return func(o *callOptions) { o.retry = true } }

func requestNumber(name string) uint64 {
	if len(name) == 16 {
		if id, err := strconv.ParseUint(name, 16, 64); err == nil && id != 0 && name[0] != '+' {
			return id
		}
	}
	digest := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(digest[:8])
}

// retrying is a request that can be made again with its retry key.
type retrying interface {
	message
	retryKey() []byte
	withRetryKey(key []byte) message
}

func (m *OpenPaymentTokenRequest) retryKey() []byte { return m.RetryKey }
func (m *OpenPaymentTokenRequest) withRetryKey(key []byte) message {
	keyed := *m
	keyed.RetryKey = key
	return &keyed
}
func (m *OpenEnvelopeRequest) retryKey() []byte { return m.RetryKey }
func (m *OpenEnvelopeRequest) withRetryKey(key []byte) message {
	keyed := *m
	keyed.RetryKey = key
	return &keyed
}

// call carries out an operation; reply and answer are filled.
func (c *Client) call(ctx context.Context, opcode uint16, operation string, key KeyID, request, reply message, answer *Answer, options []CallOption) error {
	settled := callOptions{timeout: c.timeout}
	for _, option := range options {
		option(&settled)
	}
	failed := &Error{Operation: operation, RequestID: settled.requestID}
	if request, failed.err = keyed(request, settled.retry, &failed.RetryKey); failed.err != nil {
		return failed
	}
	var body []byte
	if request != nil {
		encoded, flaw := encode(request)
		if flaw != nil {
			failed.err = fmt.Errorf("%w: %s", ErrRequest, flaw.text)
			return failed
		}
		body = encoded
	}
	defer wipe(body)
	if len(body) > requestMost-requestHeaderSize {
		failed.err = fmt.Errorf("%w: it is larger than the protocol takes", ErrRequest)
		return failed
	}
	attempt := func(connection *connection) error {
		call := &call{opcode: opcode, key: key, body: body, requestID: settled.requestID, reply: reply, answer: answer, done: make(chan error, 1)}
		if settled.timeout >= 0 {
			call.until = time.Now().Add(settled.timeout)
		}
		err := connection.do(ctx, call)
		failed.RequestID = call.requestID
		return err
	}
	if failed.err = attempt(c.connection); failed.err == nil {
		return nil
	}
	if settled.retry && (errors.Is(failed.err, ErrDisconnected) || errors.Is(failed.err, ErrTimeout)) && ctx.Err() == nil {
		return c.again(attempt, failed)
	}
	return failed
}

// again sends a request a second time, on a connection of its own, for other calls still wait for replies on the first.
func (c *Client) again(attempt func(*connection) error, lost *Error) error {
	other := newConnection(c.connection.path)
	defer other.close()
	first := *lost
	lost.err = attempt(other)
	switch {
	case lost.err == nil:
		return nil
	case isAboutDaemon(lost.err):
		return &first // for it may have been carried out
	}
	return lost
}

// keyed is the request with the retry key that it has or needs.
func keyed(request message, isRepeated bool, key *[]byte) (message, error) {
	opening, ok := request.(retrying)
	if !ok {
		if isRepeated {
			return request, fmt.Errorf("%w: only what is opened once is sent again", ErrRequest)
		}
		return request, nil
	}
	own := append([]byte(nil), opening.retryKey()...)
	if isRepeated && len(own) == 0 {
		own = make([]byte, retryKeySize)
		if _, err := rand.Read(own); err != nil {
			return request, err
		}
	}
	if len(own) > 0 {
		*key = own
	}
	return opening.withRetryKey(own), nil
}

// within runs something for as long as the context and the client's time last, and tells the two apart.
func within(ctx context.Context, until time.Time, run func(context.Context) error) error {
	if until.IsZero() {
		return run(ctx)
	}
	limited, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	err := run(limited)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return ErrTimeout
	}
	return err
}

// isAboutDaemon says whether it could meet any request, so that it says nothing of an earlier one.
func isAboutDaemon(err error) bool {
	var refused *Refused
	if errors.As(err, &refused) {
		return refused.Status == StatusLocked || refused.Status == StatusAuditUnavailable || refused.Status == StatusBusy && refused.endsConnection
	}
	return errors.Is(err, ErrUnreachable)
}

// result is nothing but the error of a call that failed.
func result[R any](reply *R, err error) (*R, error) {
	if err != nil {
		return nil, err
	}
	return reply, nil
}

// Keys are all keys that the caller may list, by label, whose label begins with prefix and is covered by pattern, such as merchant/acme/*; either may be empty.
func (c *Client) Keys(ctx context.Context, prefix, pattern string, options ...CallOption) ([]KeyDescription, error) {
	var keys []KeyDescription
	last := ""
	for {
		page, err := c.ListKeys(ctx, &ListKeysRequest{Prefix: prefix, Pattern: pattern, After: last}, options...)
		if err != nil {
			return nil, err
		}
		for _, key := range page.Keys {
			if len(keys) > 0 && key.Label <= last { // otherwise the listing might never end [OP-LIST-1]
				return nil, &Error{Operation: "Keys", err: fmt.Errorf("%w: a listing whose labels do not ascend", ErrReply)}
			}
			keys, last = append(keys, key), key.Label
		}
		if !page.More || len(page.Keys) == 0 {
			return keys, nil
		}
	}
}

// FindKey is the id of the one key whose label the pattern covers; destroyed keys are passed over. The error is ErrNoSuchKey or ErrSeveralKeys.
func (c *Client) FindKey(ctx context.Context, pattern string, options ...CallOption) (KeyID, error) {
	if pattern == "" {
		return KeyID{}, &Error{Operation: "FindKey", err: fmt.Errorf("%w: the pattern is missing", ErrRequest)}
	}
	keys, err := c.Keys(ctx, "", pattern, options...)
	if err != nil {
		return KeyID{}, err
	}
	var found []KeyDescription
	var labels []string
	for _, key := range keys {
		if key.State != "destroyed" {
			found, labels = append(found, key), append(labels, key.Label)
		}
	}
	switch len(found) {
	case 0:
		return KeyID{}, &Error{Operation: "FindKey", err: fmt.Errorf("%w: %q", ErrNoSuchKey, pattern)}
	case 1:
		return NewKeyID(found[0].ID)
	}
	return KeyID{}, &Error{Operation: "FindKey", err: fmt.Errorf("%w: %q covers %q", ErrSeveralKeys, pattern, labels)}
}

// Uint64 makes an optional number of a value, such as an expected amount.
func Uint64(value uint64) *uint64 { return &value }
