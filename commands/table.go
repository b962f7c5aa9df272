// Package commands is what may be asked of sidefork: a table of commands, one file for each, and the steps of a fork.
//
// An editor (through sidecar) and the command line (cmd/sidefork) are both clients of Run. A command takes exactly one
// JSON object, knows every field of it, and answers with a shape of contract.go or a *Failure. It knows no LSP and no
// terminal: progress goes to a Progress, log lines to a zap logger.
package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"go.uber.org/zap"

	"github.com/sidefork/sidefork/commands/locales"
)

// Command is one entry of the table.
type Command struct {
	Name  string // as on the wire
	About string // one line for --help and the documents
	// Title is what its progress is called; "" for a command too quick to have one.
	Title string
	asks  bool // what it needs to know can be asked for by a form (form.go)
	run   func(ctx context.Context, env *Env, argument json.RawMessage, progress Progress) (any, error)
	// writes: it writes without telling of a stage beforehand.
	writes bool
}

// Table is every command that this sidefork serves, in the order of the contract. Adding one is a file and a line.
func Table() []Command {
	return []Command{
		{Name: "sidefork.workspaces", About: "list the workspaces of a repository as a tree", run: workspaces},
		{Name: "sidefork.sessions", About: "list the agents' sessions", run: listSessions},
		{Name: "sidefork.inspect", About: "show all that a fork dialog needs to know of a workspace", run: inspect},
		{Name: "sidefork.plan", About: "show what a fork would do; write nothing", asks: true, run: plan},
		{Name: "sidefork.fork", About: "fork an agent session into a child workspace", Title: locales.Word("Fork agent session"), asks: true, run: fork},
		{Name: "sidefork.carry", About: "bring uncommitted changes from one workspace to another", Title: locales.Word("Carry changes"), run: carryChanges},
		{Name: "sidefork.outcome", About: "say what became of a fork or carry whose answer never came", run: outcome},
		{Name: "sidefork.recover", About: "take back what a killed sidecar left behind", run: recoverOperations, writes: true},
		{Name: "sidefork.locate", About: "find the session that runs in a terminal", run: locate},
		{Name: "sidefork.guard", About: "say whether a command line would write into a session that runs", run: guardLine},
		{Name: "sidefork.resume", About: "give the command that takes up a session, unless something writes into it", run: resume},
		{Name: "sidefork.adopt", About: "say whose child a workspace is", run: adopt, writes: true},
		{Name: "sidefork.archive", About: "free a workspace's folder, or bring it back as it was", run: archive, writes: true},
		{Name: "sidefork.remove", About: "remove a workspace, unless that would lose work", run: remove, writes: true},
		{Name: "sidefork.compare", About: "list what a workspace has changed against its parent's branch", run: compare},
		{Name: "sidefork.trust", About: "approve a repository's setup by the hash of its content", run: trust, writes: true},
		{Name: "sidefork.settings", About: "list the settings, and where each comes from", run: listSettings},
	}
}

// Lookup finds a command by its name on the wire.
func Lookup(name string) (Command, bool) {
	for _, c := range Table() {
		if c.Name == name {
			return c, true
		}
	}
	return Command{}, false
}

// Cancelled is the answer of a command that was cancelled with nothing left behind. It is a result and no error:
// Neovim drops replies with an error code for that, so a waiting user interface would hang.
type Cancelled struct {
	Status   string    `json:"status"` // "cancelled"
	Warnings []Warning `json:"warnings,omitempty"`
}

// Run runs one command. The error is always a *Failure. progress and env.Notify may be called until it returns.
func Run(ctx context.Context, env *Env, name string, argument json.RawMessage, progress Progress) (result any, failed *Failure) {
	if progress == nil {
		progress = silent{}
	}
	command, ok := Lookup(name)
	if !ok {
		return nil, refuse("unknownCommand", "name", name)
	}
	p := &leaving{to: progress}
	p.written.Store(command.writes)
	type end struct {
		result any
		failed *Failure
	}
	came, hangs := patiently(ctx, env.Patience, func(ctx context.Context) (e end) {
		e.result, e.failed = runOne(ctx, env, command, argument, p)
		return e
	})
	if hangs == nil {
		return came.result, came.failed
	}
	p.left.Store(true)
	if p.written.Load() {
		hangs.Effect = Uncertain
	}
	env.log().Error("a command hangs", zap.String("command", name), zap.String("detail", hangs.Detail))
	return nil, hangs
}

// runOne runs one command of the table.
func runOne(ctx context.Context, env *Env, command Command, argument json.RawMessage, progress Progress) (result any, failed *Failure) {
	name := command.Name
	defer func() {
		if r := recover(); r != nil {
			env.log().Error("panic", zap.String("command", name), zap.Any("value", r), zap.ByteString("stack", debug.Stack()))
			// What was written is rolled back by the command's own deferred undo, but nobody proved it.
			result, failed = nil, &Failure{Reason: reason("internal", nil), Effect: Uncertain, Detail: fmt.Sprint(r)}
		}
	}()
	result, err := command.run(ctx, env, argument, progress)
	if err == nil {
		return result, nil
	}
	failed = failureOf(err)
	if no, hung := errors.AsType[*Failure](context.Cause(ctx)); hung {
		failed = &Failure{Reason: no.Reason, Effect: failed.Effect, Detail: no.Detail}
	} else if ctx.Err() != nil && (failed.Effect == Nothing || failed.Effect == RolledBack) {
		return Cancelled{Status: "cancelled"}, nil
	}
	env.log().Info("failed", zap.String("command", name), zap.String("code", failed.Reason.Code),
		zap.String("effect", string(failed.Effect)), zap.String("detail", failed.Detail))
	return nil, failed
}

// failureOf is a command's error as a client gets it.
func failureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	r, detail := reasonOf(err)
	return &Failure{Reason: r, Effect: Nothing, Detail: detail}
}
