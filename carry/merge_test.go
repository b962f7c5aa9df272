//go:build unix

package carry

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// numbered is a file of thirty lines, some of which are others.
func numbered(edits ...any) string {
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	for i := 0; i+1 < len(edits); i += 2 {
		lines[edits[i].(int)] = edits[i+1].(string)
	}
	return strings.Join(lines, "\n") + "\n"
}

// mergeCase is a source and a target that both have done something since their common commit.
type mergeCase struct {
	before         func(*repo) // further files of that commit
	source, target func(*repo)
	opts           Options

	code, names string            // of the refusal: its code, and what it names
	want        map[string]string // what the target's files hold: "-" is nothing, "> TEXT" a link, "x TEXT" executable
	staged      map[string]string // what its index holds, "-" for nothing
	status      string            // what git says of the target
}

var mergeCases = map[string]mergeCase{
	// Some of the changes alone: to a target at the same commit too (one without a change of its own).
	"some of the changes": {
		source: func(r *repo) {
			r.write("long", numbered(3, "mine"))
			r.write("a.txt", "mine")
			r.write("new/x", "x")
			r.write("new/deep/y", "y")
			r.write("other", "o")
			r.remove("docs/c.md")
		},
		opts:   Options{Paths: []string{"long", "new"}},
		want:   map[string]string{"long": numbered(3, "mine"), "new/x": "x", "new/deep/y": "y", "other": "-", "a.txt": "one\ntwo\nthree\n", "docs/c.md": "doc\n"},
		staged: map[string]string{"long": numbered(), "new/x": "-"}, status: " M long\n?? new/deep/y\n?? new/x",
	},
	"some of the staged changes": {
		source: func(r *repo) {
			r.write("long", numbered(3, "mine"))
			r.write("a.txt", "mine")
			r.write("new/x", "x")
			r.git("add", ".")
			r.write("long", numbered(3, "mine", 5, "edited"))
		},
		opts:   Options{Paths: []string{"long"}},
		want:   map[string]string{"long": numbered(3, "mine", 5, "edited"), "new/x": "-", "a.txt": "one\ntwo\nthree\n"},
		staged: map[string]string{"long": numbered(3, "mine"), "a.txt": "one\ntwo\nthree\n", "new/x": "-"}, status: "MM long",
	},
	"a deletion of several": {
		source: func(r *repo) { r.remove("docs/c.md"); r.remove("a.txt"); r.git("add", "-u") }, opts: Options{Paths: []string{"docs/"}},
		want: map[string]string{"docs/c.md": "-", "a.txt": "one\ntwo\nthree\n"}, staged: map[string]string{"docs/c.md": "-"}, status: "D  docs/c.md",
	},
	"some of the changes, at another commit": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")); r.write("a.txt", "mine") },
		target: func(r *repo) { r.write("long", numbered(25, "theirs")); r.write("a.txt", "theirs") }, opts: Options{Paths: []string{"long"}},
		want: map[string]string{"long": numbered(3, "mine", 25, "theirs"), "a.txt": "theirs"}, status: " M long",
	},
	"a path without a change": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")) }, opts: Options{Paths: []string{"long", "docs"}}, code: "notChanged", names: "docs",
	},
	// Lines.
	"edits of other lines": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")) }, target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		want: map[string]string{"long": numbered(3, "mine", 25, "theirs")}, staged: map[string]string{"long": numbered(25, "theirs")}, status: " M long",
	},
	"staged edits of other lines": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")); r.git("add", "long") }, target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		want: map[string]string{"long": numbered(3, "mine", 25, "theirs")}, staged: map[string]string{"long": numbered(3, "mine", 25, "theirs")}, status: "M  long",
	},
	"staged, then edited": {
		source: func(r *repo) {
			r.write("long", numbered(3, "staged"))
			r.git("add", "long")
			r.write("long", numbered(3, "staged", 14, "edited"))
		},
		target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		want:   map[string]string{"long": numbered(3, "staged", 14, "edited", 25, "theirs")},
		staged: map[string]string{"long": numbered(3, "staged", 25, "theirs")}, status: "MM long",
	},
	"staged, then restored": {
		source: func(r *repo) {
			r.write("long", numbered(3, "staged"))
			r.git("add", "long")
			r.write("long", numbered())
		},
		target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		want:   map[string]string{"long": numbered(25, "theirs")},
		staged: map[string]string{"long": numbered(3, "staged", 25, "theirs")}, status: "MM long",
	},
	"staged, and unstaged on the way": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")); r.write("new", "n"); r.git("add", "long", "new") },
		target: func(r *repo) { r.write("long", numbered(25, "theirs")) }, opts: Options{Unstage: true},
		want: map[string]string{"long": numbered(3, "mine", 25, "theirs"), "new": "n"}, staged: map[string]string{"long": numbered(25, "theirs"), "new": "-"}, status: " M long\n?? new",
	},
	"the same lines": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")) }, target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		code: "mergeConflict", names: "long: changed on both sides in the same lines",
	},
	"the same lines, staged alone": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")); r.git("add", "long"); r.write("long", numbered()) },
		target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		code:   "mergeConflict", names: "long: changed on both sides",
	},
	"the same lines, under the attribute union": {
		before: func(r *repo) { r.write(".gitattributes", "long merge=union\n") },
		source: func(r *repo) { r.write("long", numbered(3, "mine")) }, target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		want: map[string]string{"long": strings.Replace(numbered(3, "theirs"), "theirs\n", "theirs\nmine\n", 1)}, status: " M long",
	},
	"other lines, under the attribute -merge": {
		before: func(r *repo) { r.write(".gitattributes", "long -merge\n") },
		source: func(r *repo) { r.write("long", numbered(3, "mine")) }, target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		code: "mergeConflict", names: "long: changed on both sides, and the attribute merge",
	},
	"other lines, with a merge driver": {
		before: func(r *repo) {
			r.write(".gitattributes", "long merge=own\n")
			r.git("config", "merge.own.driver", "touch "+r.path("ran"))
		},
		source: func(r *repo) { r.write("long", numbered(3, "mine")) }, target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		code: "mergeConflict", names: "merge driver of its own (own)",
	},
	"the target has the change already": {
		source: func(r *repo) {
			r.write("long", numbered(3, "mine"))
			r.git("add", "long")
			r.remove("a.txt")
			r.write("new", "n")
			r.git("add", "new")
		},
		target: func(r *repo) { r.write("long", numbered(3, "mine")); r.remove("a.txt"); r.write("new", "n") },
		want:   map[string]string{"long": numbered(3, "mine"), "a.txt": "-", "new": "n"}, status: "",
	},
	"binary on both sides": {
		source: func(r *repo) { r.write("bin", "\x00mine") }, target: func(r *repo) { r.write("bin", "\x00theirs") },
		code: "mergeConflict", names: "bin: changed on both sides, and binary",
	},
	"binary on one side": {
		source: func(r *repo) { r.write("bin", "\x00mine") }, target: func(r *repo) { r.write("a.txt", "theirs\n") },
		want: map[string]string{"bin": "\x00mine", "a.txt": "theirs\n"}, status: " M bin",
	},

	// Deletions and additions.
	"deleted here, changed there": {
		source: func(r *repo) { r.remove("long") }, target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		code: "mergeConflict", names: "long: deleted in the source, and changed in the target",
	},
	"deletion staged, changed there": {
		source: func(r *repo) { r.git("rm", "-q", "long") }, target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		code: "mergeConflict", names: "long: deleted in the source",
	},
	"deletion staged and kept on disk, changed there": {
		source: func(r *repo) { r.git("rm", "-q", "--cached", "long") }, target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		code: "mergeConflict", names: "long: deleted in the source",
	},
	"changed here, deleted there": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")) }, target: func(r *repo) { r.remove("long") },
		code: "mergeConflict", names: "long: changed in the source, and deleted in the target",
	},
	"deleted on both sides": {
		source: func(r *repo) { r.git("rm", "-q", "long") }, target: func(r *repo) { r.remove("long") },
		want: map[string]string{"long": "-"}, status: "",
	},
	"the last file of a folder deleted, a new one there": {
		source: func(r *repo) { r.remove("src") }, target: func(r *repo) { r.write("src/new", "theirs") },
		want: map[string]string{"src/b.txt": "-", "src/new": "theirs"}, status: " D src/b.txt",
	},
	"added on both sides": {
		source: func(r *repo) { r.write("new", "mine"); r.git("add", "new") }, target: func(r *repo) { r.write("new", "theirs") },
		code: "mergeConflict", names: "new: added on both sides",
	},
	"announced here, added there": {
		source: func(r *repo) { r.write("new", "mine"); r.git("add", "-N", "new") }, target: func(r *repo) { r.write("new", "theirs") },
		code: "mergeConflict", names: "new: added on both sides",
	},
	"announced here, added there with the same content": {
		source: func(r *repo) { r.write("new", "same"); r.git("add", "-N", "new") }, target: func(r *repo) { r.write("new", "same") },
		want: map[string]string{"new": "same"}, staged: map[string]string{"new": "same"}, status: "",
	},
	"announced": {
		source: func(r *repo) { r.write("new", "mine"); r.git("add", "-N", "new") }, target: func(r *repo) { r.write("a.txt", "x") },
		want: map[string]string{"new": "mine"}, status: " A new",
	},

	// Untracked files.
	"untracked": {
		source: func(r *repo) { r.write("u/1", "mine") }, target: func(r *repo) { r.write("u/2", "theirs") },
		want: map[string]string{"u/1": "mine", "u/2": "theirs"}, status: "?? u/1",
	},
	"untracked, and tracked there": {
		source: func(r *repo) { r.write("u", "mine") }, target: func(r *repo) { r.write("u", "theirs") }, code: "collision", names: "u: ",
	},
	"untracked, and tracked there with the same content": {
		source: func(r *repo) { r.write("u", "same") }, target: func(r *repo) { r.write("u", "same") }, code: "collision", names: "u: ",
	},
	"untracked, and ignored there": {
		source: func(r *repo) { r.write("u", "mine") },
		target: func(r *repo) { r.write(".gitignore", "u\n"); r.git("add", ".gitignore"); r.write("u", "precious") },
		code:   "targetDirty", names: "u",
	},
	"untracked file in the place of a folder there": {
		source: func(r *repo) { r.write("u", "mine") }, target: func(r *repo) { r.write("u/x", "theirs") },
		code: "mergeConflict", names: "u: the target has a folder there, with u/x",
	},
	"untracked folder in the place of a file there": {
		source: func(r *repo) { r.write("u/x", "mine") }, target: func(r *repo) { r.write("u", "theirs") },
		code: "mergeConflict", names: "u/x: the target has a file u",
	},
	"untracked below a link there": {
		source: func(r *repo) { r.write("u/x", "mine") }, target: func(r *repo) { r.link("docs", "u") },
		code: "mergeConflict", names: "u/x: the target has a file u",
	},
	"included, and tracked there": {
		source: func(r *repo) { r.write("x.log", "mine") }, target: func(r *repo) { r.write("x.log", "theirs") },
		opts: Options{Include: []string{"*.log"}}, code: "collision", names: "x.log",
	},

	// Types and modes.
	"executable here, edited there": {
		source: func(r *repo) { must(r, os.Chmod(r.path("long"), 0o755)) }, target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		want: map[string]string{"long": "x " + numbered(3, "theirs")}, status: " M long",
	},
	"edited here, executable there": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")); r.git("add", "long") }, target: func(r *repo) { must(r, os.Chmod(r.path("long"), 0o755)) },
		want: map[string]string{"long": "x " + numbered(3, "mine")}, staged: map[string]string{"long": numbered(3, "mine")}, status: "M  long",
	},
	"execute bit staged, edited there": {
		source: func(r *repo) { must(r, os.Chmod(r.path("long"), 0o755)); r.git("add", "long") }, target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		want: map[string]string{"long": "x " + numbered(3, "theirs")}, status: "M  long",
	},
	"execute bit taken away here, edited on both sides": {
		source: func(r *repo) {
			r.write("run.sh", "#!/bin/sh\necho hi\n\n\n\nmine\n")
			must(r, os.Chmod(r.path("run.sh"), 0o644))
		},
		target: func(r *repo) { r.write("run.sh", "#!/bin/bash\necho hi\n") },
		want:   map[string]string{"run.sh": "#!/bin/bash\necho hi\n\n\n\nmine\n"}, status: " M run.sh",
	},
	"link here, edited there": {
		source: func(r *repo) { r.remove("long"); r.link("a.txt", "long") }, target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		code: "mergeConflict", names: "long: changed on both sides, and of another type",
	},
	"edited here, link there": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")) }, target: func(r *repo) { r.remove("long"); r.link("a.txt", "long") },
		code: "mergeConflict", names: "long: changed on both sides, and of another type",
	},
	"link to the same on both sides": {
		source: func(r *repo) { r.remove("long"); r.link("a.txt", "long") }, target: func(r *repo) { r.remove("long"); r.link("a.txt", "long") },
		want: map[string]string{"long": "> a.txt"}, status: "",
	},
	"links to others on both sides": {
		before: func(r *repo) { r.link("a.txt", "l") },
		source: func(r *repo) { r.remove("l"); r.link("long", "l") }, target: func(r *repo) { r.remove("l"); r.link("src", "l") },
		code: "mergeConflict", names: "l: changed on both sides",
	},
	"file to folder here, edited there": {
		source: func(r *repo) { r.remove("long"); r.write("long/x", "mine") }, target: func(r *repo) { r.write("long", numbered(3, "theirs")) },
		code: "mergeConflict", names: "long: deleted in the source",
	},
	"folder to file here, a new file there": {
		source: func(r *repo) { r.remove("src"); r.write("src", "mine") }, target: func(r *repo) { r.write("src/new", "theirs") },
		code: "mergeConflict", names: "src: the target has a folder there, with src/new",
	},
	"folder to file, staged alone": {
		source: func(r *repo) {
			r.remove("src")
			r.write("src", "mine")
			r.git("add", "-A")
			r.remove("src")
		},
		target: func(r *repo) { r.write("src/new", "theirs") },
		code:   "mergeConflict", names: "src: the target has a folder there, with src/new",
	},

	// Renames.
	"edited here, renamed there": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")) }, target: func(r *repo) { r.git("mv", "long", "far") },
		want: map[string]string{"far": numbered(3, "mine"), "long": "-"}, status: " M far",
	},
	"edited here and staged, renamed and edited there": {
		source: func(r *repo) {
			r.write("long", numbered(3, "mine"))
			r.git("add", "long")
			r.write("long", numbered(3, "mine", 9, "more"))
		},
		target: func(r *repo) {
			must(r, os.MkdirAll(r.path("new/folder"), 0o755))
			r.git("mv", "long", "new/folder/far")
			r.write("new/folder/far", numbered(25, "theirs"))
			r.git("add", ".")
		},
		want:   map[string]string{"new/folder/far": numbered(3, "mine", 9, "more", 25, "theirs")},
		staged: map[string]string{"new/folder/far": numbered(3, "mine", 25, "theirs")}, status: "MM new/folder/far",
	},
	"executable here, renamed there": {
		source: func(r *repo) { must(r, os.Chmod(r.path("long"), 0o755)) }, target: func(r *repo) { r.git("mv", "long", "far") },
		want: map[string]string{"far": "x " + numbered()}, status: " M far",
	},
	"deleted here, renamed there": {
		source: func(r *repo) { r.remove("long") }, target: func(r *repo) { r.git("mv", "long", "far") },
		code: "mergeConflict", names: "long: deleted in the source, and renamed to far",
	},
	"renamed here, edited there": {
		source: func(r *repo) { r.git("mv", "long", "far"); r.write("far", numbered(3, "mine")) }, target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		want:   map[string]string{"far": numbered(3, "mine", 25, "theirs"), "long": "-"},
		staged: map[string]string{"far": numbered(25, "theirs"), "long": "-"}, status: "R  long -> far\n M far",
	},
	"renamed on both sides to the same": {
		source: func(r *repo) { r.git("mv", "long", "far"); r.write("far", numbered(3, "mine")) },
		target: func(r *repo) { r.git("mv", "long", "far"); r.write("far", numbered(25, "theirs")); r.git("add", ".") },
		want:   map[string]string{"far": numbered(3, "mine", 25, "theirs"), "long": "-"}, status: " M far",
	},
	"renamed on both sides to others": {
		source: func(r *repo) { r.git("mv", "long", "far") }, target: func(r *repo) { r.git("mv", "long", "away") },
		code: "mergeConflict", names: "long: deleted in the source, and renamed to away",
	},
	"renamed here, deleted there": {
		source: func(r *repo) { r.git("mv", "long", "far") }, target: func(r *repo) { r.remove("long") },
		code: "mergeConflict", names: "long: renamed to far in the source, and deleted in the target",
	},
	"renamed by hand here, edited there": {
		source: func(r *repo) { must(r, os.Rename(r.path("long"), r.path("far"))) }, target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		code: "mergeConflict", names: "long: deleted in the source",
	},
	"new file in a folder that is renamed there": {
		source: func(r *repo) { r.write("src/new", "n"); r.git("add", "src/new") }, target: func(r *repo) { r.git("mv", "src", "lib") },
		want: map[string]string{"src/new": "n", "lib/b.txt": "alpha\n"}, status: "A  src/new",
	},

	// Rules between disk and object.
	"CRLF on both sides' disks": {
		before: func(r *repo) { r.write(".gitattributes", "long text eol=crlf\n"); r.write("long", crlf(numbered())) },
		source: func(r *repo) { r.write("long", crlf(numbered(3, "mine"))) }, target: func(r *repo) { r.write("long", crlf(numbered(25, "theirs"))) },
		want: map[string]string{"long": crlf(numbered(3, "mine", 25, "theirs"))}, staged: map[string]string{"long": numbered(25, "theirs")}, status: " M long",
	},
	"CRLF on both sides' disks, staged": {
		before: func(r *repo) { r.write(".gitattributes", "long text eol=crlf\n"); r.write("long", crlf(numbered())) },
		source: func(r *repo) { r.write("long", crlf(numbered(3, "mine"))); r.git("add", "long") },
		target: func(r *repo) { r.write("long", crlf(numbered(25, "theirs"))) },
		want:   map[string]string{"long": crlf(numbered(3, "mine", 25, "theirs"))}, staged: map[string]string{"long": numbered(3, "mine", 25, "theirs")}, status: "M  long",
	},
	"mixed line ends on one side come as they are": {
		before: func(r *repo) { r.write(".gitattributes", "* text=auto\n") },
		source: func(r *repo) { r.write("long", "a\r\nb\nc\r\n") }, target: func(r *repo) { r.write("a.txt", "x\n") },
		want: map[string]string{"long": "a\r\nb\nc\r\n"}, status: " M long",
	},
	"ident on one side": {
		before: func(r *repo) { r.write(".gitattributes", "*.c ident\n"); r.write("v.c", "$Id$\n") },
		source: func(r *repo) { r.write("v.c", "$Id: by hand $\nmore\n") }, target: func(r *repo) { r.write("a.txt", "x\n") },
		want: map[string]string{"v.c": "$Id: by hand $\nmore\n"}, status: " M v.c",
	},
	"ident on both sides": {
		before: func(r *repo) { r.write(".gitattributes", "*.c ident\n"); r.write("v.c", "$Id$\n"+numbered()) },
		source: func(r *repo) { r.write("v.c", "$Id$\n"+numbered(3, "mine")) }, target: func(r *repo) { r.write("v.c", "$Id$\n"+numbered(25, "theirs")) },
		code: "mergeFiltered", names: "v.c: changed on both sides, and under the rule ident",
	},
	"encoding on both sides": {
		before: func(r *repo) {
			r.write(".gitattributes", "*.u working-tree-encoding=UTF-16LE\n")
			r.write("v.u", "a\x00\n\x00")
		},
		source: func(r *repo) { r.write("v.u", "a\x00b\x00\n\x00") }, target: func(r *repo) { r.write("v.u", "c\x00\n\x00") },
		code: "mergeFiltered", names: "v.u: changed on both sides, and under the rule working-tree-encoding",
	},
	"a filter that is missing, on one side": {
		before: func(r *repo) { r.write(".gitattributes", "*.big filter=gone\n"); r.write("v.big", "pointer\n") },
		source: func(r *repo) { r.write("v.big", "content\n") }, target: func(r *repo) { r.write("a.txt", "x\n") },
		want: map[string]string{"v.big": "content\n"}, status: " M v.big",
	},
	"a filter, on both sides": {
		before: func(r *repo) { r.write("v.big", numbered()) },
		source: func(r *repo) { r.write("v.big", numbered(3, "mine")) },
		target: func(r *repo) {
			r.write("v.big", numbered(25, "theirs"))
			r.write(".gitattributes", "*.big filter=gone\n")
		},
		code: "mergeFiltered", names: "v.big: changed on both sides, and under the rule filter",
	},
	"executable here, a filter, edited there": {
		before: func(r *repo) { r.write(".gitattributes", "*.big filter=gone\n"); r.write("v.big", numbered()) },
		source: func(r *repo) { must(r, os.Chmod(r.path("v.big"), 0o755)); r.git("add", "v.big") }, target: func(r *repo) { r.write("v.big", numbered(3, "theirs")) },
		want: map[string]string{"v.big": "x " + numbered(3, "theirs")}, status: "M  v.big",
	},

	// Several at once: one refusal names them all.
	"two conflicts": {
		source: func(r *repo) { r.write("long", "mine"); r.remove("a.txt") }, target: func(r *repo) { r.write("long", "theirs"); r.write("a.txt", "theirs") },
		code: "mergeConflict", names: "a.txt: deleted in the source, and changed in the target\nlong: changed on both sides",
	},

	// Bits.
	"hidden edit here": {
		source: func(r *repo) {
			r.git("update-index", "--assume-unchanged", "long")
			r.write("long", numbered(3, "mine"))
		},
		target: func(r *repo) { r.write("long", numbered(25, "theirs")) },
		want:   map[string]string{"long": numbered(3, "mine", 25, "theirs")}, status: " M long",
	},
	"a bit there that would hide what comes": {
		source: func(r *repo) { r.write("long", numbered(3, "mine")) },
		target: func(r *repo) {
			r.write("new", "n")
			r.git("add", "new")
			r.git("update-index", "--assume-unchanged", "long")
		},
		code: "unsupportedState", names: "long",
	},
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func TestChangesMeetThoseOfAnotherCommit(t *testing.T) {
	t.Parallel()
	for name, c := range mergeCases {
		if !sampled(t, name) {
			continue
		}
		t.Run(name, func(t *testing.T) { t.Parallel(); c.run(t) })
	}
}

