package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/cmd/sidefork/doctor"
)

func TestDoctorMarksAccountFoldersThatAreNotThere(t *testing.T) {
	home := t.TempDir()
	there, gone := filepath.Join(home, ".claude"), filepath.Join(home, ".codex")
	if err := os.Mkdir(there, 0o700); err != nil {
		t.Fatal(err)
	}
	examine := func(args ...string) string {
		c := newConsole(t, nil)
		c.line.env.Getenv = func(name string) string {
			if name == "HOME" || name == "USERPROFILE" {
				return home
			}
			return ""
		}
		c.line.main(append([]string{"doctor"}, args...))
		return c.out.String()
	}
	text := examine()
	for _, want := range []string{"account folder " + there + "\n", "account folder " + gone + " (not there)\n", " 0 sessions\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	var found doctor.Examination
	if err := json.Unmarshal([]byte(examine("--json")), &found); err != nil {
		t.Fatal(err)
	}
	for _, a := range found.Agents {
		if a.Agent == "codex" && (slices.Contains(a.Homes, gone) || !slices.Contains(a.Missing, gone)) {
			t.Errorf("homes %v, missing %v", a.Homes, a.Missing)
		}
	}
}
