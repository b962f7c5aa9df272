//go:build !linux

package claude

import "github.com/sidefork/sidefork/sessions/agent"

// runs cannot tell here whether a process is the one that wrote the entry.
func runs(registered) agent.State { return agent.Unknown }

// exists cannot be told here either.
func exists(int) bool { return true }
