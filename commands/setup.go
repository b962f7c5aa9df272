package commands

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/group"
	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands/setup"
)

// The repository's setup in a fork: settled before anything exists, run after the carry is proved.

// setupChoice is what was settled: what there is, and whether it may run.
type setupChoice struct {
	found    *setup.Setup // nil: there is none
	trusted  bool
	changes  string // a diff from what was trusted before
	policy   string // the user's or the repository's, whichever is stricter
	run      bool
	warnings []Warning
}

// setupView is a workspace as its child will have it: the parent's disk where the changes come, else the base's tree.
func setupView(parent worktree.Worktree, from base) setup.View {
	if from.carry {
		return setup.Disk(parent.Path)
	}
	return setup.Tree(parent.Path, from.oid)
}

// chooseSetup settles whether the repository's setup will run in the child. What nobody has approved does not; a run that
// was asked for and cannot be is refused, with nothing written.
func chooseSetup(ctx context.Context, env *Env, parent worktree.Worktree, family []worktree.Worktree, from base, asked *SetupChoice) (setupChoice, error) {
	c, err := findSetup(ctx, env, parent, family, setupView(parent, from))
	decision, hash := "", ""
	if asked != nil {
		decision, hash = asked.Decision, asked.Hash
	}
	if no, refused := errors.AsType[refusal](err); refused && decision != "run" { // a file that nobody can read stops no fork
		if decision == "" {
			c.warnings = append(c.warnings, warning(no.ReasonCode(), no.ReasonDetail(), pairs(no.ReasonArgs())...))
		}
		return c, nil
	}
	switch {
	case err != nil:
		return c, err
	case c.found == nil && decision == "run":
		return c, refuse("noSetup")
	case c.found == nil || decision == "skip":
		return c, nil
	}
	file := c.found.Source
	switch {
	case hash != "" && hash != c.found.Hash:
		return c, c.about("setupHashWrong")
	case decision == "run" && hash == "" && !c.trusted:
		return c, c.about("setupNotTrusted")
	case decision == "run":
		c.run = true
	case c.policy != "run":
		c.warnings = append(c.warnings, warning("setupNotRun", "", "file", file, "policy", c.policy))
	case !c.trusted:
		no := c.about("setupNotTrusted")
		c.warnings = append(c.warnings, Warning{Code: no.Reason.Code, Message: no.Reason.Message, Remedy: no.Reason.Remedy, Detail: no.Detail, Args: no.Reason.Args})
	default:
		c.run = true
	}
	return c, nil
}

// findSetup reads a workspace's setup, and what the user has said of it.
func findSetup(ctx context.Context, env *Env, at worktree.Worktree, family []worktree.Worktree, view setup.View) (setupChoice, error) {
	found, err := setup.Find(ctx, view)
	if err != nil || found == nil {
		return setupChoice{}, err
	}
	c := setupChoice{policy: setup.Stricter(setup.Stricter("run", env.Settings.Setup.Policy), found.Policy)}
	for _, name := range found.Ignored {
		c.warnings = append(c.warnings, warning("repositorySettingIgnored", "", "file", name.File, "name", name.Name))
	}
	if found.Source != "" {
		store := env.trust(at, family)
		if c.found, c.trusted = found, store.Trusts(found.Hash); !c.trusted {
			c.changes = setup.Difference(store.Last(), found.Covered)
		}
	}
	return c, nil
}

// about refuses to run a setup, and shows what it would run, and what is new in it.
func (c setupChoice) about(code string) *Failure {
	no := refuse(code, "file", c.found.Source, "hash", c.found.Hash)
	no.Detail = printableText(strings.Join(append(setupCommands(c.found), nonEmpty([]string{c.changes})...), "\n"))
	return no
}

// setupCommands are all that may run: the setup's own commands, those of its terminals, and those of its teardown.
func setupCommands(found *setup.Setup) []string {
	commands := append([]string{}, found.Commands...)
	for _, t := range found.Terminals {
		if t.Command != "" {
			commands = append(commands, t.Command)
		}
	}
	return append(commands, found.Teardown...)
}

// info is the choice as a dialog shows it; nil where there is no setup.
func (c setupChoice) info() *SetupInfo {
	if c.found == nil {
		return nil
	}
	return &SetupInfo{Source: c.found.Source, Commands: setupCommands(c.found), Hash: c.found.Hash, Trusted: c.trusted, Policy: c.policy, Teardown: c.found.Teardown, Difference: c.changes}
}

// setupRun is what ran in the child after the carry.
type setupRun struct {
	result    *SetupResult
	terminals []Terminal
	warnings  []Warning
	beside    func() // starts it once the child is the user's; nil where it has run, or does not
}

