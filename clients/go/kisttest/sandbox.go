// Package kisttest starts a sandbox for tests: the production daemon on a throw-away directory with a test Apple PKI.
package kisttest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"kist"
)

// Options of a sandbox; the zero value will do.
type Options struct {
	// Program is the kist command; empty for the environment's KIST_PROGRAM, else that of PATH.
	Program string
	// Config and Policy are TOML: settings, and grants in front of those of every sandbox.
	Config, Policy string
	// At is the moment at which its clock stands, such as 2026-11-20T09:30:00Z.
	At string
}

// Sandbox is a daemon of a test's own.
type Sandbox struct {
	// Directory has everything that the daemon has.
	Directory string

	t       testing.TB
	program string
	daemon  *exec.Cmd
	ended   chan error
}

// Start makes a sandbox and starts its daemon, which ends with the test.
func Start(t testing.TB, options Options) *Sandbox {
	t.Helper()
	s := &Sandbox{t: t, program: options.Program}
	if s.program == "" {
		s.program = os.Getenv("KIST_PROGRAM")
	}
	if s.program == "" {
		s.program = "kist"
	}
	// A socket's path is short, which a test's own directory is not always.
	folder, err := os.MkdirTemp("", "kist-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Stop()
		os.RemoveAll(folder)
	})
	s.Directory = filepath.Join(folder, "box")
	words := []string{"sandbox", "init"}
	if options.At != "" {
		words = append(words, "--at", options.At)
	}
	for kind, text := range map[string]string{"config": options.Config, "policy": options.Policy} {
		if text == "" {
			continue
		}
		file := filepath.Join(folder, kind+".toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		words = append(words, "--"+kind, file)
	}
	s.kist("", append(words, s.Directory)...)
	s.Start()
	return s
}

// Endpoint is for services.
func (s *Sandbox) Endpoint() string { return "unix:" + s.Directory + "/run/kist.sock" }

// OperatorsEndpoint is for operators.
func (s *Sandbox) OperatorsEndpoint() string { return "unix:" + s.Directory + "/run/admin.sock" }

// Client is one of the services' socket, which ends with the test.
func (s *Sandbox) Client() *kist.Client { return s.client(s.Endpoint()) }

// Operator is one of the operators' socket, which ends with the test.
func (s *Sandbox) Operator() *kist.Client { return s.client(s.OperatorsEndpoint()) }

func (s *Sandbox) client(endpoint string) *kist.Client {
	client, err := kist.New(kist.Options{Endpoint: endpoint})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(client.Close)
	return client
}

// TokenText is a fresh token as Apple would make it: the options of kist sandbox token, such as "--amount", "1499".
func (s *Sandbox) TokenText(options ...string) []byte {
	return s.kist("", append([]string{"sandbox", "token", "--dir", s.Directory}, options...)...)
}

// Token is the same, unpacked.
func (s *Sandbox) Token(options ...string) *kist.PaymentToken {
	token, err := kist.TokenFromApple(s.TokenText(options...))
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// PassRequest is what a phone sends an issuer's host to add a card.
type PassRequest struct {
	Certificates          [][]byte
	Nonce, NonceSignature []byte
}

// PassRequest makes one, by the options of kist sandbox pass-request.
func (s *Sandbox) PassRequest(options ...string) PassRequest {
	var request PassRequest
	if err := json.Unmarshal(s.kist("", append([]string{"sandbox", "pass-request", "--dir", s.Directory}, options...)...), &request); err != nil {
		s.t.Fatal(err)
	}
	return request
}

// PassOpen is what Apple and the payment network find in an answer to it, as JSON; the test fails where they would refuse it.
func (s *Sandbox) PassOpen(answer *kist.ProvisionPassReply, options ...string) []byte {
	text, err := json.Marshal(map[string][]byte{
		"encryptedPassData": answer.EncryptedPassData, "ephemeralPublicKey": answer.EphemeralPublicKey, "activationData": append([]byte{}, answer.ActivationData...),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.kist(string(text), append([]string{"sandbox", "pass-open", "-", "--dir", s.Directory}, options...)...)
}

// Start starts the daemon again; it returns when it serves. The daemon ends with this process, even where that is killed.
func (s *Sandbox) Start() {
	s.t.Helper()
	command := exec.Command(s.program, "sandbox", "run", "--dir", s.Directory)
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := command.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	started, ended, ready, said := make(chan error), make(chan error, 1), make(chan bool, 1), &bytes.Buffer{}
	go func() {
		// The kernel kills it with the thread that started it, so that thread waits here.
		runtime.LockOSThread()
		started <- command.Start()
		watch(output, said, ready)
		ended <- command.Wait()
	}()
	if err := <-started; err != nil {
		s.t.Fatal(err)
	}
	s.daemon, s.ended = command, ended
	select {
	case isReady := <-ready:
		if !isReady {
			s.t.Fatalf("kistd did not start: %s", said)
		}
	case <-time.After(time.Minute):
		s.t.Fatal("kistd did not start in a minute")
	}
}

// watch reads the daemon's output to its end, and says once whether it serves.
func watch(output io.Reader, said *bytes.Buffer, ready chan<- bool) {
	isReady := false
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if isReady {
			continue
		}
		fmt.Fprintln(said, lines.Text())
		if isReady = strings.Contains(lines.Text(), "event=ready"); isReady {
			ready <- true
		}
	}
	if !isReady {
		ready <- false
	}
}

// Stop stops the daemon in order; Start starts it again on the same keys and log.
func (s *Sandbox) Stop() { s.end(syscall.SIGTERM) }

// Kill kills the daemon as a crash would.
func (s *Sandbox) Kill() { s.end(syscall.SIGKILL) }

func (s *Sandbox) end(signal syscall.Signal) {
	if s.daemon == nil {
		return
	}
	_ = s.daemon.Process.Signal(signal)
	<-s.ended
	s.daemon = nil
}

func (s *Sandbox) kist(input string, words ...string) []byte {
	s.t.Helper()
	command := exec.Command(s.program, words...)
	command.Stdin = strings.NewReader(input)
	var said bytes.Buffer
	command.Stderr = &said
	output, err := command.Output()
	if err != nil {
		s.t.Fatalf("%s %s: %v: %s; give Program, or set KIST_PROGRAM", s.program, strings.Join(words[:2], " "), err, said.String())
	}
	return output
}
