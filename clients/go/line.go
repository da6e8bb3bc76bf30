package kist

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// patience is how long a read waits, whose goroutine notices no end of a context or a time-out
// meanwhile. Most replies come sooner, and waking another goroutine for them would cost as much as
// reading them.
const patience = 10 * time.Millisecond

// line is one connection to the daemon, until it ends. It has no goroutines of its own while nothing is in flight: one caller at a time writes for all of them, as
// much as the kernel takes at once, and one reads for all of them. What would keep a caller, who may give up, goes on in another goroutine.
type line struct {
	socket *socket
	slots  chan struct{} // one for each call in flight
	ended  chan struct{}
	isOver atomic.Bool

	replies replies // of whoever reads

	mutex       sync.Mutex
	flying      []*call
	outgoing    []*call // of these, those that were not sent yet
	frames      []byte  // theirs
	spare       []byte  // takes turns with frames
	isWriting   bool
	isReading   bool
	isBlocked   bool // who reads is in the kernel; before that it sends what waits
	hasAnswered bool
}

func newLine(socket *socket) *line {
	return &line{socket: socket, slots: make(chan struct{}, inFlight), ended: make(chan struct{})}
}

func (l *line) hasEnded() bool { return l.isOver.Load() }

// do sends a call when less than inFlight are in flight, and waits for its answer.
func (l *line) do(ctx context.Context, call *call) error {
	if err := l.takeSlot(ctx, call.until); err != nil {
		return err
	}
	if err := l.send(call); err != nil {
		return err
	}
	l.readFor(call)
	select {
	case err := <-call.done:
		return err
	case <-ctx.Done():
		l.giveUp(call)
		return ctx.Err()
	}
}

