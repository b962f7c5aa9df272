package carry

import "fmt"

// Step is one write of an operation, recorded before it happens. Exactly one field is set. It is all that taking the
// write back needs to know: the same code does it in this process, or in the next one after a crash.
type Step struct {
	Workspace *WorkspaceStep `json:"workspace,omitempty"`
	Carry     *CarryStep     `json:"carry,omitempty"`
	Submodule *SubmoduleStep `json:"submodule,omitempty"`
	Removal   *RemovalStep   `json:"removal,omitempty"`
	Restore   *RestoreStep   `json:"restore,omitempty"`
}

// WorkspaceStep is the making of a branch and a worktree.
type WorkspaceStep struct {
	Path       []byte   `json:"path"`       // the child's top level, physical
	Branch     string   `json:"branch"`     // short name, made by this step
	Base       string   `json:"base"`       // object id that branch and child start from
	Existed    bool     `json:"existed"`    // the folder was there before, empty: it stays
	Folders    [][]byte `json:"folders"`    // parent folders that were not there before, outermost first
	GitFolders []string `json:"gitFolders"` // folders below the common git folder that were not there before, outermost first
	Entries    []exact  `json:"entries"`    // names in <common>/worktrees before
	Reflog     bool     `json:"reflog"`     // an earlier branch's reflog was there, though the branch was not
	Config     string   `json:"config"`     // the branch's section in the shared configuration, as it is put at the end; "" for none
}

// SubmoduleStep is the making of a submodule's own store in a child that this operation makes, and its checkout.
type SubmoduleStep struct {
	Path   string `json:"path"`   // its top level, in the child
	GitDir string `json:"gitDir"` // its store, below <child's git folder>/modules
	Base   string `json:"base"`   // object id that is checked out
	Head   string `json:"head"`   // the text of its HEAD
}

// CarryStep is the writing of carried paths into a target.
type CarryStep struct {
	Target       string        `json:"target"`       // top level
	TargetGitDir string        `json:"targetGitDir"` // its own git folder
	Base         string        `json:"base"`         // object id of the target's HEAD
	Fresh        bool          `json:"fresh"`        // the target was made by this operation
	Paths        []WrittenPath `json:"paths"`

	// Entries are all the index entries that will not be the base's once this step is written, empty where they all are;
	// nil where that was not recorded (a hook's, an older journal's): the entries of Paths are taken as they are then.
	Entries []StagedEntry `json:"entries"`

	// Aside is the folder, inside TargetGitDir, that holds what was in the way of the paths and the index as it was;
	// "" for a fresh target, where the base tree is what was there.
	Aside string `json:"aside,omitempty"`
}

// StagedEntry is an index entry that is not the base's.
type StagedEntry struct {
	Path   []byte `json:"path"`
	Mode   uint32 `json:"mode"`   // 0: the base's entry is removed
	Object string `json:"object"` // zeros where it is removed
}

// WrittenPath is what one carried path will be in the target.
type WrittenPath struct {
	Path  []byte `json:"path"`            // relative to the top level, slashes, the bytes as git has them
	Kind  string `json:"kind"`            // file, link, dir, removed, index (only its index entry is written), restored (by a hook, to what the base has)
	Size  int64  `json:"size,omitempty"`  // of a file
	MTime int64  `json:"mtime,omitempty"` // of a file, ns since 1970
	Link  []byte `json:"link,omitempty"`  // the text of a link

	Temp  string `json:"temp,omitempty"`  // the temporary name in the same folder, under which it is written
	Aside string `json:"aside,omitempty"` // the name in CarryStep.Aside of what was there before
	Mode  uint32 `json:"mode,omitempty"`  // permission bits of a folder that is removed, to be made again
}

// Stuck is a roll-back that could not be completed, or must not be because somebody's work would go with it.
type Stuck struct {
	Paths []string // what stands, absolute; at most a hundred
	Err   error    // nil where nothing failed: the child holds something that this operation did not write
}

func (s *Stuck) Error() string {
	if s.Err != nil {
		return fmt.Sprintf("carry: roll back: %v", s.Err)
	}
	return fmt.Sprintf("carry: roll back: %d paths in the child are not ours", len(s.Paths))
}

func (s *Stuck) Unwrap() error { return s.Err }