func (c mergeCase) run(t *testing.T) {
	r := newRepo(t)
	r.write("long", numbered())
	r.write("bin", "\x00base")
	if c.before != nil {
		c.before(r)
	}
	r.commit("long")
	target := r.ahead(c.target)
	c.source(r)
	before := everything(t, target.top)
	gitDir := openAt(t, target.top).GitDir
	index, err := os.ReadFile(filepath.Join(gitDir, "index"))
	must(t, err)
	plan, result, recorded, err := r.mergedInto(target, c.opts)
	if c.code != "" {
		no, ok := err.(*Refusal)
		if !ok || no.Code != c.code || !strings.Contains(fmt.Sprint(no.Args, no.Detail), c.names) {
			t.Errorf("not refused as it should be: %v", err)
			if ok {
				t.Error(explain(no))
			}
		}
		if after := everything(t, target.top); after != before {
			t.Errorf("refused, and the target was changed:\n%s", difference(before, after))
		}
		return
	}
	if err != nil {
		t.Fatal(explain(err))
	}
	if result.Numbers != plan.Numbers {
		t.Errorf("the numbers of the result are %+v, and of the plan %+v", result.Numbers, plan.Numbers)
	}
	for name, want := range c.want {
		if have := contentAt(target.path(name)); have != want {
			t.Errorf("%s holds %q, want %q", name, have, want)
		}
	}
	for name, want := range c.staged {
		have, err := tryGit(target.top, "cat-file", "blob", ":"+name)
		if err != nil {
			have = "-"
		}
		if have != want {
			t.Errorf("staged of %s is %q, want %q", name, have, want)
		}
	}
	have := strings.TrimRight(target.git("-c", "core.quotePath=false", "status", "--porcelain", "--untracked-files=all"), "\n")
	if want := strings.Replace(c.status, "R  long -> far\n M far", "RM long -> far", 1); have != want {
		t.Errorf("git says %q of the target, want %q", have, want)
	}

	for range 2 { // it may be run again
		for i := len(recorded) - 1; i >= 0; i-- {
			must(t, takeBack(*recorded[i].Carry))
		}
	}
	if after := everything(t, target.top); after != before {
		t.Errorf("not taken back:\n%s", difference(before, after))
	}
	if now, err := os.ReadFile(filepath.Join(gitDir, "index")); err != nil || !bytes.Equal(now, index) {
		t.Errorf("the index is another one: %v", err)
	}
	noAside(t, gitDir)
}

