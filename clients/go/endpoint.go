package kist

import (
	"fmt"
	"os"
	"strings"
)

const (
	// Services is the services' socket of an installed daemon.
	Services = "unix:/run/kist/kist.sock"
	// Operators is the operators' socket.
	Operators = "unix:/run/kist/admin.sock"
)

// socketPath is the path in unix:/PATH. An empty endpoint stands for the environment's KIST_ENDPOINT, else the usual socket.
func socketPath(endpoint string) (string, error) {
	if endpoint == "" {
		endpoint = os.Getenv("KIST_ENDPOINT")
	}
	if endpoint == "" {
		endpoint = Services
	}
	path := strings.TrimPrefix(endpoint, "unix:")
	if path == endpoint || !strings.HasPrefix(path, "/") || strings.Contains(path, "\x00") {
		return "", fmt.Errorf("kist: %w: %q", ErrEndpoint, endpoint)
	}
	return path, nil
}
