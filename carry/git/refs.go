package git

import (
	"context"
	"strings"
)

const heads = "refs/heads/"

// Branches gives the short names of all branches.
func Branches(ctx context.Context, dir string) ([]string, error) {
	names, _, err := BranchesAndDefault(ctx, Command{Dir: dir})
	return names, err
}

// BranchesAndDefault gives the short names of all branches, and what origin/HEAD points at ("origin/main"; "" where it
// is not set), in one process.
func BranchesAndDefault(ctx context.Context, c Command) (branches []string, originHead string, err error) {
	// Names alone: git then opens no object, so a hundred thousand branches take milliseconds.
	c.Args = []string{"for-each-ref", "--format=%(refname)%00%(symref)", "refs/heads/", "refs/remotes/origin/HEAD"}
	out, err := c.Output(ctx)
	if err != nil {
		return nil, "", err
	}
	for line := range strings.Lines(string(out)) { // a ref's name holds no line end
		ref, target, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		if name, ok := strings.CutPrefix(ref, heads); ok {
			branches = append(branches, name)
		} else if remote, ok := strings.CutPrefix(target, "refs/remotes/"); ok {
			originHead = remote
		}
	}
	return branches, originHead, nil
}

// InitialBranch is the user's init.defaultBranch; "" where it is not set.
func InitialBranch(ctx context.Context, c Command) string {
	c.Args = []string{"config", "--get", "init.defaultBranch"}
	out, _ := c.Output(ctx)
	return strings.TrimSuffix(string(out), "\n")
}

// CreateBranch makes a branch at oid, with message in its reflog, and fails where it exists, whatever it points at.
func CreateBranch(ctx context.Context, c Command, name, oid, message string) error {
	c.Args = CreateBranchArgs(name, oid, message)
	return c.Run(ctx)
}

// CreateBranchArgs are the arguments of CreateBranch.
func CreateBranchArgs(name, oid, message string) []string {
	return []string{"update-ref", "--no-deref", "--create-reflog", "-m", message, heads + name, oid, NullID(oid)}
}

// DeleteBranch deletes a branch only while it points at oid. It leaves no packed-refs behind, as `branch -D` does.
func DeleteBranch(ctx context.Context, c Command, name, oid string) error {
	c.Args = []string{"update-ref", "--no-deref", "-d", heads + name, oid}
	return c.Run(ctx)
}

// BranchAt gives the object id of a branch; "" where there is no such branch.
func BranchAt(ctx context.Context, c Command, name string) (string, error) {
	c.Args = []string{"for-each-ref", "--format=%(objectname)%00%(refname)", heads + name}
	out, err := c.Output(ctx)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(out)) { // the pattern also names what lies below it
		if oid, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00"); ref == heads+name {
			return oid, nil
		}
	}
	return "", nil
}

// LogEntry is one line of a reflog.
type LogEntry struct {
	New     string // object id that the ref moved to
	Message string
}

// RefLog gives the reflog of a ref, newest first; empty where it has none.
func RefLog(ctx context.Context, c Command, ref string) ([]LogEntry, error) {
	c.Args = []string{"log", "-g", "--encoding=UTF-8", "--no-show-signature", "--no-decorate", "--no-color", "--no-patch", "-z", "--format=tformat:%H%x01%gs", ref, "--"}
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	var entries []LogEntry
	for _, entry := range strings.Split(string(out), "\x00") {
		if oid, message, ok := strings.Cut(entry, "\x01"); ok {
			entries = append(entries, LogEntry{oid, message})
		}
	}
	return entries, nil
}

// Ref is a branch, a remote's branch or a tag.
type Ref struct {
	Name   string // full
	Object string // id of what it points at
}

// Refs gives all branches, remotes' branches and tags: in the order of their names, or, with recent, those first that were
// made last, for which git opens every object. A remote's HEAD and other symbolic refs are left out.
func Refs(ctx context.Context, dir string, recent bool) ([]Ref, error) {
	args := []string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)"}
	if recent {
		args = append(args, "--sort=-creatordate")
	}
	out, err := Command{Dir: dir, Args: append(args, heads, "refs/remotes/", "refs/tags/")}.Output(ctx)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range strings.Lines(string(out)) { // a ref's name holds no line end
		if parts := strings.Split(strings.TrimSuffix(line, "\n"), "\x00"); len(parts) == 3 && parts[2] == "" {
			refs = append(refs, Ref{Name: parts[0], Object: parts[1]})
		}
	}
	return refs, nil
}

// Follows says whether a branch has a remote-tracking branch (full name) as its upstream, and that is there.
func Follows(ctx context.Context, c Command, branch, tracking string) (bool, error) {
	c.Args = []string{"for-each-ref", "--format=%(refname)%00%(upstream)", heads + branch, tracking}
	out, err := c.Output(ctx)
	if err != nil {
		return false, err
	}
	lines := "\n" + string(out)
	return strings.Contains(lines, "\n"+heads+branch+"\x00"+tracking+"\n") && strings.Contains(lines, "\n"+tracking+"\x00"), nil
}
