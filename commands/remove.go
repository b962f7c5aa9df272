package commands

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
)

// RemoveParams name a workspace, by its top level, that is to be removed.
type RemoveParams struct {
	OperationID string   `json:"operationId,omitempty"`
	Workspace   string   `json:"workspace"`
	Repository  string   `json:"repository,omitempty"` // a folder of its repository, for one whose folder is gone; else the client's folders are asked
	Branch      bool     `json:"branch,omitempty"`     // its branch too
	Force       []string `json:"force,omitempty"`      // codes of refusals that are not to count
}

// RemoveResult is what was removed, and how it comes back.
type RemoveResult struct {
	Removed    string       `json:"removed"`
	Branch     string       `json:"branch,omitempty"` // that was removed
	Reparented []string     `json:"reparented"`       // workspaces that were forked from it
	Saved      string       `json:"saved,omitempty"`  // the ref that holds what was not committed, or was nowhere else
	Inside     []Saved      `json:"inside,omitempty"` // the same of its submodules
	Restore    [][]string   `json:"restore"`          // the git commands that bring it back, in their order
	Lost       []carry.Left `json:"lost"`             // what is stored nowhere: ignored files, special files
	Warnings   []Warning    `json:"warnings,omitempty"`
}

// Saved is where the work of a submodule is.
type Saved struct {
	Path string `json:"path"`
	Ref  string `json:"ref"`
}

