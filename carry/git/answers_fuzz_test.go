package git

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// What git may say, record for record, written down a second time: the parsers must take this and nothing else.
const (
	oidForm = `([0-9a-f]{40}|[0-9a-f]{64})`
	subForm = `(N\.\.\.|S[C.][M.][U.])`
)

var (
	statusForm = regexp.MustCompile(`(?s)^(# branch\.oid (\(initial\)|` + oidForm + `)|[?!] .+` +
		`|1 [.MTAD]{2} ` + subForm + `( [0-7]{6}){3}( ` + oidForm + `){2} .+` +
		`|u [DAU]{2} ` + subForm + `( [0-7]{6}){4}( ` + oidForm + `){3} .+)$`)
	otherHeader = regexp.MustCompile(`(?s)^# .+$`)
	entryForm   = regexp.MustCompile(`(?s)^([HhSs] [0-7]{6} ` + oidForm + ` 0|[Mm] [0-7]{6} ` + oidForm + ` [1-3])` + "\t.+$")
)

func statusRecord(record string) bool {
	return statusForm.MatchString(record) || otherHeader.MatchString(record) && !strings.HasPrefix(record, "# branch.oid ")
}

// records are those of an answer, and whether the last one is terminated.
func records(out []byte) (list []string, whole bool) {
	list = strings.Split(string(out), "\x00")
	return list[:len(list)-1], list[len(list)-1] == ""
}

func FuzzStatus(f *testing.F) {
	for _, out := range realAnswers(f).status {
		f.Add(out)
	}
	f.Add([]byte("2 R. N... 100644 100644 100644 " + one + " " + one + " R100 b\x00a\x00"))
	f.Add([]byte("? a\x00! b/\x00? \xff\n\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		s, err := ParseStatus(out)
		list, whole := records(out)
		for _, record := range list {
			whole = whole && statusRecord(record)
		}
		if (err == nil) != whole {
			t.Fatalf("%q: read as %+v, %v", out, s, err)
		}
		if err == nil {
			sameStatus(t, list, *s)
		}
	})
}

// sameStatus writes what was read as git would have, and holds it against what git wrote.
func sameStatus(t *testing.T, list []string, s Status) {
	t.Helper()
	take := func(from *[]string) string {
		if len(*from) == 0 {
			return "nothing"
		}
		first := (*from)[0]
		*from = (*from)[1:]
		return first
	}
	for _, record := range list {
		written := record
		switch record[0] {
		case '?':
			written = "? " + take(&s.Untracked)
		case '!':
			written = "! " + take(&s.Ignored)
		case 'u':
			path := take(&s.Unmerged)
			if written = "no path of it"; path != "" && strings.SplitN(record, " ", 11)[10] == path {
				written = record
			}
		case '1':
			if written = "nothing"; len(s.Changed) > 0 {
				c := s.Changed[0]
				s.Changed = s.Changed[1:]
				written = fmt.Sprintf("1 %c%c %s %06o %06o %06o %s %s %s", c.Staged, c.Worktree, c.Submodule,
					c.ModeHead, c.ModeIndex, c.ModeWorktree, c.ObjectHead, c.ObjectIndex, c.Path)
			}
		}
		if written != record {
			t.Fatalf("%q was read as %q", record, written)
		}
	}
	if n := len(s.Changed) + len(s.Unmerged) + len(s.Untracked) + len(s.Ignored); n > 0 {
		t.Fatalf("%d entries more than records", n)
	}
}

func FuzzEntries(f *testing.F) {
	for _, out := range realAnswers(f).entries {
		f.Add(out)
	}
	f.Add([]byte("H 100644 " + one + " 0\ta\x00s 160000 " + one + " 0\te\tf\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		entries, err := ParseEntries(out)
		list, whole := records(out)
		for _, record := range list {
			whole = whole && entryForm.MatchString(record)
		}
		if (err == nil) != whole {
			t.Fatalf("%q: read as %+v, %v", out, entries, err)
		}
		var written strings.Builder
		for _, e := range entries {
			fmt.Fprintf(&written, "%s %06o %x %d\t%s\x00", letter(e), e.Mode, e.Object, e.Stage, e.Path)
		}
		if err == nil && written.String() != string(out) {
			t.Fatalf("%q was read as %q", out, written.String())
		}
	})
}

