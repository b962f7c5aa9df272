package carry

import (
	"bytes"
	"context"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// A path that git calls clean need not have the bytes of a fresh checkout: ident, a filter or an encoding stands
// between blob and disk, and each may have been set after the file was written. Those paths are compared byte by byte.
//
// Line-end rules are left out on purpose, because for them the size is enough. Of a clean path with an LF-only blob, a
// fresh checkout adds a CR to each line end or to none; the parent's file has any number of them. The same size means
// the same number, which is none or all, so the same bytes. Of a clean path whose blob has CRs itself, the parent's
// file is the blob (git takes no CR away where the index has one), and a fresh checkout is the blob too, or longer.
// Sizes are compared for every tracked path, rules or not.
//
// What this cannot see: a file that was written under a filter which kept its size, while neither the base nor the
// parent's disk names that filter any more, and which git calls clean only because nobody has touched it since. Telling
// it would take reading every tracked file of everybody who has some filter configured.

// findRules asks git for those paths, but only if some source of attributes has a word that could name such a rule:
// most repositories have none, and asking costs a process that matches every path with every pattern.
func (r *reading) findRules(ctx context.Context) error {
	global, err := globalAttributes(ctx, r.from.Path)
	if err != nil {
		return err
	}
	sources := []string{
		filepath.Join(r.from.CommonDir, "info", "attributes"), global,
		"/etc/gitattributes", "/usr/local/etc/gitattributes", "/opt/homebrew/etc/gitattributes",
	}
	for _, name := range r.around.attributes {
		sources = append(sources, filepath.Join(r.from.Path, name))
	}
	named := false
	for _, name := range sources {
		named = named || namesRule(name)
	}
	for _, e := range r.index.Entries { // one that is skipped on disk rules all the same
		named = named || e.SkipWorktree && path.Base(e.Path) == ".gitattributes"
	}
	if !named {
		return nil
	}
	r.ruled, err = ruled(ctx, r.command(), r.index.Entries)
	return err
}

func ruled(ctx context.Context, c git.Command, entries []git.Entry) (map[string]bool, error) {
	names := new(bytes.Buffer)
	for _, e := range entries {
		names.WriteString(e.Path + "\x00")
	}
	c.Args, c.Stdin = git.RulesArgs(), names
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	return git.ParseRuled(out)
}

// namesRule is true for every file that sets one of the rules, also through a macro, which has to name it too. A file
// that cannot be read whole counts as one that does.
func namesRule(name string) bool {
	if name == "" {
		return false
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return err != nil && !isAbsent(err)
	}
	f, err := os.Open(name)
	if err != nil {
		return true
	}
	defer f.Close()
	const most = 4 << 20
	content, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil || len(content) == most {
		return true
	}
	for _, word := range []string{"ident", "filter", "working-tree-encoding"} {
		if bytes.Contains(content, []byte(word)) {
			return true
		}
	}
	return false
}

// globalAttributes is the user's own attributes file: core.attributesFile, else the one in git's configuration folder.
func globalAttributes(ctx context.Context, dir string) (string, error) {
	c := git.Command{Dir: dir, Args: []string{"config", "-z", "--type=path", "--get", "core.attributesFile"}}
	out, err := c.Output(ctx)
	if err == nil {
		return strings.TrimSuffix(string(out), "\x00"), nil
	}
	if git.ExitStatus(err) != 1 { // 1: it is not set
		return "", err
	}
	if home := os.Getenv("XDG_CONFIG_HOME"); home != "" {
		return filepath.Join(home, "git", "attributes"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", nil //nolint:nilerr // without a home there is no such file
	}
	return filepath.Join(home, ".config", "git", "attributes"), nil
}
