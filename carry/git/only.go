package git

import (
	"context"
	"strconv"
	"strings"
)

// Only counts the commits that are in one of from and in none of but (revisions, --branches and the like), and gives the
// newest of them in words, one a line.
func Only(ctx context.Context, c Command, from, but []string) (lines string, count int, err error) {
	of := append(append(append([]string{}, from...), "--not"), but...)
	c.Args = append([]string{"rev-list", "--count"}, of...)
	out, err := c.Output(ctx)
	if err != nil {
		return "", 0, err
	}
	if count, err = strconv.Atoi(strings.TrimSpace(string(out))); err != nil || count == 0 {
		return "", 0, err
	}
	c.Args = append([]string{"log", "-n", "20", "--encoding=UTF-8", "--no-show-signature", "--no-decorate", "--no-color", "--no-patch", "--no-notes", "--format=tformat:%h %s"}, of...)
	out, err = c.Output(ctx)
	return strings.TrimSpace(string(out)), count, err
}

// Tips gives the object ids of the branches, and of the stash, of a repository.
func Tips(ctx context.Context, c Command) ([]string, error) {
	c.Args = []string{"for-each-ref", "--format=%(objectname)", "refs/heads/", "refs/stash"}
	out, err := c.Output(ctx)
	return strings.Fields(string(out)), err
}

// Holds says whether a branch or HEAD of a repository has a commit. It is false where that cannot be told.
func Holds(ctx context.Context, c Command, oid string) bool {
	c.Config = append(c.Config, NoTransport()...)
	c.Args = []string{"for-each-ref", "--count=1", "--contains=" + oid, "--format=%(refname)", "refs/heads/", "refs/remotes/", "refs/tags/"}
	out, err := c.Output(ctx)
	if err == nil && len(out) > 0 {
		return true
	}
	c.Args = []string{"merge-base", "--is-ancestor", oid, "HEAD"}
	return c.Run(ctx) == nil
}

// durable makes what git writes last when the power fails; both names, since git has changed it (2.36).
func durable(c Command) Command {
	c.Config = append(append([]string{}, c.Config...), "core.fsync=all", "core.fsyncObjectFiles=true")
	return c
}

// StoreBlob is WriteBlob, on the disk when it returns.
func (c Command) StoreBlob(ctx context.Context, content []byte) (string, error) {
	return durable(c).WriteBlob(ctx, content)
}

// StoreFiles adds objects with the bytes of some files, as they are: no filter runs, no line end is converted. The paths
// are relative to the command's folder; none may hold a line end or begin with a quote.
func (c Command) StoreFiles(ctx context.Context, paths []string) ([]string, error) {
	c = durable(c)
	c.Args, c.Stdin = []string{"hash-object", "-w", "--no-filters", "--stdin-paths"}, strings.NewReader(strings.Join(paths, "\n")+"\n")
	out, err := c.Output(ctx)
	return strings.Fields(string(out)), err
}

// StoreTree writes the command's private index, after changing some of its entries ("mode object<TAB>path<NUL>" each), as
// a tree.
func (c Command) StoreTree(ctx context.Context, entries string) (string, error) {
	c = durable(c)
	if entries != "" {
		c.Args, c.Stdin = []string{"update-index", "-z", "--index-info"}, strings.NewReader(entries)
		if err := c.Run(ctx); err != nil {
			return "", err
		}
	}
	c.Args, c.Stdin = []string{"write-tree", "--missing-ok"}, nil
	out, err := c.Output(ctx)
	return strings.TrimSpace(string(out)), err
}

// StoreCommit makes a commit, unsigned, by nobody in particular.
func (c Command) StoreCommit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	c = durable(c)
	c.Config = append(c.Config, "user.name=sidefork", "user.email=sidefork@localhost", "i18n.commitEncoding=UTF-8")
	c.Args, c.Stdin = []string{"commit-tree", "--no-gpg-sign", tree}, strings.NewReader(message+"\n")
	for _, p := range parents {
		c.Args = append(c.Args, "-p", p)
	}
	out, err := c.Output(ctx)
	return strings.TrimSpace(string(out)), err
}

// StoreRef makes a ref that is not there yet.
func (c Command) StoreRef(ctx context.Context, ref, oid string) error {
	c = durable(c)
	c.Args = []string{"update-ref", "--no-deref", "-m", "sidefork: remove", ref, oid, NullID(oid)}
	return c.Run(ctx)
}

// Pack writes all that a commit reaches into a pack file that begins with base, and gives its name.
func (c Command) Pack(ctx context.Context, base, oid string) (string, error) {
	c.Args, c.Stdin = []string{"pack-objects", "-q", "--revs", base}, strings.NewReader(oid+"\n")
	out, err := c.Output(ctx)
	return base + "-" + strings.TrimSpace(string(out)) + ".pack", err
}

// DeleteRefsBelow deletes the refs whose names begin with a folder of refs, each only while it is what it was found to be.
func DeleteRefsBelow(ctx context.Context, c Command, folder string) error {
	c.Args = []string{"for-each-ref", "--format=%(objectname) %(refname)", folder + "/"}
	out, err := c.Output(ctx)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		oid, ref, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		c.Args = []string{"update-ref", "--no-deref", "-d", ref, oid}
		if err := c.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// RemoveSection removes a section of a configuration file; one that is not there is no error.
func RemoveSection(ctx context.Context, dir, file, section string) error {
	settings, err := Settings(ctx, dir, file)
	if err != nil {
		return err
	}
	for _, s := range settings {
		if key := strings.TrimPrefix(s.Key, section+"."); key != s.Key && !strings.Contains(key, ".") {
			return Command{Dir: dir, Args: []string{"config", "--file", file, "--remove-section", section}}.Run(ctx)
		}
	}
	return nil
}

// MergeBase is the commit where two commits part; "" where they have nothing in common.
func MergeBase(ctx context.Context, c Command, a, b string) string {
	c.Args = []string{"merge-base", a, b}
	out, _ := c.Output(ctx)
	if oid := strings.TrimSpace(string(out)); IsObjectID(oid) {
		return oid
	}
	return ""
}