func letter(e Entry) string {
	word := "H"
	switch {
	case e.Stage > 0:
		word = "M"
	case e.SkipWorktree:
		word = "S"
	}
	if e.AssumeSame {
		return strings.ToLower(word)
	}
	return word
}

func FuzzRuled(f *testing.F) {
	for _, out := range realAnswers(f).ruled {
		f.Add(out)
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		ruled, err := ParseRuled(out)
		list, whole := records(out)
		if (err == nil) != (whole && len(list)%3 == 0) {
			t.Fatalf("%q: read as %v, %v", out, ruled, err)
		}
		want := map[string]bool{}
		for i := 0; err == nil && i < len(list); i += 3 {
			if list[i+2] != "unspecified" && list[i+2] != "unset" {
				want[list[i]] = true
			}
		}
		if len(ruled) != len(want) {
			t.Fatalf("%q: read as %v; want %v", out, ruled, want)
		}
		for path := range want {
			if !ruled[path] {
				t.Fatalf("%q: %q is missing in %v", out, path, ruled)
			}
		}
	})
}

// FuzzWorktrees: whatever comes, each entry that is read began with its path, and has a HEAD or is bare.
func FuzzWorktrees(f *testing.F) {
	for _, out := range realAnswers(f).worktrees {
		f.Add(out)
	}
	f.Fuzz(func(t *testing.T, out []byte) {
		for _, end := range []string{"\x00", "\n"} {
			list, err := parseWorktrees(string(out), end)
			if err != nil {
				continue
			}
			var written []string
			for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), end+end), end+end) {
				if first, _, _ := strings.Cut(entry, end); entry != "" {
					written = append(written, strings.TrimPrefix(first, "worktree "))
				}
			}
			if len(written) != len(list) {
				t.Fatalf("%q: read as %+v", out, list)
			}
			for i, w := range list {
				if w.Path != native(written[i]) || w.Path == "" || w.Bare && (w.Head != "" || w.Ref != "" && w.Detached) || w.Head != "" && !IsObjectID(w.Head) {
					t.Fatalf("%q: read as %+v", out, w)
				}
			}
		}
	})
}

// FuzzWrittenWorktrees: what git writes of any path, branch and reason comes back byte for byte.
func FuzzWrittenWorktrees(f *testing.F) {
	f.Add("/a b\nc", "heads/x", "why\nnot", byte(0xff))
	f.Add("/\xff\xfe", "heads/\xfc", "", byte(0))
	f.Fuzz(func(t *testing.T, path, branch, why string, how byte) {
		path = filepath.ToSlash(filepath.Clean("/" + path))
		if strings.ContainsRune(path+branch+why, 0) || branch == "" {
			return
		}
		want := ListedWorktree{Path: native(path), Bare: how&1 != 0, Locked: how&2 != 0, Prunable: how&4 != 0}
		attributes := []string{"worktree " + path}
		switch {
		case want.Bare:
			attributes = append(attributes, "bare")
		case how&8 != 0:
			want.Head, want.Detached = one, true
			attributes = append(attributes, "HEAD "+one, "detached")
		case how&16 != 0: // unborn
			want.Ref = "refs/" + branch
			attributes = append(attributes, "HEAD "+zero, "branch "+want.Ref)
		default:
			want.Head, want.Ref = one, "refs/"+branch
			attributes = append(attributes, "HEAD "+one, "branch "+want.Ref)
		}
		for _, remark := range []struct {
			so  bool
			key string
		}{{want.Locked, "locked"}, {want.Prunable, "prunable"}} {
			if remark.so {
				want.Why = why
				attributes = append(attributes, strings.TrimSuffix(remark.key+" "+why, " "))
			}
		}
		want.Why = strings.TrimSuffix(want.Why, " ")
		if why != want.Why && (want.Locked || want.Prunable) {
			return // git writes "locked " for no reason that ends in a blank
		}
		out := strings.Join(attributes, "\x00") + "\x00\x00"
		got, err := parseWorktrees(out+out, "\x00")
		if err != nil || len(got) != 2 || got[0] != want || got[1] != want {
			t.Fatalf("%q\n got %+v, %v\nwant %+v", out, got, err, want)
		}
	})
}