// contentAt is what a path holds, as mergeCase.want has it.
func contentAt(full string) string {
	info, err := os.Lstat(full)
	switch {
	case err != nil:
		return "-"
	case info.Mode()&os.ModeSymlink != 0:
		text, _ := os.Readlink(full)
		return "> " + text
	case info.IsDir():
		return "a folder"
	}
	content, _ := os.ReadFile(full)
	if info.Mode()&0o111 != 0 {
		return "x " + string(content)
	}
	return string(content)
}

// TestSubmodulePointersMeet: a staged pointer comes where the target has the base's, and is refused where it has another.
func TestSubmodulePointersMeet(t *testing.T) {
	t.Parallel()
	for name, moves := range map[string]bool{"only here": false, "on both sides": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			pointer := func(at *repo, of string) {
				at.git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat(of, 40)+",sub")
			}
			pointer(r, "1")
			r.git("commit", "-q", "-m", "sub")
			must(t, os.MkdirAll(r.path("sub"), 0o755))
			target := r.ahead(func(target *repo) {
				must(t, os.MkdirAll(filepath.Join(target.top, "sub"), 0o755))
				if moves {
					pointer(target, "2")
				}
			})
			pointer(r, "3")
			_, _, _, err := r.mergedInto(target, Options{})
			switch {
			case moves && refusal(err) != "mergeConflict":
				t.Errorf("not refused: %v", err)
			case !moves && err != nil:
				t.Error(explain(err))
			case !moves && !strings.Contains(target.git("ls-files", "-s", "sub"), strings.Repeat("3", 40)):
				t.Error(target.git("ls-files", "-s", "sub"))
			}
		})
	}
}
