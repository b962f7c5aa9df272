package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// What a three-way merge of single paths asks of git. All of it is older than git 2.25, and none of it writes anything but
// WriteBlob, which adds an object.

// MergeFiles merges three files, given by absolute names, as git merges a path that both sides have changed. clean is false
// where they meet in the same lines, or where git calls one of them binary: merged means nothing then. With union both
// sides' lines are taken where they meet.
func (c Command) MergeFiles(ctx context.Context, ours, base, theirs string, union bool) (merged []byte, clean bool, err error) {
	c.Args = []string{"merge-file", "-p", "-q"}
	if union {
		c.Args = append(c.Args, "--union")
	}
	c.Args = append(c.Args, ours, base, theirs)
	merged, err = c.Output(ctx)
	if status := ExitStatus(err); status > 0 && status < 128 { // so many conflicts, at most 127
		return nil, false, nil
	}
	return merged, err == nil, err
}

// Blob gives an object's bytes as they are.
func (c Command) Blob(ctx context.Context, object string) ([]byte, error) {
	c.Args = []string{"cat-file", "blob", object}
	return c.Output(ctx)
}

// BlobSize gives how many bytes an object has.
func (c Command) BlobSize(ctx context.Context, object string) (int64, error) {
	c.Args = []string{"cat-file", "-s", object}
	out, err := c.Output(ctx)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// WriteBlob adds an object with these bytes to the repository and gives its id. Nothing refers to it yet.
func (c Command) WriteBlob(ctx context.Context, content []byte) (string, error) {
	c.Args, c.Stdin = []string{"hash-object", "-w", "--stdin"}, bytes.NewReader(content)
	out, err := c.Output(ctx)
	return strings.TrimSuffix(string(out), "\n"), err
}

// Renames gives the files that git sees as renamed from one commit to another, old name to new.
func (c Command) Renames(ctx context.Context, from, to string) (map[string]string, error) {
	c.Args = []string{"diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--name-status", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", from, to, "--"}
	return c.renames(ctx)
}

// StagedRenames is Renames from a commit to the index.
func (c Command) StagedRenames(ctx context.Context, from string) (map[string]string, error) {
	c.Args = []string{"diff-index", "--cached", "-z", "-M", "--diff-filter=R", "--name-status", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", from, "--"}
	return c.renames(ctx)
}

// renames reads "R087<NUL>old<NUL>new<NUL>" each.
func (c Command) renames(ctx context.Context) (map[string]string, error) {
	fields, err := c.paths(ctx)
	if err != nil {
		return nil, err
	}
	renamed := map[string]string{}
	for ; len(fields) >= 3; fields = fields[3:] {
		if !strings.HasPrefix(fields[0], "R") {
			return nil, fmt.Errorf("git: renames: cannot read %q", short(fields[0]))
		}
		renamed[fields[1]] = fields[2]
	}
	if len(fields) > 0 {
		return nil, fmt.Errorf("git: renames: %q is not whole", short(fields[0]))
	}
	return renamed, nil
}

// Attributes gives the value of some attributes for a path: "set", "unset", "unspecified", or what it is set to.
func (c Command) Attributes(ctx context.Context, path string, names ...string) (map[string]string, error) {
	c.Args, c.Stdin = append([]string{"check-attr", "-z", "--stdin"}, names...), strings.NewReader(path+"\x00")
	fields, err := c.paths(ctx)
	if err != nil {
		return nil, err
	}
	if len(fields) != 3*len(names) {
		return nil, fmt.Errorf("git: check-attr: %d answers to %d questions", len(fields)/3, len(names))
	}
	values := map[string]string{}
	for ; len(fields) > 0; fields = fields[3:] {
		values[fields[1]] = fields[2]
	}
	return values, nil
}