// FuzzPlace: whatever comes, no answer is taken for whole that lacks one; and what git writes comes back byte for byte.
func FuzzPlace(f *testing.F) {
	const word = "--sidefork-WORD"
	for _, out := range realAnswers(f).places {
		f.Add(out, "/a\nb", "main")
	}
	f.Add([]byte("HEAD\n"), "/\xff ", "x")
	f.Fuzz(func(t *testing.T, out []byte, folder, branch string) {
		if p, whole := readPlace(out, word); whole &&
			(p.GitDir == "" || p.CommonDir == "" || p.TopLevel == "" || !IsObjectID(p.Head) || p.HookFile == "" || strings.Count(string(out), word) < 8) {
			t.Fatalf("%q: read as %+v", out, p)
		}
		folder = filepath.Clean("/" + folder)
		if strings.ContainsRune(folder+branch, 0) || strings.Contains(folder+branch, word) || branch == "" || strings.HasSuffix(branch, "\n") {
			return
		}
		slashed := filepath.ToSlash(folder)
		answers := []string{"sha1", "false", slashed, slashed, slashed, one, "refs/heads/" + branch, slashed}
		all := strings.Join(answers, "\n"+word+"\n") + "\n" + word + "\n"
		p, whole := readPlace([]byte(all), word)
		if !whole || p.GitDir != folder || p.CommonDir != slashed || p.TopLevel != folder || p.Head != one || p.Ref != "refs/heads/"+branch || p.HookFile != slashed || p.Bare {
			t.Fatalf("%q: read as %+v, %v", all, p, whole)
		}
		for end := range len(all) { // cut off on the way
			if p, whole := readPlace([]byte(all[:end]), word); whole {
				t.Fatalf("%q: read as %+v", all[:end], p)
			}
		}
	})
}

func FuzzValidBranchIsNeverMoreGenerousThanGit(f *testing.F) {
	f.Add("a/b")
	f.Add("-x")
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsRune(name, 0) || !ValidBranch(name) {
			return
		}
		if err := exec.Command("git", "check-ref-format", "--branch", name).Run(); err != nil {
			t.Errorf("%q: git refuses it", name)
		}
	})
}

type answers struct{ status, entries, ruled, worktrees, places [][]byte }

var answered struct {
	once sync.Once
	answers
}

// realAnswers are what the installed git says of a repository in which there is some of everything.
func realAnswers(tb testing.TB) answers {
	tb.Helper()
	answered.once.Do(func() { answered.answers = askGit(tb) })
	return answered.answers
}

