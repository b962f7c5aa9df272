package test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestTheSameSourceGivesTheSameProgram: make dist here, and of a copy of the source that lies elsewhere and is no clone.
func TestTheSameSourceGivesTheSameProgram(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("it links the program twice")
	}
	platform := runtime.GOOS + "/" + runtime.GOARCH
	made := func(source string) (program, sums []byte) {
		t.Helper()
		folder := filepath.Join(t.TempDir(), "with a blank")
		out, err := exec.Command("make", "-C", source, "dist", "DIST="+folder, "PLATFORMS="+platform, "VERSION=v1.2.3-test").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		name := filepath.Join(folder, "sidefork-"+strings.ReplaceAll(platform, "/", "-"))
		if out, err := exec.Command(name, "version").CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "sidefork v1.2.3-test (") {
			t.Errorf("%s%v", out, err)
		}
		if program, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
		if sums, err = os.ReadFile(filepath.Join(folder, "SHA256SUMS")); err != nil {
			t.Fatal(err)
		}
		check := exec.Command("sh", "-c", "sha256sum -c SHA256SUMS || shasum -a 256 -c SHA256SUMS")
		check.Dir = folder
		if out, err := check.CombinedOutput(); err != nil || !strings.Contains(string(out), ": OK") {
			t.Errorf("the sums: %v\n%s", err, out)
		}
		return program, sums
	}
	here, sums := made("..")
	elsewhere, again := made(copied(t))
	if !bytes.Equal(here, elsewhere) || !bytes.Equal(sums, again) {
		t.Errorf("the programs differ:\n%s%s", sums, again)
	}
	if bytes.Contains(here, []byte(mustAbs(t, ".."))) {
		t.Error("the program knows where it was made")
	}
}

// copied is the source without its history, in another folder: what git has, as it lies here.
func copied(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("git", "-C", "..", "ls-files", "-z", "--", "*.go", "commands/locales", "go.mod", "go.sum", "Makefile", "test/memory").Output()
	if err != nil {
		t.Skipf("this is no clone: %v", err)
	}
	folder := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join("..", name))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
