package carry

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
)

// TestMain gives all tests one HOME of their own, with no configuration of git in it, so that they can run side by side.
func TestMain(m *testing.M) {
	if status, served := asAnother(); served {
		os.Exit(status)
	}
	home, err := os.MkdirTemp("", "sidefork-carry-test-")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg"), "GIT_CONFIG_NOSYSTEM": "1",
	} {
		os.Setenv(name, value)
	}
	status := m.Run()
	os.RemoveAll(home)
	os.Exit(status)
}

// sampled says whether a case of a test's large table runs: all of them do, or, where time is short (`make check`), a tenth
// of them, of a table that several tests share another tenth in each.
func sampled(t *testing.T, name string) bool {
	h := fnv.New32a()
	h.Write([]byte(t.Name() + name))
	return !testing.Short() || h.Sum32()%10 == 0
}
