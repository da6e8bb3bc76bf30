package kist_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"kist/kisttest"
)

// The examples of the pages, which are programs of their own.

func TestExamplesAreOnThePages(t *testing.T) {
	for name, page := range map[string]string{"first": "../README.md", "pay": "README.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile("examples/" + name + "/main.go")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "```go\n"+string(source)+"```\n") {
			t.Errorf("%s does not have %s as it is", page, name)
		}
	}
}

func TestExamples(t *testing.T) {
	sandbox := kisttest.Start(t, kisttest.Options{Program: program()})
	t.Setenv("KIST_ENDPOINT", sandbox.Endpoint())
	run := func(name string, input []byte, isGood bool, expected string) {
		t.Helper()
		command := exec.Command("go", "run", "./examples/"+name)
		command.Stdin = bytes.NewReader(input)
		output, err := command.CombinedOutput()
		if (err == nil) != isGood || !regexp.MustCompile(expected).Match(output) {
			t.Errorf("%v: %s", err, output)
		}
	}
	run("first", nil, true, `(?s)merchant/sandbox/processing-ec active\n.*\n16 random bytes\n$`)
	token := sandbox.TokenText("--amount", "1499")
	run("pay", token, true, `^charged a card that ends in \d{4}, 28 characters\n$`)
	run("pay", token, false, `do not repeat it, and quote record \d+ to the operator`)
	run("pay", sandbox.TokenText("--amount", "1"), false, `rejected`)
	run("pay", []byte("{}"), false, `simulator`)
}
