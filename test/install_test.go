package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestInstallFillsACleanRootAndNothingElse: make install, into a root of its own.
func TestInstallFillsACleanRootAndNothingElse(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("it links the program")
	}
	root := t.TempDir()
	out, err := exec.Command("make", "-C", "..", "install", "DESTDIR="+root, "PREFIX=/opt/the prefix", "VERSION=v1.2.3-test").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	prefix := filepath.Join(root, "opt", "the prefix")
	var files []string
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			below, inside := strings.CutPrefix(path, prefix+"/")
			if !inside {
				t.Errorf("%s is not below the prefix", path)
			}
			files = append(files, below)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"bin/sidefork", "share/bash-completion/completions/sidefork", "share/zsh/site-functions/_sidefork",
		"share/fish/vendor_completions.d/sidefork.fish", "share/sidefork/completions/sidefork.ps1",
		"share/man/man1/sidefork.1", "share/man/man1/sidefork-fork.1", "share/man/man1/sidefork-dialog.1",
	} {
		if !slices.Contains(files, want) {
			t.Errorf("there is no %s in %q", want, files)
		}
	}
	program := filepath.Join(prefix, "bin", "sidefork")
	if out, err := exec.Command(program, "version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "sidefork v1.2.3-test (") {
		t.Errorf("%s%v", out, err)
	}
	page, err := os.ReadFile(filepath.Join(prefix, "share/man/man1/sidefork-fork.1"))
	if err != nil || !strings.Contains(string(page), `.TH "SIDEFORK-FORK" "1"`) || !strings.Contains(string(page), "v1.2.3-test") || strings.Contains(string(page), root) {
		t.Errorf("the page of fork: %v\n%.300s", err, page)
	}
	for shell, check := range map[string]string{
		"bash": `. "$1"/bash-completion/completions/sidefork && complete -p sidefork`,
		"zsh":  `zsh -n "$1"/zsh/site-functions/_sidefork`,
		"fish": `fish --no-execute "$1"/fish/vendor_completions.d/sidefork.fish`,
	} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("%s is not installed", shell)
			continue
		}
		if out, err := exec.Command("bash", "-c", check, "bash", filepath.Join(prefix, "share")).CombinedOutput(); err != nil {
			t.Errorf("the completion for %s: %v\n%s", shell, err, out)
		}
	}
}
