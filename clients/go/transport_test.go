package kist

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Servers that lie, die, wait and come back.

var background = context.Background()

func draw(client *Client, count uint32, options ...CallOption) error {
	reply, err := client.Random(background, &RandomRequest{Count: count}, options...)
	if err == nil && reply.Random.Len() != int(count) {
		return fmt.Errorf("%d bytes", reply.Random.Len())
	}
	return err
}

// is asserts why a call failed; nil that it did not.
func is(t *testing.T, err, expected error) {
	t.Helper()
	if expected == nil && err != nil || expected != nil && !errors.Is(err, expected) {
		t.Fatalf("%v instead of %v", err, expected)
	}
}

func saw(t *testing.T, s *fakeServer, connections, requests int) {
	t.Helper()
	if c, r := s.seen(); c != connections || r != requests {
		t.Fatalf("%d connections and %d requests instead of %d and %d", c, r, connections, requests)
	}
}

// eventually waits for what other goroutines do.
func eventually(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !isSo(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what)
		}
	}
}

func TestReplies(t *testing.T) {
	text, err := os.ReadFile("../replies.txt")
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]error{
		"ok": nil, "malformed": StatusMalformed, "unsupported": StatusUnsupported, "denied": StatusDenied, "rejected": StatusRejected, "busy": StatusBusy,
		"locked": StatusLocked, "audit-unavailable": StatusAuditUnavailable, "internal": StatusInternal, "approval-needed": StatusApprovalNeeded,
		"disconnected": ErrDisconnected, "reply": ErrReply,
	}
	type told struct {
		stage, field, released, why, request string
		wait                                 uint32
		until                                uint64
	}
	tells := map[string]told{
		"rejected with a stage":                            {stage: "signing-time", field: "nonce"},
		"rejected with the last field":                     {stage: "missing-field", field: "account-surrogate"},
		"rejected with the last released field":            {stage: "not-released", released: "jwe"},
		"rejected with a field of a later daemon":          {stage: "missing-field"},
		"rejected with a released field of a later daemon": {stage: "not-released"},
		"rejected with a released field that is none":      {stage: "not-released"},
		"rejected with a stage of a later daemon":          {stage: "unknown"},
		"malformed, and why":                               {why: "count is 9"},
		"busy, and for how long":                           {wait: 250},
		"approval-needed":                                  {request: "1a2b3c4d", until: 1767225600},
	}
	count := 0
	for _, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		count++
		parts := strings.Split(line, "|")
		outcome, name := strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1])
		answer, err := hex.DecodeString(strings.TrimSpace(parts[2]))
		if err != nil {
			t.Fatal(line)
		}
		t.Run(name, func(t *testing.T) {
			client := startFake(t, &fakeServer{answer: append([]byte{}, answer...)})
			reply, err := client.Random(background, &RandomRequest{Count: 4})
			is(t, err, outcomes[outcome])
			if err == nil {
				if !bytes.Equal(reply.Random.Bytes(), []byte{1, 2, 3, 4}) || reply.AuditSequence != 41 || !reply.IsAudited {
					t.Errorf("%x, %d", reply.Random.Bytes(), reply.AuditSequence)
				}
				return
			}
			var failed *Error
			if !errors.As(err, &failed) || failed.RequestID != 1 || failed.Operation != "Random" {
				t.Errorf("%#v", err)
			}
			var refused *Refused
			if !errors.As(err, &refused) {
				return
			}
			got := told{why: refused.Why, request: refused.Request, wait: refused.RetryAfter, until: refused.Until}
			for _, part := range []struct {
				text  *string
				value fmt.Stringer
				is    bool
			}{{&got.stage, refused.Stage, refused.Stage != 0}, {&got.field, refused.Field, refused.Field != 0}, {&got.released, refused.ReleasedField, refused.ReleasedField != 0}} {
				if part.is {
					*part.text = part.value.String()
				}
			}
			if got != tells[name] || refused.AuditSequence != 41 || !strings.Contains(err.Error(), "audit record 41") {
				t.Errorf("%+v instead of %+v: %v", got, tells[name], err)
			}
		})
	}
	if count < 47 {
		t.Errorf("%d replies", count)
	}
}

func TestOverTheCaps(t *testing.T) {
	client := startFake(t, &fakeServer{greeting: refusalFrame(StatusBusy, 0)})
	for i := 0; i < 50; i++ {
		is(t, draw(client, 1), StatusBusy)
	}
}

