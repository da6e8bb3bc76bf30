package kist

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	inFlight     = 32                    // a daemon works on no more requests of a connection at once
	connectPause = 10 * time.Millisecond // between two attempts while the daemon's backlog is full
	pathMost     = 107                   // the bytes of a socket's path that the kernel takes
)

// call is a request and where its answer goes.
type call struct {
	opcode    uint16
	key       KeyID
	body      []byte
	requestID uint64
	reply     message // nil for an empty body
	answer    *Answer
	until     time.Time  // when nobody waits for it any more; zero for never
	done      chan error // has room for one

	mutex     sync.Mutex
	isGivenUp bool
}

// settle says what came of a call; only the first word counts.
func (c *call) settle(err error) {
	select {
	case c.done <- err:
	default:
	}
}

func (c *call) isSettled() bool { return len(c.done) > 0 }

// fill gives a call its answer, unless nobody waits for it any more: then reply and answer may be in other hands.
func (c *call) fill(answer Answer, body []byte) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isGivenUp {
		return nil
	}
	if c.reply != nil {
		if err := decode(c.reply, body); err != nil {
			return broken(err)
		}
	}
	*c.answer = answer
	return nil
}

func (c *call) giveUp() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.isGivenUp = true
}

func (c *call) hasGivenUp() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.isGivenUp
}

// errNotSent: the connection ended before the frame was taken, so that it can go out on another one.
var errNotSent = errors.New("not sent")

// unreachable has the system's error.
type unreachable struct {
	path string
	err  error
}

func (u *unreachable) Error() string {
	if errors.Is(u.err, syscall.EAGAIN) {
		return u.path + ": the daemon takes no more connections"
	}
	return fmt.Sprintf("%s: %v", u.path, u.err)
}
func (u *unreachable) Unwrap() error        { return u.err }
func (u *unreachable) Is(target error) bool { return target == ErrUnreachable }

// connection opens when it is used, and again when it has ended. Calls of all goroutines go out behind one another, without waiting for replies, and each reply is
// that of the oldest call in flight.
type connection struct {
	path   string
	lastID atomic.Uint64
	mutex  chan struct{} // held while connecting
	line   atomic.Pointer[line]
}

func newConnection(path string) *connection {
	return &connection{path: path, mutex: make(chan struct{}, 1)}
}

// do carries out a call. Its frame goes out twice only if the kernel did not take it the first time.
func (c *connection) do(ctx context.Context, call *call) error {
	if call.requestID == 0 {
		call.requestID = c.lastID.Add(1)
	}
	for attempt := 0; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := c.current(ctx, call.until)
		if err != nil {
			call.requestID = 0
			return err
		}
		err = line.do(ctx, call)
		if !errors.Is(err, errNotSent) {
			return err
		}
		if attempt > 0 {
			return fmt.Errorf("%w: it broke twice", ErrDisconnected)
		}
	}
}

// current is the line in use, or a new one.
func (c *connection) current(ctx context.Context, until time.Time) (line *line, err error) {
	if line := c.line.Load(); line != nil && !line.hasEnded() {
		return line, nil
	}
	err = within(ctx, until, func(ctx context.Context) error {
		line, err = c.connect(ctx)
		return err
	})
	return line, err
}

func (c *connection) connect(ctx context.Context) (*line, error) {
	select {
	case c.mutex <- struct{}{}:
		defer func() { <-c.mutex }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if line := c.line.Load(); line != nil && !line.hasEnded() {
		return line, nil
	}
	socket, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	line := newLine(socket)
	c.line.Store(line)
	return line, nil
}

func (c *connection) dial(ctx context.Context) (*socket, error) {
	if len(c.path) > pathMost {
		return nil, &unreachable{c.path, syscall.ENAMETOOLONG}
	}
	for {
		socket, err := dialSocket(c.path)
		if err == nil {
			return socket, nil
		}
		if err != syscall.EAGAIN {
			return nil, &unreachable{c.path, err}
		}
		select {
		case <-time.After(connectPause):
		case <-ctx.Done():
			return nil, &unreachable{c.path, err}
		}
	}
}

func (c *connection) close() {
	if line := c.line.Swap(nil); line != nil {
		line.end(fmt.Errorf("%w: the client was closed", ErrDisconnected))
	}
}
