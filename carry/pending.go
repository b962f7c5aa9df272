package carry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Pending is an operation whose end its journal does not tell.
type Pending struct {
	Operation string
	State     string // running; interrupted: Recover takes it back; unreadable: its journal
	Workspace string // what stands of it, as far as the journal says; "" where nothing does
}

// LookForPending lists what runs in a repository and what was interrupted there. Unlike Recover and Outcome it takes nothing
// back and writes nothing; what it calls running was so at that moment.
func LookForPending(commonDir string) (list []Pending, err error) {
	entries, err := os.ReadDir(operationsFolder(commonDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("carry: pending: %w", err)
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !isOperationID(id) {
			continue
		}
		if _, ended := readEnd(commonDir, id); ended {
			continue
		}
		t, err := readTrail(commonDir, id)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && t.end != "":
			continue
		case err != nil:
			list = append(list, Pending{Operation: id, State: "unreadable"})
			continue
		}
		p := Pending{Operation: id, State: "interrupted"}
		if isLocked(operationLock(commonDir, id)) {
			p.State = "running"
		}
		p.Workspace, _ = t.stands()
		list = append(list, p)
	}
	return list, nil
}

// isLocked says whether somebody has the lock at path.
func isLocked(path string) bool {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false // there is none, or it is not for us to take
	}
	defer file.Close()
	if err := lockFile(file); err != nil {
		return errors.Is(err, errLocked)
	}
	unlockFile(file)
	return false
}
