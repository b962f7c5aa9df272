package git

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
)

// Place is what `git rev-parse` says about a folder. A field that git did not come to is empty.
type Place struct {
	TopLevel   string // physical path of the worktree; "" in a bare repository or inside a git folder
	GitDir     string // the worktree's own git folder, absolute
	CommonDir  string // the repository's shared git folder, absolute and physical
	Head       string // object id; "" where the branch is unborn
	Ref        string // full name of the branch (refs/heads/…); "" where detached or unborn
	Bare       bool
	HookFile   string // where the post-checkout hook would be; only from WhereWithHook
	BeforeHash bool   // older than git 2.25
}

// Where asks what dir is, in one process. extra are settings (`key=value`) that only tell reasons for a refusal apart.
// The error is git's own where it stopped on the way; the place then has what was said before.
func Where(ctx context.Context, dir string, extra ...string) (Place, error) {
	return where(ctx, Command{Dir: dir, Config: extra})
}

// WhereWithHook is Where, and also says where the repository's post-checkout hook would be. dir must be a top level:
// git takes a relative core.hooksPath from the folder that it is run in.
func WhereWithHook(ctx context.Context, dir string) (Place, error) {
	return where(ctx, Command{Dir: dir, Hooks: true})
}

// where separates the answers by a word that git repeats as it does with every flag it does not know, since a path may
// hold line ends. The word is a new random one each time, so no path can hold it.
func where(ctx context.Context, c Command) (Place, error) {
	word := "--sidefork-" + rand.Text()
	c.Args = []string{
		"rev-parse", "--show-object-format", word, "--is-bare-repository", word, "--absolute-git-dir", word, "--git-common-dir", word,
		"--show-toplevel", word, "HEAD", word, "--symbolic-full-name", "HEAD", word, "--git-path", "hooks/post-checkout", word,
	}
	out, err := c.Output(ctx)
	p, whole := readPlace(out, word)
	if err == nil && !whole {
		err = fmt.Errorf("git: rev-parse: cannot read %q", short(string(out)))
	}
	if p.CommonDir != "" {
		p.CommonDir = absolute(c.Dir, p.CommonDir)
		if physical, e := filepath.EvalSymlinks(p.CommonDir); e == nil {
			p.CommonDir = physical
		}
	}
	if p.HookFile != "" {
		p.HookFile = absolute(c.Dir, p.HookFile)
	}
	if !c.Hooks {
		p.HookFile = ""
	}
	return p, err
}

// readPlace reads the answers, each of which ends with word; the common folder and the hook as git gives them, from the
// folder that it was run in. whole says that git came to the end, and that each answer is what it should be.
func readPlace(out []byte, word string) (p Place, whole bool) {
	var answers []string
	for _, a := range bytes.Split(out, []byte(word+"\n")) {
		answers = append(answers, strings.TrimSuffix(string(a), "\n"))
	}
	complete := len(answers) - 1 // what follows the last word is cut off
	answer := func(i int) string {
		if i < complete {
			return answers[i]
		}
		return ""
	}
	p = Place{
		// A git from before 2.25 does not know the first flag and repeats it.
		BeforeHash: strings.HasPrefix(answer(0), "--"),
		Bare:       answer(1) == "true",
		GitDir:     native(answer(2)),
		CommonDir:  answer(3),
		TopLevel:   native(answer(4)),
		Head:       answer(5),
		HookFile:   answer(7),
	}
	if !IsObjectID(p.Head) {
		p.Head = ""
	}
	if ref := answer(6); strings.HasPrefix(ref, "refs/") {
		p.Ref = ref
	}
	known := (answer(1) == "true" || answer(1) == "false") && (p.Ref != "" || answer(6) == "HEAD")
	there := p.GitDir != "" && p.CommonDir != "" && p.TopLevel != "" && p.Head != "" && p.HookFile != ""
	return p, complete == 8 && answers[8] == "" && known && there
}

// IsObjectID says whether s is a whole object id: 40 (SHA-1) or 64 (SHA-256) lower-case hex digits, not all 0.
func IsObjectID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == "" && strings.Trim(s, "0") != ""
}

// NullID is the object id that stands for "none" beside oid.
func NullID(oid string) string { return strings.Repeat("0", len(oid)) }

// ResolveCommit gives the object id of the commit that ref names. ref must not begin with a dash.
func ResolveCommit(ctx context.Context, dir, ref string) (string, error) {
	out, err := Command{Dir: dir, Args: []string{"rev-parse", "--verify", "--quiet", ref + "^{commit}"}}.Output(ctx)
	return strings.TrimSuffix(string(out), "\n"), err
}

// Version is the installed git's version as it says it ("2.39.5"); "" where it does not.
func Version(ctx context.Context, dir string) string {
	out, err := Command{Dir: dir, Args: []string{"version"}}.Output(ctx)
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(out))
	if len(fields) < 3 {
		return ""
	}
	return fields[2]
}

func absolute(dir, path string) string {
	path = native(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// native turns git's slashes into the system's.
func native(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Clean(filepath.FromSlash(path))
}
