//go:build !linux && !darwin

package watch

import "runtime"

// inOrder is not so: on Windows each folder is a source of its own.
const inOrder = false

// most is how much may be watched.
func most() int { return Most }

// cost is what watching a folder takes of most; 0 where nothing is known of the system's watching.
func cost(string) int {
	if runtime.GOOS == "windows" {
		return 1
	}
	return 0
}
