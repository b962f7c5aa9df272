package commands

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands/setup"
)

// The repository's teardown in a workspace whose folder is about to go: of the same file as its setup, under the same trust.

// leftLimit is how long what a teardown has left running may take to end: it would write in what is being removed.
const leftLimit = 2 * time.Second

// runTeardown runs the teardown that the workspace's setup names, if that is trusted as it is there now. One that does not
// run, or fails, is a warning; a cancel is a failure, since nobody knows what it has done. ran: something has run.
func runTeardown(ctx context.Context, env *Env, at worktree.Worktree, family []worktree.Worktree, id string) (ran bool, said []Warning, err error) {
	if at.Missing {
		return false, nil, nil
	}
	c, err := findSetup(ctx, env, at, family, setup.Disk(at.Path))
	if no, refused := errors.AsType[refusal](err); refused {
		return false, []Warning{warning(no.ReasonCode(), no.ReasonDetail(), pairs(no.ReasonArgs())...)}, nil
	}
	if err != nil || c.found == nil || len(c.found.Teardown) == 0 {
		return false, nil, err
	}
	file := c.found.Source
	switch {
	case c.policy != "run":
		return false, []Warning{warning("teardownNotRun", "", "file", file, "policy", c.policy)}, nil
	case !c.trusted:
		detail := printableText(strings.Join(c.found.Teardown, "\n"))
		return false, []Warning{warning("teardownNotTrusted", detail, "file", file, "hash", c.found.Hash)}, nil
	}
	defer pulse.Hold(ctx)() // the repository's programs take the time that they take
	log, err := setup.NewLog(env.state("setup"), id)
	if err != nil {
		return false, []Warning{warning("teardownFailed", err.Error(), "file", file, "status", "-1")}, nil
	}
	defer log.Close()
	parent := at.Path
	if l, err := worktree.ReadLineage(at.GitDir); err == nil && l != nil && l.Parent != "" {
		parent = l.Parent
	}
	limit := env.setupLimit()
	r := setup.Run(ctx, c.found.Teardown, setup.Place{Root: mainCheckout(family, at), Parent: parent, Child: at.Path, Branch: at.Branch}, limit, log)
	r.Left.End(leftLimit)
	tail := printableText(setup.Tail(log))
	switch {
	case ctx.Err() != nil:
		return true, nil, &Failure{Reason: reason("teardownCancelled", map[string]string{"file": file, "path": at.Path}), Effect: Kept, Detail: tail}
	case r.Late:
		return true, []Warning{warning("teardownTooLong", tail, "file", file, "limit", limit.String())}, nil
	case r.Exit == 0 && r.Err == nil:
		_ = os.Remove(log.Name()) // nobody is told of it
		return true, nil, nil
	}
	if r.Err != nil {
		env.log().Warn("teardown", zap.Error(r.Err))
		tail += r.Err.Error()
	}
	return true, []Warning{warning("teardownFailed", tail+"\n"+log.Name(), "file", file, "status", strconv.Itoa(r.Exit))}, nil
}
