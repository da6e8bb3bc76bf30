package kist

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// fakeServer is sound, or whatever a test makes it: it answers Random with bytes of A5 and everything else with nothing.
type fakeServer struct {
	answer      []byte        // to the first request, in place of a sound one; then it hangs up
	greeting    []byte        // is sent to whom connects, who is then hung up on
	drops       int           // so many requests, the first ones, are taken and hung up on
	silences    int           // so many are taken and never answered
	hangUpAfter int           // requests on one connection
	gate        chan struct{} // answers wait until it is closed

	endpoint    string
	listener    *net.UnixListener
	mutex       sync.Mutex
	connections int
	closed      int // by the server
	requests    [][]byte
	sockets     []net.Conn
}

func startFake(t *testing.T, s *fakeServer) *Client {
	t.Helper()
	// A test's own directory has its name, which is too long for a socket.
	folder, err := os.MkdirTemp("", "kist-fake-")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "fake.sock")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	s.listener, s.endpoint = listener, "unix:"+path
	go func() {
		for {
			socket, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(socket)
		}
	}()
	client, err := New(Options{Endpoint: s.endpoint, Timeout: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		listener.Close()
		s.hangUp()
		os.RemoveAll(folder)
	})
	return client
}

// seen is how many connections and requests there were.
func (s *fakeServer) seen() (connections, requests int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.connections, len(s.requests)
}

func (s *fakeServer) hangUp() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, socket := range s.sockets {
		socket.Close()
	}
	s.sockets = nil
}

// change changes what it does from now on.
func (s *fakeServer) change(how func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	how()
}

func (s *fakeServer) serve(socket net.Conn) {
	defer func() {
		socket.Close()
		s.change(func() { s.closed++ })
	}()
	s.mutex.Lock()
	s.connections++
	s.sockets = append(s.sockets, socket)
	greeting := s.greeting
	s.mutex.Unlock()
	if greeting != nil {
		_, _ = socket.Write(greeting)
		return
	}
	for served := 1; ; served++ {
		length := make([]byte, 4)
		if _, err := io.ReadFull(socket, length); err != nil {
			return
		}
		request := make([]byte, binary.BigEndian.Uint32(length))
		if _, err := io.ReadFull(socket, request); err != nil {
			return
		}
		s.mutex.Lock()
		s.requests = append(s.requests, request)
		count, answer, gate := len(s.requests), s.answer, s.gate
		isDropped, isSilent, isLast := count <= s.drops, count <= s.drops+s.silences, served == s.hangUpAfter
		s.mutex.Unlock()
		switch {
		case isDropped:
			return
		case isSilent:
			continue
		}
		if gate != nil {
			<-gate
		}
		if answer != nil {
			_, _ = socket.Write(answer)
			return
		}
		_, _ = socket.Write(soundReply(request))
		if isLast {
			return
		}
	}
}

// soundReply is one to what stands behind the length field.
func soundReply(request []byte) []byte {
	var body []byte
	if binary.BigEndian.Uint16(request[2:]) == 5 {
		count := int(request[29])
		body = append([]byte{0x0a, byte(count)}, make([]byte, count)...)
		for i := range body[2:] {
			body[2+i] = 0xa5
		}
	}
	reply := make([]byte, 24, 24+len(body))
	binary.BigEndian.PutUint32(reply, uint32(20+len(body)))
	reply[4] = 1
	copy(reply[6:], request[2:12])
	binary.BigEndian.PutUint64(reply[16:], unaudited)
	return append(reply, body...)
}

// refusalFrame is a refusal; busy without a wait is about the connection [WIRE-24].
func refusalFrame(status Status, wait byte) []byte {
	frame := make([]byte, 24)
	if wait != 0 {
		frame = append(frame, 8, wait)
	}
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	frame[4], frame[5] = 1, byte(status)
	if status != StatusBusy || wait != 0 {
		binary.BigEndian.PutUint16(frame[6:], 0x11)
		frame[15] = 1
	}
	frame[23] = 41
	return frame
}