func TestBusyOfTheConnectionOnlyAtItsBeginning(t *testing.T) {
	server := &fakeServer{}
	client := startFake(t, server)
	is(t, draw(client, 1), nil)
	server.change(func() { server.answer = refusalFrame(StatusBusy, 0) })
	is(t, draw(client, 1), ErrReply)
}

func TestManyAtOnce(t *testing.T) {
	server := &fakeServer{}
	client := startFake(t, server)
	var group sync.WaitGroup
	failures := make(chan error, 200)
	for i := 0; i < 200; i++ {
		group.Add(1)
		go func(count uint32) {
			defer group.Done()
			if err := draw(client, count); err != nil {
				failures <- err
			}
		}(uint32(i%100 + 1))
	}
	group.Wait()
	close(failures)
	for err := range failures {
		t.Error(err)
	}
	saw(t, server, 1, 200)
}

func TestAtMostSoManyInFlight(t *testing.T) {
	server := &fakeServer{gate: make(chan struct{})}
	client := startFake(t, server)
	done := make(chan error, 40)
	for i := 0; i < 40; i++ {
		go func() { done <- draw(client, 1) }()
	}
	// The server takes one after the other, so what is in flight waits in the socket: what the client holds back is told by its slots.
	eventually(t, "the slots are not taken", func() bool { line := client.connection.line.Load(); return line != nil && len(line.slots) == inFlight })
	close(server.gate)
	for i := 0; i < 40; i++ {
		is(t, <-done, nil)
	}
}

func TestReconnectsAndNeverRepeats(t *testing.T) {
	server := &fakeServer{hangUpAfter: 1}
	client := startFake(t, server)
	for i := 1; i <= 200; i++ {
		is(t, draw(client, 1), nil)
		saw(t, server, i, i)
		// Until the server has hung up, a request that crosses its end is lost.
		eventually(t, "it does not hang up", func() (isSo bool) { server.change(func() { isSo = server.closed == i }); return isSo })
	}
	server.change(func() { server.drops = 201 })
	is(t, draw(client, 1), ErrDisconnected)
	saw(t, server, 201, 201)
}

func TestDiesWithCallsInFlight(t *testing.T) {
	server := &fakeServer{gate: make(chan struct{})}
	client := startFake(t, server)
	done := make(chan error, 40)
	for i := 0; i < 40; i++ {
		go func() { done <- draw(client, 1) }()
	}
	eventually(t, "they are not in flight", func() bool { line := client.connection.line.Load(); return line != nil && len(line.slots) == inFlight })
	time.Sleep(20 * time.Millisecond)
	server.change(func() { server.gate = nil })
	server.hangUp()
	lost := 0
	for i := 0; i < 40; i++ {
		if err := <-done; err != nil {
			is(t, err, ErrDisconnected)
			lost++
		}
	}
	if lost != inFlight {
		t.Errorf("%d were lost", lost)
	}
}

func TestEndpoints(t *testing.T) {
	nowhere, err := New(Options{Endpoint: "unix:/nowhere/kist.sock"})
	is(t, err, nil)
	_, err = nowhere.Ping(background)
	is(t, err, ErrUnreachable)
	is(t, err, syscall.ENOENT)
	long, err := New(Options{Endpoint: "unix:/" + strings.Repeat("a", 107)})
	is(t, err, nil)
	_, err = long.Ping(background)
	is(t, err, syscall.ENAMETOOLONG)
	for _, endpoint := range []string{"unix:", "unix:relative", "tcp:127.0.0.1:1", "/run/kist/kist.sock", "unix:/a\x00b", "UNIX:/a"} {
		_, err := New(Options{Endpoint: endpoint})
		is(t, err, ErrEndpoint)
	}
	server := &fakeServer{}
	startFake(t, server)
	t.Setenv("KIST_ENDPOINT", server.endpoint)
	client, err := New(Options{})
	is(t, err, nil)
	is(t, draw(client, 1), nil)
	client.Close()
	t.Setenv("KIST_ENDPOINT", "tcp:")
	_, err = New(Options{})
	is(t, err, ErrEndpoint)
}

func TestGoneForGood(t *testing.T) {
	server := &fakeServer{}
	client := startFake(t, server)
	is(t, draw(client, 1), nil)
	server.listener.Close()
	server.hangUp()
	is(t, draw(client, 1), ErrUnreachable)
}

