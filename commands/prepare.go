package commands

import (
	"context"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/pulse"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands/setup"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
	"golang.org/x/sync/errgroup"
)

// The steps of a fork that decide and write nothing, in fork.go's order.

// base is the commit a child starts from.
type base struct {
	oid      string
	carry    bool               // the parent's uncommitted changes come along
	follows  *worktree.Upstream // what editors are to compare the child with; nil: the parent's branch is not published
	warnings []Warning
}

// chooseBase resolves what the child starts from to an object id. The parent's commit is its HEAD as it was just read,
// never a branch or a remote-tracking ref. Changes can only come along from there.
func chooseBase(ctx context.Context, parent worktree.Worktree, p ForkParams) (base, error) {
	wanted := p.Carry == nil || *p.Carry
	ref := p.Base.Ref
	switch p.Base.Kind {
	case "parentCommit":
		b := base{oid: parent.Head, carry: wanted}
		if p.Child == nil || *p.Child {
			var err error
			if b.follows, err = parent.Published(ctx); err != nil {
				return base{}, err
			}
		}
		return b, nil
	case "repositoryDefault":
		ref = worktree.DefaultBranch(ctx, parent)
	}
	oid, no := worktree.ResolveCommit(ctx, parent, ref)
	if no != nil {
		return base{}, no
	}
	b := base{oid: oid, carry: wanted && oid == parent.Head}
	switch {
	case b.carry || !wanted:
	case p.Carry != nil, len(p.Include) > 0:
		return base{}, refuse("carryNeedsParent")
	default:
		b.warnings = []Warning{warning("carryNeedsParent", "")}
	}
	return b, nil
}

// place is the child's branch and folder.
type place struct {
	branch, folder string
	warnings       []Warning
}

// choosePlace finds the folder of a child, and refuses one that is not free.
func choosePlace(ctx context.Context, env *Env, parent worktree.Worktree, family []worktree.Worktree, name, folder string) (place, error) {
	if folder == "" {
		folder = worktree.FreeFolder(family[0], env.Settings.Worktree.Pattern, name)
	}
	if no := worktree.CheckFolder(folder, parent); no != nil {
		return place{}, no
	}
	folder, err := worktree.Physical(folder)
	if err != nil {
		return place{}, err
	}
	there := place{branch: name, folder: folder}
	if worktree.ShowsIn(ctx, parent, folder) {
		there.warnings = []Warning{warning("insideParent", "")}
	}
	there.warnings = append(there.warnings, insideOther(ctx, parent, folder)...)
	return there, nil
}

// checkName refuses a name that cannot be a new branch, before any other git command sees it. The full name of a branch,
// which git would take for a short one and make refs/heads/refs/heads/x of, is answered with the short one.
func checkName(ctx context.Context, parent worktree.Worktree, names ...string) error {
	if short, full := strings.CutPrefix(names[0], "refs/heads/"); full {
		f := refuse("invalidName", "name", names[0])
		f.Reason.Message = Printable(names[0] + " is a branch's full name.")
		f.Reason.Remedy = Printable("Give the short one: " + short + ".")
		return f
	}
	if no := worktree.CheckName(ctx, parent, names...); no != nil {
		return no
	}
	return nil
}

// findSession finds the session that is to be forked: one of this workspace. nil for a branch-only fork.
func findSession(ctx context.Context, env *Env, parent worktree.Worktree, family []worktree.Worktree, id *agent.ID) (*agent.Session, error) {
	if id == nil {
		return nil, nil
	}
	session, err := sessions.Find(ctx, env.sessions(), *id)
	if err != nil {
		return nil, err
	}
	if session.NotForkable != nil {
		return nil, session.NotForkable
	}
	if home := sessions.Workspace(session.Cwd, paths(family)); home != parent.Path {
		if home == "" {
			home = session.Cwd
		}
		return nil, refuse("sessionElsewhere", "id", session.ID.ID, "path", home)
	}
	return &session, nil
}

