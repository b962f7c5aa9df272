// Package remote is sidefork on another machine: it runs `sidefork serve` there by the user's own ssh, and is its client.
//
// New is the entry; a Host has the same functions as package commands has for this machine (Run, Resolve, ListEnum), so that
// the command line need not know where a command runs. The host owns everything: paths, agents, git, settings, trust. Nothing
// falls back to this machine: what cannot be done there is refused, with the remedy.
//
//	ssh*.go   how ssh is started, and why it did not come to a sidecar
//	host.go   commands there, over one connection that is kept
//	hear.go   what a sidecar there tells unasked
//	lost.go   what is said when the connection breaks in the middle
//	install.go  putting sidefork there
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sidecar/client"
)

// Options are what a Host is made of.
type Options struct {
	Name    string   // USER@BOX, checked by CheckName
	SSH     string   // the program
	Version string   // of this sidefork
	Set     []string // settings for this time, NAME=VALUE
	// Hears gets what ssh and the host say on stderr, line by line, without control characters. nil: it goes into the detail of
	// a failure.
	Hears func(line string)
	// Says gets what the user ought to know meanwhile. nil: nobody does.
	Says func(english string, a ...any)
	// Locale is the language that the host is to answer in, as LSP has it.
	Locale string
	// Waits are those between the attempts to reach the host again. nil: 0 to 30 s, about a minute in all.
	Waits []time.Duration
	// Attempt is how long one of them may take. 0: 30 s.
	Attempt time.Duration
	// Poll is the time between two questions whether an operation still runs. 0: 1 s.
	Poll time.Duration
	// Silence is how long a host may say nothing while an answer is awaited: client.Options.
	Silence time.Duration
}

// Host is another machine. Its connection is made when it is first needed, and kept until Close.
type Host struct {
	opt Options

	mu     sync.Mutex
	now    *connection // nil: none
	tells  func(method string, params any)
	going  map[string]commands.Progress // by token
	tokens int
}

// New is a host by its name.
func New(opt Options) (*Host, *commands.Failure) {
	if failed := CheckName(opt.Name); failed != nil {
		return nil, failed
	}
	if opt.Waits == nil {
		opt.Waits = []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second, 30 * time.Second}
	}
	if opt.Attempt == 0 {
		opt.Attempt = 30 * time.Second
	}
	if opt.Poll == 0 {
		opt.Poll = time.Second
	}
	return &Host{opt: opt, going: map[string]commands.Progress{}}, nil
}

// Name is the host's name, as ssh gets it.
func (h *Host) Name() string { return h.opt.Name }

// Close ends the connection, if there is one.
func (h *Host) Close() {
	h.mu.Lock()
	c := h.now
	h.now = nil
	h.mu.Unlock()
	if c != nil {
		c.hangUp()
	}
}

// reach gives the connection, a new one where there is none. The error is a *commands.Failure or errInterrupted.
func (h *Host) reach(ctx context.Context) (*connection, error) {
	h.mu.Lock()
	c := h.now
	h.mu.Unlock()
	if c != nil {
		select {
		case <-c.Ended():
			h.drop(c)
		default:
			return c, nil
		}
	}
	c, err := h.connect(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.now = c
	h.mu.Unlock()
	return c, nil
}

// drop forgets a connection that is of no more use.
func (h *Host) drop(c *connection) {
	h.mu.Lock()
	if h.now == c {
		h.now = nil
	}
	h.mu.Unlock()
	c.ssh.end(0)
}

// Connect makes the connection, if there is none. Of one that a person did not want IsCancelled says so.
func (h *Host) Connect(ctx context.Context) *commands.Failure {
	c, err := h.reach(ctx)
	if err != nil {
		return failureOf(err)
	}
	return h.takes(ctx, c)
}

// takes refuses a sidecar that does not know a setting which was asked for, and would go on without it.
func (h *Host) takes(ctx context.Context, c *connection) *commands.Failure {
	if len(h.opt.Set) == 0 {
		return nil
	}
	var r commands.SettingsResult
	raw, err := c.Call(ctx, "workspace/executeCommand", map[string]any{"command": "sidefork.settings", "arguments": []any{struct{}{}}})
	if err != nil || json.Unmarshal(raw, &r) != nil {
		return h.tooOld(c.Server, "--set")
	}
	for _, setting := range h.opt.Set {
		name, _, _ := strings.Cut(setting, "=")
		if !slices.ContainsFunc(r.Settings, func(s commands.Setting) bool { return s.Name == name && s.Origin == "--set" }) {
			return h.tooOld(c.Server, "the setting "+name)
		}
	}
	return nil
}

// Lost is closed when the connection that there is now has ended.
func (h *Host) Lost() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.now == nil {
		ended := make(chan struct{})
		close(ended)
		return ended
	}
	return h.now.Ended()
}

// Path is a path there as its sidecar wants it: absolute. A relative one is taken from where the sidecar was started, which by
// ssh is the user's home, as for scp. It wants Connect first. The error is a *commands.Failure.
func (h *Host) Path(given string) (string, error) {
	h.mu.Lock()
	c := h.now
	h.mu.Unlock()
	switch {
	case c == nil:
		return "", h.unreachable("")
	case c.Server.Platform == "windows":
		return given, nil // a relative one is refused there
	case path.IsAbs(given):
		return path.Clean(given), nil
	case c.Server.Cwd == "":
		return "", h.tooOld(c.Server, "relative paths")
	}
	return path.Join(c.Server.Cwd, given), nil
}

func (h *Host) tooOld(s client.Server, what string) *commands.Failure {
	return commands.Refuse("hostTooOld", "host", h.opt.Name, "version", s.Version, "what", what)
}

