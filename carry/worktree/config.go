package worktree

import (
	"os"
	"path/filepath"
	"strings"
)

// sharedConfig reads <common>/config, section and key in lower case ("core.ignorecase", `branch "Main".merge`), without
// what it includes. It is for questions whose answer may be missed, and saves a process for each.
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
			kind, sub, has := strings.Cut(strings.TrimSpace(name), `"`)
			section, line = strings.ToLower(kind), strings.TrimSpace(rest)
			if has {
				section += `"` + sub
			}
		}
		if line == "" || line[0] == '#' || line[0] == ';' {
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
