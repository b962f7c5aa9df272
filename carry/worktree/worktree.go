// Package worktree knows git worktrees as sidefork's workspaces: which there are, whether one can be forked, how one is
// made and taken back, and who is whose child.
package worktree

// Worktree is one checkout of a repository, read at one moment.
type Worktree struct {
	Path      string // top level: absolute, physical (symlinks resolved), no trailing slash
	GitDir    string // its own git folder: <common> for the main checkout, <common>/worktrees/<id> for a linked one
	CommonDir string // the repository's shared git folder
	Head      string // object id of HEAD, 40 or 64 hex digits; "" where the branch is unborn
	Branch    string // short branch name; "" where detached (an unborn branch has its name)
	Main      bool   // the main checkout (or the bare repository itself)
	Bare      bool
	Detached  bool
	Locked    bool
	Missing   bool   // registered, but its folder is gone (git says prunable)
	Archived  bool   // missing because sidefork has archived it (ArchiveFile)
	Why       string // git's reason for Locked or Missing, where it gives one
}

// Lineage is what the child's own git folder says about where it came from: <common>/worktrees/<id>/sidefork.json.
// It survives `git switch -c` in the child, moves with `git worktree move`, and goes when the worktree goes.
type Lineage struct {
	Parent       string   `json:"parent"`       // the parent's top level; "" where it has none any more
	ParentBranch string   `json:"parentBranch"` // as it was named at the fork
	Base         string   `json:"base"`         // object id that the child started from
	Session      *Session `json:"session,omitempty"`
	Operation    string   `json:"operation"` // id of the fork that made it
}

// Session names the conversation that runs in a child, and the one it was forked from.
type Session struct {
	Agent  string `json:"agent"`
	ID     string `json:"id,omitempty"` // "" while it cannot be known
	Parent string `json:"parent"`
}

// Refusal is something that cannot be done, found out before the first write. Code is one of the codes that
// commands/reasons.go has a message and a remedy for; Args fill the named places of that message.
type Refusal struct {
	Code   string
	Args   map[string]string
	Detail string // what git or the system said, for the log and the curious
}

func (r *Refusal) Error() string { return r.Code }

// ReasonCode, ReasonArgs and ReasonDetail are how commands reads any refusal, whoever refused.
func (r *Refusal) ReasonCode() string            { return r.Code }
func (r *Refusal) ReasonArgs() map[string]string { return r.Args }
func (r *Refusal) ReasonDetail() string          { return r.Detail }

// Refuse makes a Refusal from a code and name, value, name, value….
func Refuse(code string, args ...string) *Refusal {
	r := &Refusal{Code: code, Args: map[string]string{}}
	for i := 0; i+1 < len(args); i += 2 {
		r.Args[args[i]] = args[i+1]
	}
	return r
}