func TestClosedUnderWay(t *testing.T) {
	server := &fakeServer{gate: make(chan struct{})}
	client := startFake(t, server)
	done := make(chan error)
	go func() { done <- draw(client, 1) }()
	eventually(t, "no request", func() bool { _, requests := server.seen(); return requests == 1 })
	client.Close()
	is(t, <-done, ErrDisconnected)
	close(server.gate)
	is(t, draw(client, 1), nil) // and it goes on
}

func TestFullBacklog(t *testing.T) {
	path := t.TempDir() + "/full.sock"
	listener, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	is(t, err, nil)
	defer syscall.Close(listener)
	is(t, syscall.Bind(listener, &syscall.SockaddrUnix{Name: path}), nil)
	is(t, syscall.Listen(listener, 0), nil)
	waiting, err := net.Dial("unix", path)
	is(t, err, nil)
	defer waiting.Close()
	client, err := New(Options{Endpoint: "unix:" + path, Timeout: 60 * time.Millisecond})
	is(t, err, nil)
	started := time.Now()
	_, err = client.Ping(background)
	is(t, err, ErrUnreachable)
	is(t, err, syscall.EAGAIN)
	if took := time.Since(started); took < 50*time.Millisecond {
		t.Errorf("it waited %v", took)
	}
	// Who is let in while it waits is connected.
	done := make(chan error)
	go func() {
		_, err := client.Ping(background, WithTimeout(5*time.Second))
		done <- err
	}()
	time.Sleep(30 * time.Millisecond)
	for i := 0; i < 2; i++ {
		socket, _, err := syscall.Accept(listener)
		is(t, err, nil)
		defer syscall.Close(socket)
		if i == 1 {
			request := make([]byte, 64)
			count, err := syscall.Read(socket, request)
			is(t, err, nil)
			_, err = syscall.Write(socket, soundReply(request[4:count]))
			is(t, err, nil)
		}
	}
	is(t, <-done, nil)
}

// Time-outs and contexts

func TestTimeoutLeavesNeighboursAlone(t *testing.T) {
	server := &fakeServer{gate: make(chan struct{})}
	client := startFake(t, server)
	late, other := make(chan error), make(chan error)
	go func() { late <- draw(client, 1, WithTimeout(40*time.Millisecond), WithRequestID(7)) }()
	eventually(t, "no request", func() bool { _, requests := server.seen(); return requests == 1 })
	go func() { other <- draw(client, 2) }()
	err := <-late
	is(t, err, ErrTimeout)
	if !strings.Contains(err.Error(), "request 0000000000000007") {
		t.Error(err)
	}
	close(server.gate)
	is(t, <-other, nil)
	is(t, draw(client, 3), nil)
	saw(t, server, 1, 3)
}

// What the kernel does not take at once keeps no caller, and goes out whole all the same.
func TestTimeoutWhileTheSocketIsFull(t *testing.T) {
	server := &fakeServer{gate: make(chan struct{})}
	client := startFake(t, server)
	first, last, late := make(chan error), make(chan error), make(chan error, 10)
	go func() { first <- draw(client, 1) }()
	eventually(t, "no request", func() bool { _, requests := server.seen(); return requests == 1 })
	for i := 0; i < cap(late); i++ {
		go func() {
			_, err := client.Seal(background, KeyID{1}, &SealRequest{Plaintext: make([]byte, 65536)}, WithTimeout(40*time.Millisecond))
			late <- err
		}()
	}
	for i := 0; i < cap(late); i++ {
		is(t, <-late, ErrTimeout)
	}
	go func() { last <- draw(client, 2) }()
	time.Sleep(2 * patience) // so that it waits behind the others
	close(server.gate)
	is(t, <-first, nil)
	is(t, <-last, nil)
	saw(t, server, 1, 12)
}

