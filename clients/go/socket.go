package kist

import (
	"io"
	"net"
	"os"
	"syscall"
)

// socket is a connection's, and not one of package net: a read blocks its thread in the kernel. To
// park the goroutine instead, poll for all and wake it takes the runtime more than twice the
// processor time of the whole call, and most replies come at once.
type socket struct {
	file *os.File // closes the descriptor when the last who uses it is done
	raw  syscall.RawConn
}

// dialSocket fails with EAGAIN while the daemon's backlog is full.
func dialSocket(path string) (*socket, error) {
	syscall.ForkLock.RLock()
	descriptor, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(descriptor)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, err
	}
	if err := connectSocket(descriptor, path); err != nil {
		_ = syscall.Close(descriptor)
		return nil, err
	}
	// It blocks, so the runtime does not poll it.
	file := os.NewFile(uintptr(descriptor), path)
	raw, err := file.SyscallConn()
	return &socket{file, raw}, err
}

func connectSocket(descriptor int, path string) error {
	if err := syscall.SetNonblock(descriptor, true); err != nil {
		return err
	}
	if err := syscall.Connect(descriptor, &syscall.SockaddrUnix{Name: path}); err != nil {
		return err
	}
	if err := syscall.SetNonblock(descriptor, false); err != nil {
		return err
	}
	most := syscall.NsecToTimeval(patience.Nanoseconds())
	return syscall.SetsockoptTimeval(descriptor, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &most)
}

// do runs one system call, again if a signal interrupted it; net.ErrClosed after the end.
func (s *socket) do(call func(descriptor int) (int, error)) (count int, err error) {
	closed := s.raw.Control(func(descriptor uintptr) {
		for {
			if count, err = call(int(descriptor)); err != syscall.EINTR {
				return
			}
		}
	})
	if closed != nil {
		return 0, net.ErrClosed
	}
	if count < 0 {
		count = 0
	}
	return count, err
}

// Read waits for patience at most; then the error is os.ErrDeadlineExceeded.
func (s *socket) Read(buffer []byte) (int, error) {
	count, err := s.do(func(descriptor int) (int, error) { return syscall.Read(descriptor, buffer) })
	switch {
	case err == syscall.EAGAIN:
		return 0, os.ErrDeadlineExceeded
	case err == nil && count == 0:
		return 0, io.EOF
	}
	return count, err
}

// isIdle says whether the daemon is still there and has said nothing unasked.
func (s *socket) isIdle() bool {
	_, err := s.do(func(descriptor int) (int, error) {
		var octet [1]byte
		count, _, err := syscall.Recvfrom(descriptor, octet[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return count, err
	})
	return err == syscall.EAGAIN
}

// writeAtOnce writes as much as the kernel takes without waiting.
func (s *socket) writeAtOnce(frames []byte) (int, error) {
	count, err := s.do(func(descriptor int) (int, error) {
		return syscall.SendmsgN(descriptor, frames, nil, nil, syscall.MSG_DONTWAIT)
	})
	if err == syscall.EAGAIN {
		err = nil
	}
	return count, err
}

// write waits until the kernel has taken all.
func (s *socket) write(frames []byte) error {
	for len(frames) > 0 {
		count, err := s.do(func(descriptor int) (int, error) { return syscall.Write(descriptor, frames) })
		if err != nil {
			return err
		}
		frames = frames[count:]
	}
	return nil
}

func (s *socket) shutdown(how int) {
	_, _ = s.do(func(descriptor int) (int, error) { return 0, syscall.Shutdown(descriptor, how) })
}

func (s *socket) closeWrite() { s.shutdown(syscall.SHUT_WR) }

// close has who waits in a read or a write go on, which closing alone would not.
func (s *socket) close() {
	s.shutdown(syscall.SHUT_RDWR)
	_ = s.file.Close()
}