// runSetup runs the post-checkout hook, as git itself would have done, then the repository's setup: now that the carry is
// proved, whatever they do stands on top. What fails is a warning, and the fork stands; a cancel takes it back.
func runSetup(ctx context.Context, env *Env, undo *carry.Operation, child worktree.Worktree, at setup.Place, choice setupChoice) (setupRun, error) {
	defer pulse.Hold(ctx)() // the repository's programs take the time that they take; a setup has its own limit
	s := setupRun{warnings: append(runHook(ctx, undo, child), choice.warnings...)}
	if err := ctx.Err(); err != nil || choice.found == nil {
		return s, err
	}
	if choice.run && !choice.stillIn(ctx, child) {
		if ctx.Err() != nil {
			return s, context.Cause(ctx)
		}
		choice.run = false
		s.warnings = append(s.warnings, warning("setupChanged", "", "file", choice.found.Source))
	}
	s.terminals = openTerminals(choice, child.Path)
	s.result = &SetupResult{}
	switch {
	case !choice.run || len(choice.found.Commands) == 0:
		return s, nil
	case env.setsUpBeside():
		s.result.Running = true
		s.beside = func() { setUpBeside(env, undo.ID, child, at, choice) }
		return s, nil
	}
	var ran setupEnd
	err := undo.RunSetup(func() group.Jobs {
		ran = performSetup(ctx, env, undo.ID, choice.found, at)
		return ran.left
	})
	if ctx.Err() != nil {
		if ran.Log != "" {
			_ = os.Remove(ran.Log)
		}
		return s, context.Cause(ctx)
	}
	s.result = &ran.SetupResult
	if ran.warning != nil {
		s.warnings = append(s.warnings, *ran.warning)
	}
	return s, err
}

// stillIn says whether the child has the setup that was settled.
func (c setupChoice) stillIn(ctx context.Context, child worktree.Worktree) bool {
	now, err := setup.Find(ctx, setup.Disk(child.Path))
	return err == nil && now != nil && now.Hash == c.found.Hash
}

// setupEnd is what became of a setup's commands.
type setupEnd struct {
	SetupResult
	warning *Warning
	left    group.Jobs // what they have left running
}

// performSetup runs a setup's commands. The log stays where something can be read in it that the user may want to know.
func performSetup(ctx context.Context, env *Env, operationID string, found *setup.Setup, at setup.Place) (end setupEnd) {
	warn := func(w Warning) { end.warning = &w }
	log, err := setup.NewLog(env.state("setup"), operationID)
	if err != nil {
		warn(warning("setupFailed", err.Error(), "file", found.Source, "status", "-1"))
		return end
	}
	defer log.Close()
	limit := env.setupLimit()
	r := setup.Run(ctx, found.Commands, at, limit, log)
	end.SetupResult, end.left = SetupResult{Ran: true, ExitCode: &r.Exit, Log: log.Name()}, r.Left
	if r.Exit == 0 {
		return end
	}
	end.Tail = printableText(setup.Tail(log))
	switch {
	case ctx.Err() != nil:
		warn(warning("setupStopped", end.Tail, "file", found.Source))
		return end
	case r.Late:
		warn(warning("setupTooLong", end.Tail, "file", found.Source, "limit", limit.String()))
		return end
	case r.Err != nil:
		env.log().Warn("setup", zap.Error(r.Err))
		end.Tail += r.Err.Error()
	}
	warn(warning("setupFailed", end.Tail, "file", found.Source, "status", strconv.Itoa(r.Exit)))
	return end
}

// setupLimit is how long a setup, or a teardown, may take.
func (e *Env) setupLimit() time.Duration {
	if limit := time.Duration(e.Settings.Setup.TimeLimit) * time.Second; limit > 0 {
		return limit
	}
	return 30 * time.Minute
}

// runHook runs the post-checkout hook. One that fails or writes is a warning.
func runHook(ctx context.Context, undo *carry.Operation, child worktree.Worktree) (warnings []Warning) {
	hook := undo.RunHook(ctx, child)
	if hook.Failed {
		warnings = append(warnings, warning("hookFailed", hook.Output, "status", strconv.Itoa(hook.Exit)))
	}
	if len(hook.Changed) > 0 {
		said := hook.Output
		if hook.Failed {
			said = "" // the other warning has it
		}
		warnings = append(warnings, warning("hookWrote", said, "paths", someOf(hook.Changed)))
	}
	return warnings
}

// openTerminals are the terminals that the client is to open, with their commands only where those were approved.
func openTerminals(c setupChoice, folder string) (list []Terminal) {
	for _, t := range c.found.Terminals {
		open := Terminal{Title: Printable(t.Title), Cwd: folder}
		if c.run {
			open.CommandLine = t.Command
		}
		list = append(list, open)
	}
	return list
}

// trust is where the user's trust in a repository's setup is kept.
func (e *Env) trust(at worktree.Worktree, family []worktree.Worktree) setup.Store {
	return setup.Store{Folder: e.state("trust"), Common: at.CommonDir, Tops: append(paths(family), at.Path)}
}

// state is a folder of sidefork's in the user's own state: $XDG_STATE_HOME/sidefork/NAME; "" where there is no place for it.
func (e *Env) state(name string) string {
	state := e.getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(e.getenv("HOME"), ".local", "state")
		if runtime.GOOS == "windows" {
			state = e.getenv("LocalAppData")
		}
	}
	if !filepath.IsAbs(state) {
		return ""
	}
	return filepath.Join(state, "sidefork", name)
}

func pairs(args map[string]string) (list []string) {
	for name, value := range args {
		list = append(list, name, value)
	}
	return list
}