// Whoever called first reads for all: what ends that call, the others do not notice.
func TestWhoReadsEndsFirst(t *testing.T) {
	for name, isEnded := range map[string]struct {
		timeout time.Duration
		cancels time.Duration
		err     error
	}{
		"time-out within its patience":  {patience / 2, time.Minute, ErrTimeout},
		"time-out after it":             {3 * patience, time.Minute, ErrTimeout},
		"cancelled within its patience": {time.Minute, patience / 2, context.Canceled},
		"cancelled after it":            {time.Minute, 3 * patience, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			server := &fakeServer{gate: make(chan struct{})}
			client := startFake(t, server)
			ctx, cancel := context.WithCancel(background)
			defer cancel()
			first, others := make(chan error), make(chan error, 8)
			go func() {
				request := &RandomRequest{Count: 1}
				_, err := client.Random(ctx, request, WithTimeout(isEnded.timeout))
				first <- err
			}()
			flying := func(count int) func() bool {
				return func() bool {
					line := client.connection.line.Load()
					return line != nil && len(line.slots) == count
				}
			}
			eventually(t, "it is not in flight", flying(1))
			for i := 0; i < cap(others); i++ {
				go func() { others <- draw(client, 2) }()
			}
			eventually(t, "they are not in flight", flying(1+cap(others)))
			time.AfterFunc(isEnded.cancels, cancel)
			is(t, <-first, isEnded.err)
			close(server.gate)
			for i := 0; i < cap(others); i++ {
				is(t, <-others, nil)
			}
			saw(t, server, 1, 1+cap(others))
		})
	}
}

// A thread that waits in the kernel is waked by the connection's end, whoever ends it, and no
// descriptor stays.
func TestEndWhileOneReads(t *testing.T) {
	server := &fakeServer{gate: make(chan struct{})}
	client := startFake(t, server)
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		is(t, err, nil)
		return len(entries)
	}
	done := make(chan error, 8)
	before := descriptors()
	for i := 1; i <= 20; i++ {
		for j := 0; j < cap(done); j++ {
			go func() { done <- draw(client, 1) }()
		}
		eventually(t, "they are not in flight", func() bool {
			connections, _ := server.seen()
			return connections == i && len(client.connection.line.Load().slots) == cap(done)
		})
		if i%2 == 0 {
			client.Close()
		} else {
			server.hangUp()
		}
		for j := 0; j < cap(done); j++ {
			is(t, <-done, ErrDisconnected)
		}
	}
	close(server.gate)
	server.hangUp()
	eventually(t, "a descriptor stays", func() bool { return descriptors() <= before })
}

func TestConnectionOnWhichNobodyWaits(t *testing.T) {
	server := &fakeServer{silences: 1}
	client := startFake(t, server)
	is(t, draw(client, 1, WithTimeout(30*time.Millisecond)), ErrTimeout)
	is(t, draw(client, 1), nil)
	saw(t, server, 2, 2)
}

func TestCancelled(t *testing.T) {
	server := &fakeServer{gate: make(chan struct{})}
	client := startFake(t, server)
	early, cancel := context.WithCancel(background)
	cancel()
	_, err := client.Random(early, &RandomRequest{Count: 1})
	is(t, err, context.Canceled)
	saw(t, server, 0, 0)
	flying, cancel := context.WithCancel(background)
	done := make(chan error)
	go func() {
		_, err := client.Random(flying, &RandomRequest{Count: 1})
		done <- err
	}()
	eventually(t, "no request", func() bool { _, requests := server.seen(); return requests == 1 })
	cancel()
	is(t, <-done, context.Canceled)
	deadline, cancel := context.WithTimeout(background, 30*time.Millisecond)
	defer cancel()
	_, err = client.Random(deadline, &RandomRequest{Count: 1})
	is(t, err, context.DeadlineExceeded)
	if errors.Is(err, ErrTimeout) {
		t.Error("the context's end is no time-out of the client's")
	}
	close(server.gate)
	is(t, draw(client, 1), nil)
}

func TestRequestIDs(t *testing.T) {
	for name, id := range map[string]uint64{"00000000000000ff": 255, "0000000000000000": 0xfcdb4b423f4e5283, "order-17": requestNumber("order-17"), "+000000000000001": 0xf67e49af7ca1a7bd} {
		if got := requestNumber(name); got != id && name[0] != '+' || got == 1 {
			t.Errorf("%s: %x", name, got)
		}
	}
	server := &fakeServer{}
	client := startFake(t, server)
	is(t, draw(client, 1, WithRequestName("00000000000000ff")), nil)
	if got := server.requests[0][4:12]; !bytes.Equal(got, []byte{0, 0, 0, 0, 0, 0, 0, 255}) {
		t.Errorf("%x", got)
	}
}

// Retrying

