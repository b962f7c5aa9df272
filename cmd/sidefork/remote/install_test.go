//go:build unix

package remote

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// there is a machine without sidefork, by a stand-in for ssh, and its home.
func there(t *testing.T) (h *Host, home string) {
	t.Helper()
	ssh := fake(t, "")
	script, err := os.ReadFile(ssh)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(script), "HOME=")
	home, _, _ = strings.Cut(rest, " ")
	h, failed := New(Options{Name: "box", SSH: ssh, Version: "1"})
	if failed != nil {
		t.Fatal(failed)
	}
	return h, home
}

// dist is a folder with a program for this machine.
func dist(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sidefork-"+runtime.GOOS+"-"+runtime.GOARCH), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func program(version string) string {
	return "#!/bin/sh\n[ \"$1\" = version ] && echo 'sidefork " + version + " (go1.26, here)'\n"
}

// files are all below a home, each with where a link leads.
func files(t *testing.T, home string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(path, home+"/.local/")
		if to, err := os.Readlink(path); err == nil {
			name += " -> " + strings.TrimPrefix(to, home+"/.local/")
		}
		list = append(list, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestInstallIsOneVersionFolderAndALink(t *testing.T) {
	h, home := there(t)
	first := dist(t, program("1.2.3"))
	for _, want := range []string{"installed", "present"} {
		r, failed := h.Install(t.Context(), first)
		if failed != nil {
			t.Fatalf("%+v", failed)
		}
		if r.Done != want || r.Version != "1.2.3" || r.Platform != runtime.GOOS+"/"+runtime.GOARCH || r.Link != home+"/.local/bin/sidefork" || len(r.SHA256) != 64 {
			t.Errorf("%+v, want %s", r, want)
		}
	}
	if out, err := exec.Command(home+"/.local/bin/sidefork", "version").Output(); err != nil || !strings.HasPrefix(string(out), "sidefork 1.2.3") {
		t.Errorf("%s, %v", out, err)
	}
	// Another version beside it, and the link goes over to that; a mended build of the same one takes its place.
	for _, text := range []string{program("1.3.0"), program("1.3.0") + "# mended\n"} {
		if r, failed := h.Install(t.Context(), dist(t, text)); failed != nil || r.Done != "installed" {
			t.Fatalf("%+v %+v", r, failed)
		}
	}
	want := []string{"bin/sidefork -> share/sidefork/1.3.0/sidefork", "share/sidefork/1.2.3/sidefork", "share/sidefork/1.3.0/sidefork"}
	if got := files(t, home); !slices.Equal(got, want) {
		t.Errorf("there are %q", got)
	}
}

func TestAnInstallationThatFailsLeavesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		program, code string
		before        func(home string) error
		left          []string
	}{
		"a program that does not run":    {"#!/nonexistent\n", "hostInstallFailed", nil, nil},
		"one that is none of ours":       {"#!/bin/sh\necho hello\n", "hostInstallFailed", nil, nil},
		"a version that is a path":       {program("../../x"), "hostInstallFailed", nil, nil},
		"a version that is hostile":      {program("1;touch\\ x"), "hostInstallFailed", nil, nil},
		"somebody else's program there":  {program("1"), "hostHasAnother", func(home string) error { return os.WriteFile(home+"/.local/bin/sidefork", []byte("theirs"), 0o755) }, []string{"bin/sidefork"}},
		"somebody else's link there":     {program("1"), "hostHasAnother", func(home string) error { return os.Symlink("/opt/sidefork", home+"/.local/bin/sidefork") }, []string{"bin/sidefork -> /opt/sidefork"}},
		"no program for the platform":    {"", "hostNoProgram", nil, nil},
		"a folder that cannot be filled": {program("1"), "hostInstallFailed", func(home string) error { return os.WriteFile(home+"/.local/share", nil, 0o644) }, []string{"share"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, home := there(t)
			if c.before != nil {
				if err := c.before(home); err != nil {
					t.Fatal(err)
				}
			}
			from := t.TempDir()
			if c.program != "" {
				from = dist(t, c.program)
			}
			r, failed := h.Install(t.Context(), from)
			if failed == nil || failed.Reason.Code != c.code {
				t.Errorf("%+v, %+v", r, failed)
			}
			if got := files(t, home); !slices.Equal(got, c.left) {
				t.Errorf("there are %q", got)
			}
		})
	}
}

func TestThePlatformIsThatOfUname(t *testing.T) {
	for said, want := range map[string]string{
		"Linux x86_64\n": "linux/amd64", "Linux aarch64\n": "linux/arm64", "Darwin arm64\n": "darwin/arm64", "FreeBSD amd64": "", "Linux riscv64": "", "": "",
	} {
		if got := platformOf(said); got != want {
			t.Errorf("%q is %q", said, got)
		}
	}
}