func askGit(tb testing.TB) (a answers) {
	tb.Helper()
	home := tb.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.DevNull,
		"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.invalid", "GIT_AUTHOR_DATE": "1700000000 +0000",
		"GIT_COMMITTER_NAME": "T", "GIT_COMMITTER_EMAIL": "t@example.invalid", "GIT_COMMITTER_DATE": "1700000000 +0000",
	} {
		tb.Setenv(name, value)
	}
	dir := filepath.Join(home, "re po")
	git := func(may bool, args ...string) {
		cmd := exec.Command("git", append([]string{"-C", home}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil && !may {
			tb.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	say := func(to *[][]byte, args ...string) {
		out, _ := Command{Dir: dir, Args: args}.Output(context.Background())
		*to = append(*to, out)
	}
	git(false, "init", "-q", "-b", "main", dir)
	say(&a.status, StatusArgs(true)...) // unborn
	for _, name := range []string{"changed", "staged", "gone", "both", "same", "skipped", "a b\tc", "ünï"} {
		write(name, name+"\n")
	}
	write(".gitignore", "ignored\n")
	write(".gitattributes", "changed ident\nstaged filter=x\n")
	at := func(may bool, args ...string) { git(may, append([]string{"-C", dir}, args...)...) }
	at(false, "add", ".")
	at(false, "commit", "-q", "-m", "base")
	at(false, "checkout", "-q", "-b", "other")
	write("both", "theirs\n")
	at(false, "commit", "-q", "-a", "-m", "theirs")
	at(false, "checkout", "-q", "main")
	write("both", "ours\n")
	at(false, "commit", "-q", "-a", "-m", "ours")
	at(true, "merge", "-q", "other") // a conflict in both
	write("changed", "x\n")
	write("staged", "x\n")
	write("announced", "")
	write("new", "")
	write("ignored", "")
	at(false, "add", "staged")
	at(false, "add", "-N", "announced")
	at(false, "rm", "-q", "gone")
	at(false, "update-index", "--assume-unchanged", "same")
	at(false, "update-index", "--skip-worktree", "skipped")
	at(false, "worktree", "add", "-q", "-b", "second", filepath.Join(home, "se\tcond"), "HEAD")
	at(false, "worktree", "add", "-q", "--detach", filepath.Join(home, "third"), "HEAD")
	at(false, "worktree", "lock", "--reason", "for a reason", filepath.Join(home, "third"))
	say(&a.status, StatusArgs(true)...)
	say(&a.status, StatusArgs(false)...)
	say(&a.entries, EntriesArgs()...)
	say(&a.ruled, "check-attr", "-z", "ident", "filter", "--", "changed", "staged", "gone")
	say(&a.worktrees, "worktree", "list", "--porcelain")
	say(&a.worktrees, "worktree", "list", "--porcelain", "-z")
	const word = "--sidefork-WORD"
	say(&a.places, "rev-parse", "--show-object-format", word, "--is-bare-repository", word, "--absolute-git-dir", word, "--git-common-dir", word,
		"--show-toplevel", word, "HEAD", word, "--symbolic-full-name", "HEAD", word, "--git-path", "hooks/post-checkout", word)
	return a
}

// TestRealAnswersAreReadWhole: the seeds are what they are meant to be.
func TestRealAnswersAreReadWhole(t *testing.T) {
	a := realAnswers(t)
	s, err := ParseStatus(a.status[1])
	if err != nil || s.Head == "" || len(s.Unmerged) != 1 || len(s.Ignored) != 1 || len(s.Untracked) != 1 || len(s.Changed) < 4 {
		t.Errorf("status: %+v, %v", s, err)
	}
	if unborn, err := ParseStatus(a.status[0]); err != nil || unborn.Head != "" {
		t.Errorf("status of an unborn branch: %+v, %v", unborn, err)
	}
	entries, err := ParseEntries(a.entries[0])
	bits := map[bool]int{}
	for _, e := range entries {
		bits[e.AssumeSame || e.SkipWorktree || e.Stage > 0]++
	}
	if err != nil || bits[true] != 5 || bits[false] == 0 {
		t.Errorf("entries: %+v, %v", entries, err)
	}
	if list, err := parseWorktrees(string(a.worktrees[0]), "\n"); err != nil || len(list) != 3 || !list[2].Locked || filepath.Base(list[1].Path) != "se\tcond" {
		t.Errorf("worktrees: %+v, %v", list, err)
	}
	if p, whole := readPlace(a.places[0], "--sidefork-WORD"); !whole || p.Ref != "refs/heads/main" || p.BeforeHash {
		t.Errorf("place: %+v", p)
	}
}