var testToken = &PaymentToken{Version: TokenVersionECV1, Data: []byte("d"), Signature: []byte("s"), PublicKeyHash: make([]byte, 32), TransactionID: make([]byte, 32)}
var testKey = []byte("0123456789abcdef")

func open(client *Client, what string, key []byte, options ...CallOption) error {
	if what == "token" {
		_, err := client.OpenPaymentToken(background, testToken.Key(), &OpenPaymentTokenRequest{Token: testToken, RetryKey: key}, options...)
		return err
	}
	request := &OpenEnvelopeRequest{Envelope: []byte("e"), MerchantIdentifier: "m", TransactionID: make([]byte, 32), RetryKey: key}
	_, err := client.OpenEnvelope(background, KeyID{1}, request, options...)
	return err
}

func TestRetry(t *testing.T) {
	for what, number := range map[string]byte{"token": 7, "envelope": 6} {
		for _, row := range []struct {
			drops, silences int
			key             []byte
			retry           bool
			expected        error
			sent            int
		}{
			{0, 0, nil, true, nil, 1}, {1, 0, nil, true, nil, 2}, {0, 1, testKey, true, nil, 2}, {2, 0, testKey, true, ErrDisconnected, 2},
			{0, 9, nil, true, ErrTimeout, 2}, {1, 0, testKey, false, ErrDisconnected, 1}, {1, 0, nil, false, ErrDisconnected, 1},
		} {
			t.Run(fmt.Sprintf("%s %+v", what, row), func(t *testing.T) {
				server := &fakeServer{drops: row.drops, silences: row.silences}
				client := startFake(t, server)
				options := []CallOption{WithTimeout(150 * time.Millisecond)}
				if row.retry {
					options = append(options, WithRetry())
				}
				err := open(client, what, row.key, options...)
				is(t, err, row.expected)
				saw(t, server, row.sent, row.sent)
				first := server.requests[0][28:]
				for _, request := range server.requests {
					if !bytes.Equal(request[28:], first) {
						t.Error("another request")
					}
				}
				tail := first[len(first)-18:]
				hasKey := row.retry || row.key != nil
				if hasKey != (tail[0] == number<<3|2 && tail[1] == 16) || row.key != nil && !bytes.Equal(tail[2:], row.key) {
					t.Errorf("%x", tail)
				}
				var failed *Error
				if errors.As(err, &failed) && hasKey != bytes.Equal(failed.RetryKey, tail[2:]) {
					t.Errorf("%x", failed.RetryKey)
				}
			})
		}
	}
}

func TestRefusedTheSecondTime(t *testing.T) {
	for _, row := range []struct {
		drops, silences int
		status          Status
		wait            byte
		expected        error
	}{
		{1, 0, StatusLocked, 0, ErrDisconnected}, {0, 1, StatusLocked, 0, ErrTimeout}, {1, 0, StatusAuditUnavailable, 0, ErrDisconnected}, {1, 0, StatusBusy, 0, ErrDisconnected},
		{1, 0, StatusBusy, 100, StatusBusy}, {1, 0, StatusRejected, 0, StatusRejected}, {0, 0, StatusLocked, 0, StatusLocked}, {0, 0, StatusBusy, 0, StatusBusy},
	} {
		t.Run(fmt.Sprintf("%+v", row), func(t *testing.T) {
			client := startFake(t, &fakeServer{drops: row.drops, silences: row.silences, answer: refusalFrame(row.status, row.wait)})
			err := open(client, "token", testKey, WithRetry(), WithTimeout(150*time.Millisecond))
			is(t, err, row.expected)
			var failed *Error
			if !errors.As(err, &failed) || !bytes.Equal(failed.RetryKey, testKey) {
				t.Errorf("%#v", err)
			}
		})
	}
}

func TestOnlyWhatIsOpenedIsSentAgain(t *testing.T) {
	server := &fakeServer{}
	client := startFake(t, server)
	is(t, draw(client, 1, WithRetry()), ErrRequest)
	gone, cancel := context.WithTimeout(background, 40*time.Millisecond)
	defer cancel()
	server.change(func() { server.silences = 9 })
	_, err := client.OpenPaymentToken(gone, testToken.Key(), &OpenPaymentTokenRequest{Token: testToken}, WithRetry())
	is(t, err, context.DeadlineExceeded)
	saw(t, server, 1, 1)
}

