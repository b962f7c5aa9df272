// Package pinned says which versions of the real agents the tests run, and where they are installed. versions.json is
// the only place that names a version.
package pinned

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
)

//go:embed versions.json
var versions []byte

// Agent is one agent's program, as npm has it.
type Agent struct {
	Name    string `json:"name"`    // the word on sidefork's wire, and the command
	Package string `json:"package"` // the npm package
	Version string `json:"version"`
	// AfterInstall is the package's own install script: npm is told to run none, so that it does not depend on npm's
	// version whether this one ran.
	AfterInstall string `json:"afterInstall"`
	// Integrity is the hash of each package that may be installed, by its place in npm's lock file. One that is not
	// listed (another platform's) is not checked.
	Integrity map[string]string `json:"integrity"`
}

// Agents gives the agents that the tests need.
func Agents() ([]Agent, error) {
	var agents []Agent
	if err := json.Unmarshal(versions, &agents); err != nil {
		return nil, fmt.Errorf("pinned: versions.json: %w", err)
	}
	return agents, nil
}

// Cache is the folder that installed agents are kept in: $SIDEFORK_CACHE, else .cache at the top of the project.
func Cache() (string, error) {
	if own := os.Getenv("SIDEFORK_CACHE"); own != "" {
		return filepath.Abs(own)
	}
	root, err := Project()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, ".cache"), nil
}

// Project is the top folder of the project that the current folder is in.
func Project() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("pinned: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", fmt.Errorf("pinned: no go.mod in the current folder or above it")
		}
		dir = above
	}
}

// Folder is where the agent is installed below a cache. It exists only when it is complete.
func (a Agent) Folder(cache string) string {
	return filepath.Join(cache, "agents", path.Base(a.Package)+"@"+a.Version)
}

// Bin is the folder of the agent's command in an installation, to be put on PATH.
func Bin(folder string) string { return filepath.Join(folder, "node_modules", ".bin") }