// planLaunch settles how the child's agent will be started, before anything exists: the agent is installed, its version
// can fork, the session can be forked. nil for a branch-only fork.
func planLaunch(ctx context.Context, env *Env, session *agent.Session, parent worktree.Worktree, family []worktree.Worktree, there place, p ForkParams) (*agent.Launch, error) {
	request := agent.ForkRequest{Child: there.folder, Where: repositoryOf(parent, family), Name: there.branch, Prompt: p.Prompt, At: p.At}
	var launch agent.Launch
	var err error
	switch {
	case session != nil:
		request.Parent = *session
		pulse.Begin(ctx, "ask "+session.ID.Agent+" for its version")
		launch, err = sessions.PrepareLaunch(ctx, env.sessions(), *session, request)
	case p.Transcript != nil:
		launch, err = sessions.PrepareFresh(env.sessions(), sessions.Fresh{Agent: p.Transcript.Agent, Text: p.Transcript.Text}, request)
	case p.Prompt != "":
		return nil, refuse("invalidArgument", "what", "a prompt needs a session")
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &launch, nil
}

// repositoryOf is how agents know the repository that they trust.
func repositoryOf(parent worktree.Worktree, family []worktree.Worktree) agent.Repository {
	where := agent.Repository{Parent: parent.Path}
	if len(family) > 0 && family[0].Main {
		where.Path, where.Bare = family[0].Path, family[0].Bare
	}
	return where
}

// aboutTrust warns of an agent that will ask before it does anything.
func aboutTrust(launch *agent.Launch) []Warning {
	if launch == nil || launch.Trust != agent.Asks {
		return nil
	}
	return []Warning{warning("agentAsks", "", "agent", launch.Parent.Agent, "path", launch.Cwd)}
}

// mainCheckout is the repository's first checkout: what a setup copies from. Where there is none it is the parent.
func mainCheckout(family []worktree.Worktree, parent worktree.Worktree) string {
	if len(family) > 0 && family[0].Main && !family[0].Bare {
		return family[0].Path
	}
	return parent.Path
}

// registered gives all worktrees of the parent's repository, and refuses a parent that is not among them.
func registered(ctx context.Context, parent worktree.Worktree) ([]worktree.Worktree, error) {
	family, err := parent.Family(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(family, func(w worktree.Worktree) bool { return w.Path == parent.Path }) {
		return nil, refuse("notRegistered", "path", parent.Path)
	}
	return family, nil
}

// changes is a look at the parent's changes that goes on in the background.
type changes struct {
	looking errgroup.Group
	cancel  context.CancelFunc
	found   *carry.Plan // nil where nothing is to come
}

// lookAtChanges begins it. Close it.
func lookAtChanges(ctx context.Context, env *Env, parent worktree.Worktree, from base, p ForkParams) *changes {
	c := new(changes)
	ctx, c.cancel = context.WithCancel(ctx)
	if from.carry {
		c.looking.Go(func() (err error) {
			opts, err := env.forkOptions(ctx, parent, p)
			if err != nil {
				return err
			}
			c.found, err = carry.Look(ctx, parent, from.oid, opts)
			return err
		})
	}
	return c
}

// plan waits for the look to end, and refuses whatever cannot come along.
func (c *changes) plan() (*carry.Plan, error) {
	if err := c.looking.Wait(); err != nil {
		return nil, err
	}
	if c.found == nil {
		return nil, nil
	}
	if no := c.found.Refused(); no != nil {
		return nil, no
	}
	return c.found, nil
}

// aboutInclude warns of a file of patterns that was not read.
func aboutInclude(found *carry.Plan) []Warning {
	if found == nil || found.IncludeFile == "" {
		return nil
	}
	return []Warning{warning("includeIgnored", "", "what", found.IncludeFile)}
}

func (c *changes) close() {
	c.cancel()
	_ = c.looking.Wait()
	c.found.Close()
}

// forkOptions are a carry's into a new workspace: what the repository itself asks for comes too, first what its
// .worktreeinclude says, then its .sidefork.json.
func (e *Env) forkOptions(ctx context.Context, parent worktree.Worktree, p ForkParams) (carry.Options, error) {
	said, err := setup.Suggests(ctx, setup.Disk(parent.Path))
	opts := e.carryOptions(p.Staged, slices.Concat(said.Include, p.Include))
	opts.IncludeFile = true
	return opts, err
}

func (e *Env) carryOptions(staged string, include []string) carry.Options {
	limits := e.Settings.Carry
	return carry.Options{
		Unstage: staged == "unstage",
		Include: include,
		Limits: carry.Limits{
			Files: limits.MaxFiles, Bytes: limits.MaxBytes,
			IncludedFiles: limits.MaxIncludedFiles, IncludedBytes: limits.MaxIncludedBytes,
		},
	}
}

// sessions is where the agents' stores and programs are, by the user's environment and settings.
func (e *Env) sessions() sessions.Config {
	c := sessions.Config{
		Getenv: e.getenv, Programs: map[string]string{}, Homes: map[string][]string{}, Arguments: map[string][]string{},
		Terminals: e.state("terminals"), MostDraft: e.Settings.Terminals.MaxDraft,
	}
	if e.Memory != nil {
		c.Versions, c.State = &e.Memory.versions, e.state("agents")
	}
	for name, a := range e.Settings.Agents {
		c.Programs[name], c.Homes[name], c.Arguments[name] = a.Program, a.Homes, a.Arguments
	}
	return c
}

func paths(all []worktree.Worktree) []string {
	tops := make([]string, 0, len(all))
	for _, w := range all {
		if !w.Bare {
			tops = append(tops, w.Path)
		}
	}
	return tops
}
