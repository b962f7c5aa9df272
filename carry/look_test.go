//go:build unix

package carry

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestCarryBringsEveryState holds the child of each state against its parent: files, links, modes, entries and flags.
func TestCarryBringsEveryState(t *testing.T) {
	t.Parallel()
	for name, state := range states {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			state(r)
			r.carried()
		})
	}
}

var states = map[string]func(*repo){
	"nothing": func(r *repo) {},
	"edited under a setting that hides it": func(r *repo) {
		old := time.Now().Add(-time.Hour)
		r.write("quiet.txt", "one\n")
		must(r, os.Chtimes(r.path("quiet.txt"), old, old))
		r.commit("quiet")
		r.git("config", "core.trustctime", "false")
		r.git("config", "core.checkStat", "minimal")
		r.write("quiet.new", "two\n") // as editors save: another inode, which those settings ignore
		must(r, os.Rename(r.path("quiet.new"), r.path("quiet.txt")))
		must(r, os.Chtimes(r.path("quiet.txt"), old, old))
	},
	"a setting says that case does not count": func(r *repo) { r.git("config", "core.ignoreCase", "true"); r.write("A.TXT", "another") },
	"edited":             func(r *repo) { r.write("a.txt", "x") },
	"binary and empty":   func(r *repo) { r.write("a.txt", "\x00\xff\n"); r.write("docs/c.md", "") },
	"staged":             func(r *repo) { r.write("a.txt", "staged\n"); r.git("add", "a.txt") },
	"staged then edited": func(r *repo) { r.write("a.txt", "staged\n"); r.git("add", "a.txt"); r.write("a.txt", "worktree\n") },
	"staged then restored": func(r *repo) {
		r.write("a.txt", "staged\n")
		r.git("add", "a.txt")
		r.write("a.txt", "one\ntwo\nthree\n")
	},
	"staged new":         func(r *repo) { r.write("new.txt", "v1"); r.git("add", "new.txt") },
	"staged new, edited": func(r *repo) { r.write("new.txt", "v1"); r.git("add", "new.txt"); r.write("new.txt", "v2") },
	"staged new, gone":   func(r *repo) { r.write("new.txt", "v1"); r.git("add", "new.txt"); r.remove("new.txt") },
	"staged, gone":       func(r *repo) { r.write("a.txt", "v1"); r.git("add", "a.txt"); r.remove("a.txt") },
	"deleted":            func(r *repo) { r.remove("src/b.txt"); r.git("rm", "-q", "docs/c.md") },
	"renamed": func(r *repo) {
		r.git("mv", "a.txt", "z.txt")
		r.write("z.txt", "four\n")
		must(r, os.Rename(r.path("src/b.txt"), r.path("src/c.txt")))
	},
	"untracked":         func(r *repo) { r.write("n.txt", "n"); r.write("new/deep/er.txt", "d") },
	"rm --cached, kept": func(r *repo) { r.git("rm", "-q", "--cached", "a.txt"); r.write("a.txt", "kept\n") },
	"rm --cached, same": func(r *repo) { r.git("rm", "-q", "--cached", "a.txt") },
	"file to link and back": func(r *repo) {
		r.link("a.txt", "l")
		r.commit("l")
		r.remove("a.txt", "l")
		r.link("docs/c.md", "a.txt")
		r.write("l", "file now")
	},
	"file to folder": func(r *repo) { r.remove("a.txt"); r.write("a.txt/in.txt", "in"); r.write("a.txt/deep/in2.txt", "in2") },
	"file to folder, staged": func(r *repo) {
		r.remove("a.txt")
		r.write("a.txt/in.txt", "in")
		r.git("add", "-A")
		r.write("a.txt/in.txt", "more")
	},
	"folder to file":         func(r *repo) { r.remove("src"); r.write("src", "file now") },
	"folder to file, staged": func(r *repo) { r.remove("src"); r.write("src", "file now"); r.git("add", "-A") },
	"folder to link":         func(r *repo) { r.remove("src"); r.link("docs", "src") },
	"link to folder with the names behind it": func(r *repo) {
		r.link("src", "lnk")
		r.commit("l")
		r.remove("lnk")
		r.write("lnk/b.txt", "mine")
		r.write("lnk/new/x.txt", "new")
	},
	"execute bits":                    func(r *repo) { must(r, os.Chmod(r.path("a.txt"), 0o755)); must(r, os.Chmod(r.path("run.sh"), 0o644)) },
	"execute bit staged, not on disk": func(r *repo) { r.git("update-index", "--chmod=+x", "a.txt") },
	"permissions of untracked files": func(r *repo) {
		r.write("private/key", "k")
		r.write("tool", "t")
		r.write("ro.txt", "r")
		must(r, os.Chmod(r.path("private/key"), 0o600))
		must(r, os.Chmod(r.path("tool"), 0o751|os.ModeSetuid))
		must(r, os.Chmod(r.path("ro.txt"), 0o444))
		r.write("open", "o")
		must(r, os.Chmod(r.path("open"), 0o666))
	},
	"links": func(r *repo) {
		for text, name := range map[string]string{"a.txt": "l1", "/etc/hostname": "l2", "no/such": "l3", "docs": "l4", "l5": "l5", "../outside": "l6"} {
			r.link(text, name)
		}
	},
	"hard links": func(r *repo) { r.write("h1", "shared"); must(r, os.Link(r.path("h1"), r.path("h2"))) },
	"intent to add": func(r *repo) {
		r.write("new.txt", "n")
		r.write(".env", "e")
		r.git("add", "-N", "-f", "new.txt", ".env")
	},
	"intent to add of a removed entry": func(r *repo) { r.git("rm", "-q", "--cached", "a.txt"); r.git("add", "-N", "a.txt") },
	"intent to add, then executable": func(r *repo) {
		r.write("new.sh", "n")
		r.git("add", "-N", "new.sh")
		must(r, os.Chmod(r.path("new.sh"), 0o755))
	},
	"intent to add beside an empty staged file": func(r *repo) { r.write("n", "n"); r.git("add", "-N", "n"); r.write("e", ""); r.git("add", "e") },
	"committed empty file deleted":              func(r *repo) { r.write("e", ""); r.commit("e"); r.remove("e") },
	"hidden edits": func(r *repo) {
		r.git("update-index", "--skip-worktree", "a.txt")
		r.write("a.txt", "local")
		r.write("docs/c.md", "v2")
		r.git("add", "docs/c.md")
		r.git("update-index", "--assume-unchanged", "docs/c.md")
		r.write("docs/c.md", "v3")
		r.git("update-index", "--skip-worktree", "run.sh")
		r.git("update-index", "--assume-unchanged", "run.sh")
		r.write("run.sh", "mine")
	},
	"hidden deletions": func(r *repo) {
		r.git("update-index", "--skip-worktree", "a.txt")
		r.git("update-index", "--assume-unchanged", "src/b.txt")
		r.remove("a.txt", "src/b.txt")
	},
	"sparse": func(r *repo) {
		r.git("sparse-checkout", "set", "src")
		r.write("src/b.txt", "x")
		r.write("docs/new.md", "new")
	},
	"fileMode off": func(r *repo) {
		r.git("config", "core.fileMode", "false")
		must(r, os.Chmod(r.path("a.txt"), 0o755))
		r.write("docs/c.md", "x")
	},
	"awkward names": func(r *repo) {
		names := []string{"nl\nin", "tab\tin", "q\"uote", "back\\slash", "-rf", " lead", "trail ", "[ab]*?", ":(top)x", "a -> b", "#hash", "# stash 2", "1 .M N... x", "$(id)", "it's", "\xff\xfe", "caf\xc3\xa9", "cafe\xcc\x81", ".sf-1", strings.Repeat("x", 255)}
		for _, n := range names {
			r.write("t/"+n, "t")
		}
		r.commit("t")
		for _, n := range names {
			r.write("t/"+n, "edited "+n)
			r.write("u/"+n, "new "+n)
		}
	},
	"untracked .gitignore": func(r *repo) {
		r.write("pkg/.gitignore", "out/\n")
		r.write("pkg/out/o", "o")
		r.write("pkg/src/s", "s")
	},
	"showUntrackedFiles=no": func(r *repo) { r.git("config", "status.showUntrackedFiles", "no"); r.write("n/n", "n") },
	"headers": func(r *repo) {
		r.git("config", "status.branch", "true")
		r.git("config", "status.showStash", "true")
		r.write("n", "n")
	},
	"mixed line ends": func(r *repo) {
		r.write(".gitattributes", "*.bat text eol=crlf\n")
		r.write("run.bat", "a\r\nb\r\n")
		r.commit("e")
		r.write("run.bat", "a\r\nb\nc\r\n")
	},
	"CRLF in the blob, then a text attribute": func(r *repo) {
		r.write("crlf.txt", "x\r\ny\r\n")
		r.commit("crlf")
		r.write(".gitattributes", "*.txt text\n")
		r.git("add", ".gitattributes")
		r.git("commit", "-q", "-m", "attr")
		r.write("src/b.txt", "x")
	},
	"autocrlf=input, clean but different": func(r *repo) {
		r.git("config", "core.autocrlf", "input")
		r.write("win.txt", "x\r\ny\r\n")
		r.commit("w")
		r.write("src/b.txt", "x")
	},
	"ident and encoding": func(r *repo) {
		r.write(".gitattributes", "v.c ident\nw.txt text working-tree-encoding=UTF-16\n")
		r.write("v.c", "// $Id$\nint v;\n")
		r.write("w.txt", "\xff\xfeh\x00i\x00\n\x00")
		r.commit("i")
		r.remove("v.c")
		r.git("checkout", "-q", "--", "v.c")
		r.write("v.c", "// $Id: 0 $\nint w;\n")
		r.write("w.txt", "\xff\xfeh\x00o\x00\n\x00")
	},
	"ident, clean but not expanded": func(r *repo) {
		r.write(".gitattributes", "*.c ident\n")
		r.write("v.c", "// $Id$\n")
		r.commit("i")
	},
	"ident, clean, not expanded, and the rule is gone": func(r *repo) {
		r.write(".gitattributes", "*.c working-tree-encoding=UTF-16LE\n")
		r.write("v.c", "h\x00i\x00")
		r.commit("i")
		r.write(".gitattributes", "")
	},
	"an edit that only the index's own time betrays": func(r *repo) { // git: racily clean
		r.git("config", "core.trustctime", "false")
		must(r, os.Chtimes(r.path("a.txt"), old, old))
		r.git("add", "a.txt")
		must(r, os.Chtimes(r.path(".git/index"), old, old))
		r.write("a.txt", "ONE\ntwo\nthree\n")
		must(r, os.Chtimes(r.path("a.txt"), old, old))
	},
	"big blob over an old smaller index time": func(r *repo) { r.write("a.txt", strings.Repeat("y", 3<<20)) },
}
