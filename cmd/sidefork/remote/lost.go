package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sidecar/client"
)

// operation is what must be known of a command to find out later what has become of it.
type operation struct {
	name       string
	argument   json.RawMessage // with an id
	reads      bool            // it writes nothing, or the same when it is asked for again
	id         string          // "" where no journal knows it
	repository string          // a folder of its repository that it does not take away
	path       string          // where a person is to look
	removes    bool
}

// repeatable are the commands that write nothing, or the same when they are asked for again.
var repeatable = []string{
	"sidefork.workspaces", "sidefork.sessions", "sidefork.inspect", "sidefork.plan", "sidefork.outcome", "sidefork.recover", "sidefork.locate",
	"sidefork.guard", "sidefork.resume", "sidefork.trust", "sidefork.settings", "sidefork.compare",
}

// operationOf reads it off a command's argument.
func operationOf(name string, argument json.RawMessage) *operation {
	op := &operation{name: name, argument: argument}
	var p struct {
		OperationID, Workspace, From, To, Dir, Repository string
		Worktree                                          json.RawMessage
		DryRun                                            bool
	}
	_ = json.Unmarshal(argument, &p) // what it is not, is refused there
	switch name {
	case "sidefork.fork":
		op.repository, op.path = p.Workspace, p.Workspace
		if p.Dir != "" {
			op.path = p.Dir
		}
		if string(p.Worktree) == `"same"` { // no workspace, no journal
			return op
		}
	case "sidefork.carry":
		op.repository, op.path, op.reads = p.From, p.To, p.DryRun
	case "sidefork.remove", "sidefork.archive":
		op.repository, op.path, op.removes = cmp.Or(p.Repository, p.Workspace), p.Workspace, true
	default:
		op.path, op.reads = p.Workspace, slices.Contains(repeatable, name)
		return op
	}
	if op.id = p.OperationID; op.id == "" {
		var fields map[string]any
		if json.Unmarshal(argument, &fields) == nil {
			op.id = uuid.NewString()
			fields["operationId"] = op.id
			if raw, err := json.Marshal(fields); err == nil {
				op.argument = raw
			}
		}
	}
	return op
}

// find asks, before a workspace is removed, for a folder that its repository keeps.
func (op *operation) find(ctx context.Context, c *connection) {
	if !op.removes {
		return
	}
	var r struct{ Repositories []struct{ Root string } }
	raw, err := c.Call(ctx, "workspace/executeCommand", map[string]any{
		"command": "sidefork.workspaces", "arguments": []any{map[string]any{"folders": []string{op.path}}},
	})
	if err == nil && json.Unmarshal(raw, &r) == nil && len(r.Repositories) == 1 {
		op.repository = r.Repositories[0].Root
	}
}

// asked is the command line that asks later what has become of it.
func (h *Host) asked(op *operation) string {
	if op.id == "" {
		return "sidefork workspaces " + Quote(op.path) + " --host " + h.opt.Name
	}
	return "sidefork outcome " + op.id + " " + Quote(op.repository) + " --host " + h.opt.Name
}

// again reaches the host again, as often as Waits has it. The error is a *commands.Failure or errInterrupted.
func (h *Host) again(ctx context.Context, was *connection) (*connection, error) {
	h.drop(was)
	var last error
	for _, wait := range h.opt.Waits {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, errInterrupted
		}
		attempt, cancel := context.WithTimeout(ctx, h.opt.Attempt)
		c, err := h.reach(attempt)
		cancel()
		if err == nil {
			return c, nil
		}
		if last = err; ctx.Err() != nil {
			break
		}
	}
	if errors.Is(last, errInterrupted) && ctx.Err() == nil {
		last = h.unreachable("it did not answer within " + h.opt.Attempt.String())
	}
	return nil, last
}

