package commands

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/worktree"
)

const (
	refsSource = "sidefork.refs" // what a fork can start from
	mostRefs   = 50              // entries of one answer: who wants another types more of its name
	sortWithin = time.Second     // for git to put refs in the order of their commits
)

// refsConfig says whose refs.
type refsConfig struct {
	Workspace string `json:"workspace"`
}

// ListEnumParams are those of interactive/listEnum.
type ListEnumParams struct {
	Source string          `json:"source"`
	Config json.RawMessage `json:"config,omitempty"`
	Query  string          `json:"query"` // a part of what is looked for; "": the first ones
}

// ListEnum answers interactive/listEnum.
func ListEnum(ctx context.Context, env *Env, p ListEnumParams) ([]FormEntry, *Failure) {
	if p.Source != refsSource {
		return nil, refuse("invalidArgument", "what", "there is no source "+Printable(p.Source))
	}
	var config refsConfig
	if err := decode(p.Config, &config); err != nil {
		return nil, failureOf(err)
	}
	for _, err := range []error{required("workspace", config.Workspace), absolute("workspace", config.Workspace)} {
		if err != nil {
			return nil, failureOf(err)
		}
	}
	entries, err := listRefs(ctx, env, config.Workspace, strings.TrimSpace(p.Query))
	if err != nil {
		return nil, failureOf(err)
	}
	return entries, nil
}

// listRefs gives the parent's commit and the repository's default on top, then branches and tags, those first whose commits
// are the youngest; last, where nothing is called so, the commit that the query names.
func listRefs(ctx context.Context, env *Env, workspace, query string) ([]FormEntry, error) {
	at, err := open(ctx, workspace)
	if err != nil {
		return nil, err
	}
	entries := []FormEntry{}
	add := func(e FormEntry) {
		if len(entries) < mostRefs && strings.Contains(strings.ToLower(e.Description), strings.ToLower(query)) {
			entries = append(entries, e)
		}
	}
	for _, e := range env.topRefs(&at, worktree.DefaultBranch(ctx, at), at.Branch) {
		add(e)
	}
	refs, err := worktree.Refs(ctx, at, sortWithin)
	if err != nil {
		return nil, err
	}
	for _, r := range refs {
		name := "ref:" + r.Name
		if Printable(r.Name) != r.Name { // no value that a client shows may do anything there
			name = "ref:" + r.Object
		}
		add(FormEntry{name, env.refInWords(r.Name)})
	}
	if len(entries) == 0 && query != "" {
		if oid, no := worktree.ResolveCommit(ctx, at, query); no == nil {
			entries = append(entries, FormEntry{"ref:" + oid, env.inWords("commit", "name", query+", "+oid[:min(len(oid), 8)])})
		}
	}
	return entries, nil
}

// topRefs are the two that have a name of their own. What is not known yet is left out.
func (e *Env) topRefs(at *worktree.Worktree, standard, name string) []FormEntry {
	if at == nil {
		return []FormEntry{{"parentCommit", e.inWords("parentPending", "name", name)}}
	}
	on := at.Branch
	if on == "" {
		on = name
	}
	entries := []FormEntry{{"parentCommit", e.inWords("parentCommit", "name", on, "commit", at.Head[:min(len(at.Head), 8)])}}
	if standard != "" {
		entries = append(entries, FormEntry{"repositoryDefault", e.inWords("standard", "name", standard)})
	}
	return entries
}

// refInWords is a ref as a person calls it.
func (e *Env) refInWords(ref string) string {
	for _, folder := range []string{"refs/heads/", "refs/remotes/", "refs/tags/"} {
		if short, found := strings.CutPrefix(ref, folder); found {
			if folder == "refs/tags/" {
				return e.inWords("tag", "name", short)
			}
			return Printable(short)
		}
	}
	return Printable(ref)
}
