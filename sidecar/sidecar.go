// Package sidecar is how an editor talks to sidefork: LSP 3.17 over JSON-RPC 2.0 with Content-Length frames, on pipes.
//
// Serve is the one entry. It knows LSP and nothing of git or of agents: what may be asked for is a table of commands,
// given to it together with the function that runs them. The libraries go.lsp.dev/jsonrpc2 and go.lsp.dev/protocol are
// used here and nowhere else (package client, the other end, needs neither); the parts of them that break are replaced:
//
//	frame/         frames, with limits
//	message.go     messages; what cannot be read is answered and survived
//	stream.go      one write per message; answers that nobody waits for are dropped
//	server.go      the life cycle's gate, calls in flight, cancelling
//	initialize.go  the few fields of `initialize` that are used, and its answer
//	execute.go     workspace/executeCommand: argument, recovery gate, run, error codes
//	form.go        command/resolve and interactive/listEnum: the dialog as a form
//	progress.go    $/progress and sidefork/stage
//	settings.go    settings and workspace folders, as they are now
//	log.go         a file for each run, and window/logMessage; log_mask.go takes secrets out
//	watch_*.go     the editor's process
//
// It never writes to anything but its output and its log file, and never ends before the commands that run have rolled
// back or RollbackWithin has passed.
package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/zap"

	"github.com/sidefork/sidefork/commands"
)

// Options are what a server is made of. The zero value serves the real commands.
type Options struct {
	Version string // of sidefork, for serverInfo
	// Commands are announced to the client, in this order, and give progress its titles. Default: commands.Table().
	Commands []commands.Command
	// Run runs one of them. It may be called from many goroutines at once. Default: commands.Run.
	Run func(ctx context.Context, env *commands.Env, name string, argument json.RawMessage, progress commands.Progress) (any, *commands.Failure)
	// Resolve asks what a command still needs to know (form.go); sent is called once the answer was written. Default:
	// commands.Resolve.
	Resolve func(ctx context.Context, env *commands.Env, p commands.ResolveParams) (answer commands.ResolveParams, sent func(), failed *commands.Failure)
	// Features are announced beside the table's, whose commands are a feature each: what has no command of its own.
	Features []string
	// Agents tells how each agent's sessions can be forked: "claude" → "native" or "transcript". It is called while the
	// client waits for initialize, so it must not start a process. nil: none.
	Agents func() map[string]string
	// Recover takes back what a killed sidecar left in the repositories of env.Folders. It runs in the background from
	// initialize on, and again for folders that are added. No command runs before it has returned. nil: nothing to do.
	Recover func(ctx context.Context, env *commands.Env)
	// Settings are the user's own, which the editor's are laid over.
	Settings commands.Settings
	// Over lays those of the environment and of flags over the editor's. nil: there are none.
	Over   func(commands.Settings) commands.Settings
	Getenv func(string) string // default: os.Getenv
	Self   string              // the path of sidefork itself, absolute
	// RollbackWithin is how long the end waits for commands that roll back. Default: 30 s. What takes longer is left to
	// the journal and the next start.
	RollbackWithin time.Duration
}

// Why a server ends.
var (
	errExit       = errors.New("the client sent exit")
	errClientGone = errors.New("the client has gone")
	errEditorGone = errors.New("the editor's process has ended")
	errHangUp     = errors.New("the client's terminal or line has hung up")
	errSignal     = errors.New("ended by a signal")
)

// Serve talks to the client on in and out until it says exit, goes away or a signal comes, rolls back what runs, and
// returns the exit status: 0 after shutdown and exit, else 1. After it has returned, a read from in may still be
// pending: close in where that matters.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) int {
	if opt.Commands == nil {
		opt.Commands = commands.Table()
	}
	if opt.Run == nil {
		opt.Run = commands.Run
	}
	if opt.Resolve == nil {
		opt.Resolve = commands.Resolve
	}
	if opt.Over == nil {
		opt.Over = func(s commands.Settings) commands.Settings { return s }
	}
	if opt.Getenv == nil {
		opt.Getenv = os.Getenv
	}
	if opt.RollbackWithin == 0 {
		opt.RollbackWithin = 30 * time.Second
	}

	served, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	wanted, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	base, stop := context.WithCancelCause(wanted)
	defer stop(nil)

	s := newServer(base, stop, opt)
	s.served, s.wanted, s.kill = served, wanted, kill
	defer s.closeLog()
	st := newStream(in, out, stop)
	s.conn = jsonrpc2.NewConn(st)
	st.bad = func(err error) { s.log.Warn("a message could not be read", zap.Error(err)) }
	s.conn.Go(base, s.handle)
	<-base.Done()

	why := context.Cause(base)
	s.file.Info("ending", zap.NamedError("why", why)) // not to the client: one that does not read would hold up the end
	s.waitForStayers()
	if !s.waitForCalls(opt.RollbackWithin) {
		s.file.Error("commands were still running at the end; the next start takes them back")
	}
	if errors.Is(why, errExit) && s.wasShutDown() {
		return 0
	}
	return 1
}

// stopOnSignals ends the server on the signals that ask a process to end, and keeps it alive when its reader is gone, so
// that there is time to roll back, until ctx is done. A terminal or a line that hangs up is a client that goes away.
func stopOnSignals(ctx context.Context, kill, stop context.CancelCauseFunc) {
	ends := make(chan os.Signal, 4)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		signals = append(signals, syscall.SIGHUP)
	}
	signal.Notify(ends, signals...)
	// Caught, not ignored: an ignored signal stays ignored in every child, and a script that pipes into head would never
	// end. The write fails with EPIPE all the same.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	go func() {
		for {
			select {
			case s := <-ends:
				if s == syscall.SIGHUP {
					stop(errHangUp)
				} else {
					kill(errSignal)
				}
			case <-ctx.Done():
				signal.Stop(ends)
				signal.Stop(pipe)
				return
			}
		}
	}()
}
