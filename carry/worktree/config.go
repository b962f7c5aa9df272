package worktree

import (
	"os"
	"path/filepath"
	"strings"
)

// sharedConfig reads <common>/config, section and key in lower case ("core.ignorecase"), without what it includes and
// without subsections. It is for questions whose answer may be missed, and saves a process for each.
func sharedConfig(commonDir string) map[string]string {
	values := map[string]string{}
	file, err := os.ReadFile(filepath.Join(commonDir, "config"))
	if err != nil {
		return values
	}
	section := ""
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			name, rest, closed := strings.Cut(line[1:], "]")
			if !closed {
				continue
			}
			section, line = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(rest)
		}
		if line == "" || line[0] == '#' || line[0] == ';' || strings.Contains(section, `"`) {
			continue
		}
		key, value, given := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		if !given {
			value = "true"
		}
		if unquoted, ok := strings.CutPrefix(value, `"`); ok {
			value, _, _ = strings.Cut(unquoted, `"`)
		}
		values[section+"."+strings.ToLower(strings.TrimSpace(key))] = value
	}
	return values
}

func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}
