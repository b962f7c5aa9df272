package worktree

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

func TestListSaysWhatEachWorktreeIs(t *testing.T) {
	top := newRepo(t)
	for _, name := range []string{"plain", "gone", "locked", "away", "loose"} {
		run(t, top, "worktree", "add", "-q", "-b", name, top+"-"+name)
	}
	run(t, top+"-loose", "checkout", "-q", "--detach")
	run(t, top, "worktree", "lock", "--reason", "on a disk", top+"-locked")
	run(t, top, "worktree", "lock", top+"-away")
	os.RemoveAll(top + "-gone")
	os.RemoveAll(top + "-away")
	list, err := List(context.Background(), top+"-plain")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Worktree{}
	for _, w := range list {
		got[filepath.Base(w.Path)] = w
	}
	if list[0].Path != top || !list[0].Main || list[0].GitDir != filepath.Join(top, ".git") {
		t.Errorf("main: %+v", list[0])
	}
	if w := got["parent-plain"]; w != mustOpen(t, top+"-plain") {
		t.Errorf("plain: %+v\nopen:  %+v", w, mustOpen(t, top+"-plain"))
	}
	if w := got["parent-gone"]; !w.Missing || w.Why == "" || w.GitDir == "" || code(w.Eligible()) != "missing" {
		t.Errorf("gone: %+v", w)
	}
	if w := got["parent-locked"]; !w.Locked || w.Missing || w.Why != "on a disk" || w.Eligible() != nil {
		t.Errorf("locked: %+v", w)
	}
	if w := got["parent-away"]; !w.Locked || !w.Missing {
		t.Errorf("away: %+v", w)
	}
	if w := got["parent-loose"]; !w.Detached || w.Branch != "" || w.Head == "" {
		t.Errorf("loose: %+v", w)
	}
}

func TestListOfASubmoduleHasItsMainCheckout(t *testing.T) {
	inner := newRepo(t)
	outer := newRepo(t)
	run(t, outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "sub")
	sub := filepath.Join(outer, "sub")
	run(t, sub, "worktree", "add", "-q", "-b", "w", outer+"-w")
	for _, dir := range []string{sub, outer + "-w"} {
		list, err := List(context.Background(), dir)
		if err != nil || len(list) != 2 || list[0].Path != sub || list[0].Missing {
			t.Errorf("List(%s): %+v %v", dir, list, err)
		}
	}
}

func TestTreePutsChildrenAfterTheirParents(t *testing.T) {
	dir := t.TempDir()
	make := func(name, parent string) Worktree {
		w := Worktree{Path: "/w/" + name, GitDir: filepath.Join(dir, name)}
		if err := os.Mkdir(w.GitDir, 0o755); err != nil {
			t.Fatal(err)
		}
		if parent != "" {
			if err := WriteLineage(w.GitDir, Lineage{Parent: "/w/" + parent}); err != nil {
				t.Fatal(err)
			}
		}
		return w
	}
	list := []Worktree{
		make("grandchild", "child"), make("main", ""), make("other", "main"), make("child", "main"), make("orphan", "removed"),
		make("tail", "round"), make("round", "trip"), make("trip", "round"), make("self", "self"),
	}
	var got []string
	for _, n := range Tree(list) {
		got = append(got, "          "[:n.Depth]+filepath.Base(n.Path)+"<"+filepath.Base(n.Parent))
	}
	want := []string{"main<.", " other<main", " child<main", "  grandchild<child", "orphan<.", "round<.", " tail<round", " trip<round", "self<."}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("\n got %q\nwant %q", got, want)
		}
	}
}

func TestLineageOutlivesBranchAndMove(t *testing.T) {
	top := newRepo(t)
	run(t, top, "worktree", "add", "-q", "-b", "c", top+"-c")
	want := Lineage{Parent: top, ParentBranch: "main", Base: run(t, top, "rev-parse", "HEAD"), Operation: "op", Session: &Session{Agent: "claude", ID: "1", Parent: "0"}}
	if err := WriteLineage(mustOpen(t, top+"-c").GitDir, want); err != nil {
		t.Fatal(err)
	}
	run(t, top+"-c", "switch", "-q", "-c", "renamed")
	run(t, top, "worktree", "move", top+"-c", top+"-moved")
	w := mustOpen(t, top+"-moved")
	got, err := ReadLineage(w.GitDir)
	if err != nil || got == nil || got.Parent != want.Parent || got.Base != want.Base || *got.Session != *want.Session {
		t.Fatalf("%+v %v", got, err)
	}
	entries, _ := os.ReadDir(w.GitDir)
	for _, e := range entries {
		if e.Name() != lineageFile && filepath.Ext(e.Name()) == ".json" || len(e.Name()) > len(lineageFile) && e.Name()[:len(lineageFile)] == lineageFile {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

func TestReadLineageSurvivesWhatItFinds(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "broken": "{", "list": "[]", "number": `{"parent": 7}`, "relative": `{"parent": "../x"}`,
		"deep": `{"parent": ` + string(make([]byte, 100)) + `}`, "large": `{"parent": "/` + string(make([]byte, lineageMax)) + `"}`,
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, lineageFile), text)
		if l, err := ReadLineage(dir); err == nil || l != nil {
			t.Errorf("%s: %+v %v", name, l, err)
		}
	}
	dir := t.TempDir()
	if l, err := ReadLineage(dir); l != nil || err != nil {
		t.Errorf("none: %+v %v", l, err)
	}
	write(t, filepath.Join(dir, lineageFile), `{"parent": "/a/../b", "base": "--output=/x", "later": {"field": 1}}`)
	if l, err := ReadLineage(dir); err != nil || l.Parent != "/b" || l.Base != "" {
		t.Errorf("tolerant: %+v %v", l, err)
	}
}