// Values

func TestBounds(t *testing.T) {
	server := &fakeServer{}
	client := startFake(t, server)
	short := *testToken
	short.TransactionID = testKey
	for text, call := range map[string]func() error{
		"Count is 1025; it takes 1 to 1024": func() error { return draw(client, 1025) },
		"Count is missing":                  func() error { return draw(client, 0) },
		"Token.TransactionID has 16 bytes; it takes 32": func() error {
			_, err := client.OpenPaymentToken(background, KeyID{}, &OpenPaymentTokenRequest{Token: &short})
			return err
		},
		"Token.PublicKeyHash is missing": func() error {
			_, err := client.VerifyPaymentToken(background, KeyID{}, &VerifyPaymentTokenRequest{Token: &PaymentToken{Version: 1}})
			return err
		},
		"Token.Version is missing": func() error { _, err := client.VerifyPaymentToken(background, KeyID{}, nil); return err },
		"IV is none of the values it takes here": func() error {
			_, err := client.Unseal(background, KeyID{}, &UnsealRequest{IV: make([]byte, 13)})
			return err
		},
		"Algorithm is none of the values it takes here": func() error { _, err := client.MAC(background, KeyID{}, &MACRequest{Handle: testKey}); return err },
		"Lifetime is none of the values it takes here": func() error {
			_, err := client.Tokenise(background, KeyID{}, &TokeniseRequest{Lifetime: 5})
			return err
		},
		"OtherInfo is none of the values it takes here": func() error {
			_, err := client.KDF(background, KeyID{}, &KDFRequest{Handle: testKey, Derivation: 1, Count: 16, Info: testKey, OtherInfo: &OtherInfo{AlgorithmID: testKey}})
			return err
		},
		"Release is none of the values it takes here": func() error {
			_, err := client.OpenPaymentToken(background, KeyID{}, &OpenPaymentTokenRequest{Token: testToken, Release: []ReleasedField{ReleasedFieldJWE}})
			return err
		},
		"Certificates has 4 elements; it takes at most 3": func() error {
			_, err := client.ProvisionPass(background, KeyID{}, &ProvisionPassRequest{Scheme: 1, Certificates: make([][]byte, 4)})
			return err
		},
		"Prefix is not UTF-8":             func() error { _, err := client.ListKeys(background, &ListKeysRequest{Prefix: "\xff"}); return err },
		"Scheme is 12; it takes 0 to 11":  func() error { _, err := client.Sign(background, KeyID{}, &SignRequest{Scheme: 12}); return err },
		"the pattern is missing":          func() error { _, err := client.FindKey(background, ""); return err },
		"a key's id has 16 bytes, not 15": func() error { _, err := NewKeyID(testKey[1:]); return err },
		"Plaintext has 65537 bytes; it takes at most 65536": func() error {
			_, err := client.Seal(background, KeyID{}, &SealRequest{Plaintext: make([]byte, 65537)})
			return err
		},
		"TransactionID has 31 bytes; it takes 32": func() error {
			_, err := client.Tokenise(background, KeyID{}, &TokeniseRequest{TransactionID: make([]byte, 31), Lifetime: 1})
			return err
		},
		"ExpectedCurrency has 4 bytes; it takes at most 3": func() error {
			_, err := client.OpenPaymentToken(background, KeyID{}, &OpenPaymentTokenRequest{Token: testToken, ExpectedCurrency: "8400"})
			return err
		},
		"Operation has nothing that is sent again, so it fails": func() error {
			return fmt.Errorf("%w: Operation has nothing that is sent again, so it fails", ErrRequest)
		},
	} {
		err := call()
		is(t, err, ErrRequest)
		if !strings.Contains(err.Error(), strings.Replace(text, "it takes 0 to 11", "it takes at most 11", 1)) {
			t.Errorf("%v instead of %s", err, text)
		}
	}
	saw(t, server, 0, 0)
}