// become finds out what has become of an operation whose answer did not come, and says it as that answer would have: done,
// rolled back, failed. What cannot be found out is unknown, and never nothing.
func (h *Host) become(ctx context.Context, was *connection, op *operation) (any, *commands.Failure) {
	wanted := ctx.Err() == nil // else it was cancelled before
	if op.id == "" {
		h.drop(was)
		return nil, h.unknown(op, "")
	}
	h.say("The connection to %s was lost. Asking what has become of it there …", h.opt.Name)
	if !wanted { // the roll-back that was asked for is worth waiting for
		ctx = context.WithoutCancel(ctx)
	}
	c, err := h.again(ctx, was)
	for said := false; ; {
		if err != nil {
			return nil, h.unknown(op, detailOf(err))
		}
		var o commands.OutcomeResult
		o, err = h.outcome(ctx, c, op)
		switch {
		case errors.Is(err, client.ErrLost):
			c, err = h.again(ctx, c)
			continue
		case err != nil:
			return nil, h.unknown(op, detailOf(h.refusal(c.Server, err)))
		case o.State != "running":
			return h.told(op, o, wanted, c.Server)
		case ctx.Err() != nil:
			f := commands.Refuse("stillRunning", "host", h.opt.Name, "command", h.asked(op))
			f.Effect = commands.Uncertain
			return nil, f
		}
		if !said {
			h.say("It is still running there. Waiting for its end …")
			said = true
		}
		select {
		case <-time.After(h.opt.Poll):
		case <-ctx.Done(): // asked once more
		}
	}
}

// outcome asks once. Where the sidecar can do so, it makes sure that what has not begun will not.
func (h *Host) outcome(ctx context.Context, c *connection, op *operation) (o commands.OutcomeResult, err error) {
	ask := map[string]any{"operationId": op.id, "repository": op.repository}
	if c.Server.Serves("settle") {
		ask["settle"] = true
	}
	raw, err := c.Call(context.WithoutCancel(ctx), "workspace/executeCommand", map[string]any{"command": "sidefork.outcome", "arguments": []any{ask}})
	if err == nil {
		err = json.Unmarshal(raw, &o)
	}
	return o, err
}

// told is an outcome as the answer that did not come.
func (h *Host) told(op *operation, o commands.OutcomeResult, wanted bool, s client.Server) (any, *commands.Failure) {
	var f commands.Failure
	known := json.Unmarshal(o.Error, &f) == nil && f.Reason.Code != ""
	switch {
	case o.State == "completed" && len(o.Result) > 0:
		h.say("It was completed there.")
		return o.Result, nil
	case o.State == "completed" && op.name == "sidefork.fork": // its sidecar ended before the answer was kept
		lost := commands.Refuse("answerLost", "host", h.opt.Name, "path", op.path).Reason
		return commands.ForkResult{Status: "completed", Warnings: []commands.Warning{{Code: lost.Code, Message: lost.Message, Remedy: lost.Remedy}}}, nil
	case o.State == "rolledBack" && !wanted, o.State == "unknownOperation" && o.Settled && !wanted:
		return commands.Cancelled{Status: "cancelled"}, nil
	case o.State == "rolledBack":
		if !known {
			f = *commands.Refuse("interrupted")
		}
		f.Effect = commands.RolledBack
		return nil, &f
	case o.State == "failed":
		if !known {
			f = *commands.Refuse("rollbackStuck")
		}
		f.Effect = commands.Kept
		if o.Stands != nil {
			f.Detail = strings.TrimSpace(f.Detail + "\n" + o.Stands.Workspace)
		}
		return nil, &f
	case o.State == "unknownOperation" && o.Settled:
		return nil, commands.Refuse("notBegun", "host", h.opt.Name)
	}
	return nil, h.unknown(op, "sidefork "+s.Version+" there: "+o.State)
}

// unknown says that nobody knows.
func (h *Host) unknown(op *operation, detail string) *commands.Failure {
	f := commands.Refuse("lostContact", "host", h.opt.Name, "path", op.path, "command", h.asked(op))
	f.Effect, f.Detail = commands.Uncertain, detail
	return f
}

// detailOf is what made it impossible to find out.
func detailOf(err error) string {
	f := failureOf(err)
	return strings.TrimSpace(f.Reason.Message + "\n" + f.Detail)
}

func (h *Host) say(english string, a ...any) {
	if h.opt.Says != nil {
		h.opt.Says(english, a...)
	}
}
