package terminal

import (
	"context"
	"os"

	"github.com/sidefork/sidefork/sessions/agent"
)

// Options are what Run runs, and how it is recorded.
type Options struct {
	Argv []string // an absolute path, and arguments
	Cwd  string
	Env  []string // whole
	// Job is the command that runs an argv as a job of its terminal: the argv comes behind it. That process calls Job.
	Job []string
	// In and Out are one terminal.
	In, Out *os.File

	Folder string // of the record, prepared; "" for none
	Record Record // as it begins
	Draft  string // "" for none
	Most   int    // bytes of what has scrolled off that are kept
	// Native looks for the session that the agent itself has of this; nil where it has none.
	Native func(context.Context) *agent.ID
}

// Ended is how Run ended.
type Ended struct {
	Status  int   // the agent's exit status, or 128 plus the signal that ended it
	Untyped bool  // the draft was not typed: it is in the record's folder still
	Record  error // what went wrong with the record; the agent does not hear of it
}
