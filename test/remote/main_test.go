//go:build linux

// Package remote tests sidefork on another machine: an OpenSSH server of its own on loopback, an ordinary user's home, and
// between both a line that is slow, breaks at every message of a fork, or falls silent. The judges of "the parent is as it
// was" and "the child is whole or gone" are those of the other tests; besides them, each test holds the client to its words.
package remote

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/cmd/sidefork/cli"
)

// role makes this test binary one of the other programs of the tests.
const role = "SIDEFORK_TEST_ROLE"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "sidefork" { // there
		os.Exit(cli.Main("0.0.0-test"))
	}
	switch os.Getenv(role) {
	case "sidefork": // here
		os.Unsetenv(role)
		os.Exit(cli.Main("0.0.0-test"))
	case "valve":
		os.Exit(valve())
	case "sshd":
		os.Exit(asOtherUser())
	}
	for _, pair := range os.Environ() { // none of the user's settings, agents or ssh agents
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "SIDEFORK_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "SSH_") || strings.HasPrefix(name, "CLAUDE") {
			os.Unsetenv(name)
		}
	}
	home, err := os.MkdirTemp("", "sidefork-remote-")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull, "LC_ALL": "C",
		// The judges look at what belongs to the user there.
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*",
	} {
		os.Setenv(name, value)
	}
	status := m.Run()
	if started != nil {
		started.end()
	}
	os.RemoveAll(home)
	os.Exit(status)
}
