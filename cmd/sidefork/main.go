// sidefork forks a coding agent's session into a child git worktree, uncommitted changes included. Everything it does is
// in package cli, where tests can reach it.
package main

import (
	"os"

	"github.com/sidefork/sidefork/cmd/sidefork/cli"
)

// version is set by the Makefile (-ldflags "-X main.version=…"); `go install` leaves it empty and the module's own
// version is shown.
var version string

func main() { os.Exit(cli.Main(version)) }
