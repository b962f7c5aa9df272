//go:build !linux

package claude

import "github.com/sidefork/sidefork/sessions/agent"

// runs cannot tell here whether a process is the one that wrote the entry.
func runs(process) agent.State { return agent.Unknown }