// remove removes a workspace. Whatever would be lost with it is refused, all of it at once, unless that kind is forced.
func remove(ctx context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	p, err := decodeRemove(argument)
	if err != nil {
		return nil, err
	}
	at, family, warnings, err := registeredAt(ctx, env, p.Workspace, p.Repository)
	if err != nil {
		return nil, err
	}
	r := removing{
		env: env, at: at, family: family, id: p.OperationID, force: p.Force, forcible: carry.Forcible, whenStuck: "removeStuck",
		look: func() (*carry.Removal, error) { return carry.LookToRemove(ctx, at, family, p.Branch) },
	}
	var result *RemoveResult
	err = r.run(ctx, func(found *carry.Removal, saved []carry.Saved, said []Warning) any {
		result = removed(at, family, found, p, saved)
		result.Warnings = append(warnings, said...)
		return result
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// removing is a removal or an archiving.
type removing struct {
	env       *Env
	at        worktree.Worktree
	family    []worktree.Worktree
	id        string
	force     []string
	forcible  func(code string) bool
	whenStuck string
	look      func() (*carry.Removal, error)
}

// run refuses whatever speaks against it, runs the repository's teardown, looks again where that has done anything, and only
// then removes. tell makes the answer of it.
func (r removing) run(ctx context.Context, tell func(found *carry.Removal, saved []carry.Saved, said []Warning) any) (err error) {
	found, err := r.decide(ctx)
	if err != nil {
		return err
	}
	defer func() { found.Close() }()
	undo, err := carry.Begin(ctx, r.at, r.id)
	if err != nil {
		return err
	}
	defer undo.Close()
	var result any
	defer func() { remember(ctx, undo, result, err) }()
	ran, said, err := runTeardown(ctx, r.env, r.at, r.family, r.id)
	if err != nil {
		return err
	}
	if ran {
		again, err := r.decide(ctx)
		if err != nil {
			no := failureOf(err)
			return &Failure{Reason: no.Reason, Reasons: no.Reasons, Effect: Kept, Detail: strings.Join(nonEmpty([]string{"The teardown has run.", no.Detail}), "\n")}
		}
		found.Close()
		found = again
	}
	saved, err := undo.Remove(ctx, found)
	if stuck := undo.Stuck(err); stuck != nil {
		return &Failure{Reason: reason(r.whenStuck, map[string]string{"path": r.at.Path}), Effect: Kept, Detail: strings.Join(nonEmpty(append([]string{stuck.Error()}, stuck.Paths...)), "\n")}
	}
	if err != nil {
		return rollBack(ctx, undo, err)
	}
	result = tell(found, saved, said)
	return nil
}

// decide looks at all that would be lost, and refuses.
func (r removing) decide(ctx context.Context) (*carry.Removal, error) {
	found, err := r.look()
	if err != nil {
		return nil, err
	}
	if err = lookAtAgents(ctx, r.env, r.at, r.family, found); err == nil {
		err = refusedAll(found.Refusals, r.force, r.forcible)
	}
	if err != nil {
		found.Close()
		return nil, err
	}
	return found, nil
}

// removed is the answer of a removal.
func removed(at worktree.Worktree, family []worktree.Worktree, found *carry.Removal, p RemoveParams, saved []carry.Saved) *RemoveResult {
	result := &RemoveResult{Removed: at.Path, Reparented: []string{}, Lost: append([]carry.Left{}, found.Lost...)}
	if p.Branch {
		result.Branch = at.Branch
	}
	for _, child := range found.Children {
		result.Reparented = append(result.Reparented, child.Path)
	}
	for _, s := range saved {
		if s.Path == "" {
			result.Saved = s.Ref
		} else {
			result.Inside = append(result.Inside, Saved{s.Path, s.Ref})
		}
	}
	result.Restore = restoring(family[0].Path, at, p.Branch, saved)
	return result
}

// restoring are the commands that bring a removed workspace back, with what was not committed. root is the main checkout.
func restoring(root string, at worktree.Worktree, branch bool, saved []carry.Saved) [][]string {
	add := []string{"git", "-C", root, "worktree", "add"}
	switch {
	case at.Branch == "":
		add = append(add, "--detach", at.Path, at.Head)
	case branch:
		add = append(add, "-b", at.Branch, at.Path, at.Head)
	default:
		add = append(add, at.Path, at.Branch)
	}
	commands := [][]string{add}
	for _, s := range saved {
		top := filepath.Join(at.Path, filepath.FromSlash(s.Path))
		ref := s.Ref
		if s.Path != "" {
			commands = append(commands, []string{"git", "-C", at.Path, "submodule", "update", "--init", "--recursive"},
				[]string{"git", "-C", top, "fetch", at.CommonDir, s.Ref})
			ref = "FETCH_HEAD"
			if !s.Stash {
				commands = append(commands, []string{"git", "-C", top, "checkout", "--detach", "FETCH_HEAD"})
			} else {
				commands = append(commands, []string{"git", "-C", top, "checkout", "--detach", "FETCH_HEAD^1"})
			}
		}
		if s.Stash {
			commands = append(commands, []string{"git", "-C", top, "stash", "apply", "--index", ref})
		}
	}
	return commands
}

// lookAtAgents adds the refusals about sessions that run in the workspace, or may.
func lookAtAgents(ctx context.Context, env *Env, at worktree.Worktree, family []worktree.Worktree, found *carry.Removal) error {
	if env.Memory.isSettingUp(at.Path) {
		return refuse("setupRunning", "path", at.Path)
	}
	page, err := sessions.List(ctx, env.sessions(), sessions.Query{Worktrees: paths(family), Only: at.Path})
	if err != nil {
		return err
	}
	of := map[agent.State][]string{}
	for _, s := range page.Sessions {
		of[s.State] = append(of[s.State], s.ID.Agent+" "+s.ID.ID)
	}
	if ids := of[agent.Live]; len(ids) > 0 {
		found.Add(worktree.Refuse("agentLive", "sessions", someOf(ids)))
	}
	if ids := of[agent.Unknown]; len(ids) > 0 {
		found.Add(worktree.Refuse("agentMaybeLive", "sessions", someOf(ids)))
	}
	return nil
}

// refusedAll is one failure with every refusal that is not forced; nil where there is none.
func refusedAll(all []*carry.Refusal, force []string, forcible func(code string) bool) error {
	var no *Failure
	for _, one := range all {
		if forcible(one.Code) && slices.Contains(force, one.Code) {
			continue
		}
		why, detail := reasonOf(one)
		if no == nil {
			no = &Failure{Reason: why, Effect: Nothing}
		}
		no.Reasons = append(no.Reasons, why)
		if detail != "" {
			no.Detail += why.Code + ":\n" + printableText(detail) + "\n"
		}
	}
	if no == nil {
		return nil
	}
	no.Detail = strings.TrimSuffix(no.Detail, "\n")
	if len(no.Reasons) == 1 {
		no.Reasons = nil
	}
	return no
}

func decodeRemove(argument json.RawMessage) (RemoveParams, error) {
	var p RemoveParams
	if err := decode(argument, &p); err != nil {
		return p, err
	}
	if err := checkGoing(p.Workspace, p.Repository, &p.OperationID); err != nil {
		return p, err
	}
	for _, kind := range p.Force {
		if !carry.Forcible(kind) {
			return p, refuse("invalidArgument", "what", Printable(kind)+" is nothing that can be forced")
		}
	}
	return p, nil
}

// checkGoing checks what a workspace that is to go is named by, and gives the operation an id where it has none.
func checkGoing(workspace, repository string, operationID *string) error {
	if *operationID == "" {
		*operationID = uuid.NewString()
	}
	for _, err := range []error{
		required("workspace", workspace), absolute("workspace", workspace), checkOperationID(*operationID), absolute("repository", repository),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}