// IsCancelled says whether a failure is that a person did not want it any more, with nothing begun.
func IsCancelled(f *commands.Failure) bool {
	return f.Reason.Code == "interrupted" && f.Effect == commands.Nothing
}

func failureOf(err error) *commands.Failure {
	if errors.Is(err, errInterrupted) {
		return commands.Refuse("interrupted")
	}
	if f, ok := errors.AsType[*commands.Failure](err); ok {
		return f
	}
	return &commands.Failure{Reason: commands.Refuse("internal").Reason, Effect: commands.Uncertain, Detail: err.Error()}
}

// Run runs one command there, as commands.Run does here.
func (h *Host) Run(ctx context.Context, env *commands.Env, name string, argument []byte, progress commands.Progress) (any, *commands.Failure) {
	op := operationOf(name, argument)
	for losses := 0; ; losses++ {
		c, err := h.reach(ctx)
		if errors.Is(err, errInterrupted) {
			return commands.Cancelled{Status: "cancelled"}, nil
		}
		if err != nil {
			return nil, failureOf(err)
		}
		if !c.Server.Serves(name) {
			return nil, h.tooOld(c.Server, strings.TrimPrefix(name, "sidefork."))
		}
		if feature := needs(name, argument); feature != "" && !c.Server.Serves(feature) {
			return nil, h.tooOld(c.Server, feature)
		}
		op.find(ctx, c)
		result, err := h.execute(ctx, c, env, op.argument, name, progress)
		switch {
		case err == nil:
			return result, nil
		case !errors.Is(err, client.ErrLost):
			return nil, h.refusal(c.Server, err)
		case op.reads && losses < mostRepeats && ctx.Err() == nil: // it can be asked again
			if _, err := h.again(ctx, c); err != nil {
				return nil, failureOf(err)
			}
		case op.reads && ctx.Err() != nil:
			h.drop(c)
			return commands.Cancelled{Status: "cancelled"}, nil
		case op.reads:
			h.drop(c)
			return nil, h.unreachable(err.Error())
		default:
			return h.become(ctx, c, op)
		}
	}
}

// needs is the feature beside a command's own that an argument takes; "" for none. What an older sidecar does not know it
// refuses too, but by the name of a field.
func needs(name string, argument json.RawMessage) string {
	var p struct {
		Copies       int
		At           string
		OnDisconnect string
		Turns        bool
		Transcript   json.RawMessage
	}
	_ = json.Unmarshal(argument, &p) // what it is not, is refused there
	switch {
	case p.Copies > 1:
		return "copies"
	case p.At != "" || p.Turns:
		return "turns"
	case p.OnDisconnect == "finish":
		return "onDisconnect"
	case p.Transcript != nil:
		return "transcripts"
	}
	return ""
}

// mostRepeats is how often a question is asked again whose answer did not come.
const mostRepeats = 3

// execute sends one command and hears of its progress.
func (h *Host) execute(ctx context.Context, c *connection, env *commands.Env, argument json.RawMessage, name string, progress commands.Progress) (json.RawMessage, error) {
	h.mu.Lock()
	h.tokens++
	token := fmt.Sprint("sidefork-", h.tokens)
	h.tells = env.Notify
	h.going[token] = progress
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.going, token)
	}()
	return c.Call(ctx, "workspace/executeCommand", map[string]any{"command": name, "arguments": []json.RawMessage{argument}, "workDoneToken": token})
}

// refusal is a sidecar's error as a failure.
func (h *Host) refusal(s client.Server, err error) *commands.Failure {
	no, ok := errors.AsType[*client.Error](err)
	if !ok {
		return failureOf(err)
	}
	var f commands.Failure
	switch {
	case json.Unmarshal(no.Data, &f) == nil && f.Reason.Code != "":
		return &f
	case no.Code == client.MethodNotFound:
		return h.tooOld(s, "this")
	}
	f = *commands.Refuse("hostNotUnderstood", "host", h.opt.Name, "what", no.Message)
	f.Effect = commands.Uncertain
	return &f
}

// Resolve asks for a form there, as commands.Resolve does here.
func (h *Host) Resolve(ctx context.Context, env *commands.Env, p commands.ResolveParams) (commands.ResolveParams, func(), *commands.Failure) {
	var form commands.ResolveParams
	failed := h.question(ctx, env, "command/resolve", p, &form)
	return form, func() {}, failed
}

// ListEnum asks for a long list of a form there, as commands.ListEnum does here.
func (h *Host) ListEnum(ctx context.Context, env *commands.Env, p commands.ListEnumParams) (list []commands.FormEntry, failed *commands.Failure) {
	return list, h.question(ctx, env, "interactive/listEnum", p, &list)
}

// question asks what writes nothing, and asks again where a connection broke.
func (h *Host) question(ctx context.Context, env *commands.Env, method string, params, into any) *commands.Failure {
	for losses := 0; ; losses++ {
		c, err := h.reach(ctx)
		if err != nil {
			return failureOf(err)
		}
		if !c.Server.Serves("form") {
			return h.tooOld(c.Server, "the dialog")
		}
		h.mu.Lock()
		h.tells = env.Notify
		h.mu.Unlock()
		raw, err := c.Call(ctx, method, params)
		switch {
		case err == nil:
			if err := json.Unmarshal(raw, into); err != nil {
				return commands.Refuse("hostNotUnderstood", "host", h.opt.Name, "what", err.Error())
			}
			return nil
		case !errors.Is(err, client.ErrLost):
			return h.refusal(c.Server, err)
		case losses == mostRepeats || ctx.Err() != nil:
			h.drop(c)
			return h.unreachable(err.Error())
		}
		if _, err := h.again(ctx, c); err != nil {
			return failureOf(err)
		}
	}
}