func (l *line) takeSlot(ctx context.Context, until time.Time) error {
	select {
	case l.slots <- struct{}{}:
		return nil
	default:
	}
	return within(ctx, until, func(ctx context.Context) error {
		select {
		case l.slots <- struct{}{}:
			return nil
		case <-l.ended:
			return errNotSent
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// Sending

// send puts a frame among those that go out next; those of calls that come together share a write.
func (l *line) send(call *call) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	isIdle := len(l.flying) == 0 && l.hasAnswered && !l.isReading
	if l.hasEnded() || isIdle && !(l.socket.isIdle() && l.replies.filled == 0) {
		<-l.slots
		l.endLocked(ErrDisconnected)
		return errNotSent
	}
	l.flying = append(l.flying, call)
	l.outgoing = append(l.outgoing, call)
	// Here, for the caller may have wiped the body before it is this one's turn.
	l.frames = appendFrame(l.frames, call.opcode, call.requestID, call.key, call.body, flagWait)
	if l.isBlocked || !l.isReading {
		l.offer(len(l.flying) > len(l.outgoing)) // others' replies are coming
	}
	return nil
}

// offer writes as much of what waits as the kernel takes at once, without the lock, unless somebody
// writes already. The rest is for another goroutine, for the caller may give up.
func (l *line) offer(othersCome bool) {
	if l.isWriting || len(l.outgoing) == 0 {
		return
	}
	l.isWriting = true
	if othersCome {
		// What they send next goes out in the same write.
		l.mutex.Unlock()
		runtime.Gosched()
		l.mutex.Lock()
	}
	batch, frames := l.takeOutgoing()
	l.mutex.Unlock()
	count, err := l.socket.writeAtOnce(frames)
	l.mutex.Lock()
	wipe(frames[:count])
	switch {
	case count < len(frames) && err == nil:
		go l.write(batch, frames[count:])
	case l.hasWritten(batch, frames, err) && len(l.outgoing) > 0:
		go l.write(l.takeOutgoing())
	default:
		l.isWriting = false
	}
}

// write writes until nothing waits. A call that is given up does not disturb it, so a frame is always sent whole.
func (l *line) write(batch []*call, frames []byte) {
	for {
		err := l.socket.write(frames)
		l.mutex.Lock()
		wipe(frames)
		if !l.hasWritten(batch, frames, err) || len(l.outgoing) == 0 {
			l.isWriting = false
			l.mutex.Unlock()
			return
		}
		batch, frames = l.takeOutgoing()
		l.mutex.Unlock()
	}
}

func (l *line) takeOutgoing() ([]*call, []byte) {
	batch, frames := l.outgoing, l.frames
	l.outgoing, l.frames = nil, l.spare[:0]
	l.spare = nil
	return batch, frames
}

// hasWritten is false when nothing more can be sent. What the daemon said before it closed the connection is read all the same [WIRE-19].
func (l *line) hasWritten(batch []*call, frames []byte, err error) bool {
	if err == nil {
		l.spare = frames
		return true
	}
	wipe(frames)
	l.socket.closeWrite()
	l.isOver.Store(true)
	if len(batch) == 1 && len(l.flying) == 1 && l.flying[0] == batch[0] && l.hasAnswered {
		// A frame that the kernel did not take whole is never carried out, so this is no second time.
		l.flying = nil
		batch[0].settle(errNotSent)
	}
	return false
}

// Reading

// readFor has a caller read, if nobody does, until its own reply is there or its patience ends; if
// calls are then in flight, another goroutine goes on.
func (l *line) readFor(call *call) {
	l.mutex.Lock()
	if l.isReading || call.isSettled() {
		l.mutex.Unlock()
		return
	}
	l.isReading = true
	l.mutex.Unlock()
	var err error
	until := time.Now().Add(patience)
	for err == nil && !call.isSettled() && time.Now().Before(until) {
		err = l.takeReplies()
	}
	switch {
	case err != nil && !errors.Is(err, os.ErrDeadlineExceeded):
		l.readingFailed(err)
	case l.goesOnReading():
		go l.read()
	}
}

// read takes replies as long as there are calls in flight, and ends those whose time is over.
func (l *line) read() {
	err := l.expire()
	for err == nil && l.goesOnReading() {
		if err = l.takeReplies(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			err = l.expire()
		}
	}
	if err != nil {
		l.readingFailed(err)
	}
}

func (l *line) goesOnReading() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.isReading = len(l.flying) > 0
	return l.isReading
}

// expire settles the calls whose time is over.
func (l *line) expire() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	now := time.Now()
	for _, call := range l.flying {
		if !call.until.IsZero() && !now.Before(call.until) {
			call.giveUp()
			call.settle(ErrTimeout)
		}
	}
	return l.endIfUnawaited()
}

// takeReplies waits for some bytes, for patience at most, and gives every reply that is whole to
// its call.
func (l *line) takeReplies() error {
	// Who got a reply goes on before the thread blocks. And a goroutine that never yields counts as
	// one that hogs its processor, which the runtime then takes from it in every read.
	runtime.Gosched()
	l.mutex.Lock()
	l.isBlocked = true
	l.offer(false)
	l.mutex.Unlock()
	err := l.replies.fill(l.socket)
	l.mutex.Lock()
	l.isBlocked = false
	l.mutex.Unlock()
	for isThere := true; err == nil && isThere; {
		isThere, err = l.replies.next(l.take)
	}
	return err
}

// take gives a reply to the oldest call; an error ends the connection.
func (l *line) take(reply []byte) error {
	l.mutex.Lock()
	isFirst := !l.hasAnswered
	l.hasAnswered = true
	if len(l.flying) == 0 {
		l.mutex.Unlock()
		return fmt.Errorf("%w: nobody asked for it", ErrReply)
	}
	call := l.flying[0]
	l.flying = l.flying[1:]
	l.mutex.Unlock()
	err := readAnswer(call, reply, isFirst)
	call.settle(err)
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

// The end

// giveUp: nobody waits for the call any more.
func (l *line) giveUp(given *call) {
	given.giveUp()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_ = l.endIfUnawaited()
}

// endIfUnawaited: where nobody waits for any call in flight, the next one may do better on another connection.
func (l *line) endIfUnawaited() error {
	for _, call := range l.flying {
		if !call.hasGivenUp() {
			return nil
		}
	}
	if len(l.flying) == 0 {
		return nil
	}
	l.endLocked(ErrDisconnected)
	return ErrDisconnected
}

func (l *line) readingFailed(err error) {
	l.replies.wipe()
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
	l.socket.close()
	wipe(l.frames)
	l.outgoing, l.frames = nil, nil
	for _, call := range l.flying {
		call.settle(err)
	}
	l.flying = nil
}