func TestSecretsAreNotPrinted(t *testing.T) {
	client := startFake(t, &fakeServer{answer: []byte("\x00\x00\x00\x1a\x01\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x29\x0a\x04abcd")})
	reply, err := client.Random(background, &RandomRequest{Count: 4})
	is(t, err, nil)
	marshalled, err := json.Marshal(reply)
	is(t, err, nil)
	for _, shown := range []string{fmt.Sprint(reply), fmt.Sprintf("%+v %#v %x %s %q %d", reply.Random, reply.Random, reply.Random, reply.Random, reply.Random, reply.Random), string(marshalled)} {
		if strings.Contains(shown, "abcd") || strings.Contains(shown, "6162") || strings.Contains(shown, "97") {
			t.Error(shown)
		}
	}
	if reply.Random.Text() != "abcd" {
		t.Error(reply.Random.Text())
	}
	reply.Random.Wipe()
	if !bytes.Equal(reply.Random.Bytes(), make([]byte, 4)) {
		t.Error("it is not wiped")
	}
}

func TestWhatIsSentIsWiped(t *testing.T) {
	w := &writer{}
	var outgrown [][]byte
	for i := 0; i < 4096; i++ {
		before := w.body
		w.append('x')
		if len(before) > 0 && &before[0] != &w.body[0] {
			outgrown = append(outgrown, before)
		}
	}
	for _, body := range outgrown {
		if bytes.Contains(body, []byte("x")) {
			t.Error("a body that was outgrown stays")
		}
	}
	if len(outgrown) < 3 {
		t.Errorf("it grew %d times", len(outgrown))
	}
	r := &replies{}
	frame := soundReply(append(make([]byte, 29), 4))
	frame[7] = 5
	is(t, r.fill(bytes.NewReader(append(frame, frame[:10]...))), nil)
	isThere, err := r.next(func(reply []byte) error { return nil })
	if !isThere || err != nil || !bytes.Equal(r.buffer[:10], frame[:10]) || !bytes.Equal(r.buffer[10:], make([]byte, len(r.buffer)-10)) {
		t.Errorf("%v, %v, %x", isThere, err, r.buffer[:64])
	}
}

// Whoever reads sends what came meanwhile; if the connection ends instead, it is wiped.
func TestWhatIsNotSentIsWiped(t *testing.T) {
	server := &fakeServer{}
	client := startFake(t, server)
	is(t, draw(client, 1), nil)
	line := client.connection.line.Load()
	line.isReading = true
	is(t, line.takeSlot(background, time.Time{}), nil)
	call := &call{opcode: 5, requestID: 9, body: []byte{8, 1}, done: make(chan error, 1)}
	is(t, line.send(call), nil)
	frame := line.frames
	if len(frame) != lengthSize+requestHeaderSize+len(call.body) {
		t.Fatalf("%x", frame)
	}
	line.end(ErrDisconnected)
	is(t, <-call.done, ErrDisconnected)
	if !bytes.Equal(frame, make([]byte, len(frame))) {
		t.Errorf("%x", frame)
	}
	saw(t, server, 1, 1)
}

func TestListingThatDoesNotGoOn(t *testing.T) {
	for _, labels := range []string{"ba", "aa"} {
		body := []byte{}
		for _, label := range []byte(labels) {
			body = append(append(append(body, 0x0a, 21, 0x0a, 16), testKey...), 0x12, 1, label)
		}
		answer := append(make([]byte, 24), body...)
		answer[3], answer[4], answer[7], answer[15] = byte(len(answer)-4), 1, 3, 1
		client := startFake(t, &fakeServer{answer: answer})
		_, err := client.Keys(background, "", "")
		is(t, err, ErrReply)
	}
}

func TestJWS(t *testing.T) {
	input, err := JWSInput(SignatureSchemeEd25519, JWSHeader{Kid: "k"}, []byte("{}"))
	is(t, err, nil)
	if got := JWSCompact(input, []byte{1, 2, 3}); got != "eyJhbGciOiJFZERTQSIsImtpZCI6ImsifQ.e30.AQID" {
		t.Error(got)
	}
	for _, scheme := range []SignatureScheme{0, SignatureSchemeECDSAP256SHA256, SignatureSchemeRSAPSSSHA512} {
		_, err := JWSInput(scheme, JWSHeader{}, nil)
		is(t, err, ErrRequest)
	}
}

func TestEveryOperationIsAMethod(t *testing.T) {
	for _, name := range operations {
		method := ""
		for _, word := range strings.Split(name, "-") {
			method += word
		}
		found := false
		for i, all := 0, reflect.TypeOf(&Client{}); i < all.NumMethod(); i++ {
			found = found || strings.EqualFold(all.Method(i).Name, method)
		}
		if !found {
			t.Error(name)
		}
	}
}
