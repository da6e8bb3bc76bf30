package kist

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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
	done      chan error // has room for one

	mutex     sync.Mutex
	isGivenUp bool
}

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
		line, err := c.current(ctx)
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
func (c *connection) current(ctx context.Context) (*line, error) {
	if line := c.line.Load(); line != nil && !line.hasEnded() {
		return line, nil
	}
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

func (c *connection) dial(ctx context.Context) (*net.UnixConn, error) {
	if len(c.path) > pathMost {
		return nil, &unreachable{c.path, syscall.ENAMETOOLONG}
	}
	for {
		socket, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: c.path, Net: "unix"})
		if err == nil {
			return socket, nil
		}
		var number syscall.Errno
		if !errors.As(err, &number) {
			return nil, &unreachable{c.path, err}
		}
		if number != syscall.EAGAIN {
			return nil, &unreachable{c.path, number}
		}
		select {
		case <-time.After(connectPause):
		case <-ctx.Done():
			return nil, &unreachable{c.path, number}
		}
	}
}

func (c *connection) close() {
	if line := c.line.Swap(nil); line != nil {
		line.end(fmt.Errorf("%w: the client was closed", ErrDisconnected))
	}
}

// line is one connection to the daemon, until it ends.
type line struct {
	socket *net.UnixConn
	slots  chan struct{} // one for each call in flight
	wake   chan struct{} // something is to be sent
	ended  chan struct{}
	isOver atomic.Bool

	mutex       sync.Mutex
	flying      []*call
	outgoing    []*call // of these, those that were not sent yet
	frames      []byte  // theirs
	hasAnswered bool
	refusal     error // what the daemon said to whoever connected, that it takes no more [WIRE-21]
}

func newLine(socket *net.UnixConn) *line {
	l := &line{socket: socket, slots: make(chan struct{}, inFlight), wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go l.read()
	go l.write()
	return l
}

func (l *line) hasEnded() bool { return l.isOver.Load() }

// do sends a call when less than inFlight are in flight, and waits for its answer.
func (l *line) do(ctx context.Context, call *call) error {
	select {
	case l.slots <- struct{}{}:
	case <-l.ended:
		return l.notSent()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := l.send(call); err != nil {
		return err
	}
	select {
	case err := <-call.done:
		return err
	case <-ctx.Done():
		l.giveUp(call)
		return ctx.Err()
	}
}

// notSent is why a frame did not go out on a line that has ended.
func (l *line) notSent() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.whyNotSent()
}

func (l *line) whyNotSent() error {
	if l.refusal != nil {
		return l.refusal
	}
	return errNotSent
}

// send puts a frame among those that go out next; those of calls that come together share a write.
func (l *line) send(call *call) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	isIdle := len(l.flying) == 0 && l.hasAnswered
	if l.hasEnded() || isIdle && !l.isUsable() {
		<-l.slots
		l.endLocked(ErrDisconnected)
		return l.whyNotSent()
	}
	l.flying = append(l.flying, call)
	l.outgoing = append(l.outgoing, call)
	// Here, for the caller may have wiped the body before it is this one's turn.
	l.frames = appendFrame(l.frames, call.opcode, call.requestID, call.key, call.body, flagWait)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return nil
}

// write sends frames until the connection ends. A call that is given up does not disturb it, so a frame is always sent whole.
func (l *line) write() {
	var spare []byte
	for {
		select {
		case <-l.wake:
		case <-l.ended:
			return
		}
		l.mutex.Lock()
		batch, frames := l.outgoing, l.frames
		l.outgoing, l.frames = nil, spare[:0]
		l.mutex.Unlock()
		_, err := l.socket.Write(frames)
		wipe(frames)
		spare = frames
		if err != nil {
			l.broke(batch)
			return
		}
	}
}

// broke: nothing more can be sent. What the daemon said before it closed the connection is read all the same [WIRE-19].
func (l *line) broke(batch []*call) {
	_ = l.socket.CloseWrite()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.isOver.Store(true)
	if len(batch) == 1 && len(l.flying) == 1 && l.flying[0] == batch[0] && l.hasAnswered {
		// A frame that the kernel did not take whole is never carried out, so this is no second time.
		l.flying = nil
		batch[0].done <- l.whyNotSent()
	}
}

// isUsable says whether the daemon is still there and has said nothing unasked.
func (l *line) isUsable() bool {
	raw, err := l.socket.SyscallConn()
	if err != nil {
		return false
	}
	usable := false
	err = raw.Control(func(descriptor uintptr) {
		var octet [1]byte
		_, _, err := syscall.Recvfrom(int(descriptor), octet[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		usable = err == syscall.EAGAIN
	})
	return usable && err == nil
}

// read takes replies until the connection ends.
func (l *line) read() {
	replies := &replies{}
	var err error
	for err == nil {
		var isThere bool
		if isThere, err = replies.next(l.take); err == nil && !isThere {
			err = replies.fill(l.socket)
		}
	}
	replies.wipe()
	var flaw *flaw
	switch {
	case errors.As(err, &flaw):
		err = broken(flaw)
	case errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed):
		err = ErrDisconnected
	case errors.Is(err, syscall.ECONNRESET):
		err = fmt.Errorf("%w: %v", ErrDisconnected, syscall.ECONNRESET)
	}
	l.end(err)
}

// take gives a reply to the oldest call; an error ends the connection.
func (l *line) take(reply []byte) error {
	l.mutex.Lock()
	isFirst := !l.hasAnswered
	l.hasAnswered = true
	if len(l.flying) == 0 {
		defer l.mutex.Unlock()
		return l.unasked(reply, isFirst)
	}
	call := l.flying[0]
	l.flying = l.flying[1:]
	l.mutex.Unlock()
	err := readAnswer(call, reply, isFirst)
	call.done <- err
	<-l.slots
	var refused *Refused
	switch {
	case err == nil || errors.As(err, &refused) && !refused.endsConnection:
		return nil
	case refused != nil && refused.Status == StatusMalformed:
		return fmt.Errorf("%w: the daemon closes after a malformed request", ErrDisconnected)
	}
	return err
}

// unasked is a reply that no call in flight is for.
func (l *line) unasked(reply []byte, isFirst bool) error {
	err := readAnswer(&call{requestID: 1}, reply, isFirst) // any id but that of a reply about the connection
	var refused *Refused
	if errors.As(err, &refused) && refused.Status == StatusBusy && refused.endsConnection {
		l.refusal = err
		return err
	}
	return fmt.Errorf("%w: nobody asked for it", ErrReply)
}

// giveUp: nobody waits for the call any more. Where that holds for all, the next call may do better on another connection.
func (l *line) giveUp(given *call) {
	given.giveUp()
	l.mutex.Lock()
	isUnused := len(l.flying) > 0
	for _, call := range l.flying {
		isUnused = isUnused && call.hasGivenUp()
	}
	l.mutex.Unlock()
	if isUnused {
		l.end(ErrDisconnected)
	}
}

// end closes the connection once; each call in flight on it fails.
func (l *line) end(err error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.endLocked(err)
}

func (l *line) endLocked(err error) {
	l.isOver.Store(true)
	select {
	case <-l.ended:
		return
	default:
	}
	close(l.ended)
	_ = l.socket.Close()
	for _, call := range l.flying {
		call.done <- err
	}
	l.flying = nil
}
