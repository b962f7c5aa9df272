package template_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/template"
)

func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0", "GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestACopyIsTheRepositoryThatGitMade in both object formats: git finds every object, and every file as its index says.
func TestACopyIsTheRepositoryThatGitMade(t *testing.T) {
	made := 0
	base := template.Of(func(top, kind string) error {
		made++
		git(t, top, "init", "-q", "-b", "main", "--object-format="+kind)
		for name, content := range map[string]string{"a": "one\n", "d/e/b": "two\n", "empty": "", "seven77": "x", "eight888": "y"} {
			if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755), os.WriteFile(filepath.Join(top, name), []byte(content), 0o755)); err != nil {
				return err
			}
		}
		if err := os.Symlink("d/e", filepath.Join(top, "link")); err != nil {
			return err
		}
		git(t, top, "add", "-A")
		git(t, top, "commit", "-q", "-m", "base")
		return nil
	})
	for _, kind := range []string{"sha1", "sha256"} {
		for range 2 {
			top := filepath.Join(t.TempDir(), "copy")
			if err := base(top, kind); err != nil {
				t.Fatal(err)
			}
			git(t, top, "fsck", "--strict")
			if said := git(t, top, "diff-files"); said != "" { // goes by times and inodes alone
				t.Errorf("%s: the index does not know the files: %s", kind, said)
			}
			if said := git(t, top, "status", "--porcelain") + git(t, top, "rev-parse", "--abbrev-ref", "HEAD", "--show-object-format"); said != "main\n"+kind+"\n" {
				t.Errorf("%s: %s", kind, said)
			}
			if listed := git(t, top, "ls-files", "-s"); strings.Count(listed, "100755") != 5 || strings.Count(listed, "120000") != 1 {
				t.Errorf("%s: %s", kind, listed)
			}
		}
	}
	if made != 2 {
		t.Errorf("made %d times", made)
	}
}
