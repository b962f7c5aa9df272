package carry

import (
	"os"
	"slices"
)

// takeBack is a stand-in until takeback.go is there, which wins.
func takeBack(step CarryStep) error { return takeBackStub(step) }

func takeBackStub(step CarryStep) error {
	root, err := os.OpenRoot(step.Target)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, p := range slices.Backward(step.Paths) {
		name := string(p.Path)
		if info, err := root.Lstat(name); err == nil && (expected{WrittenPath: p}).matches(info) {
			if err := root.Remove(name); err != nil && !info.IsDir() {
				return err
			}
		}
	}
	return nil
}
