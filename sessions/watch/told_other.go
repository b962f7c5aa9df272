//go:build !linux

package watch

import "runtime"

// told says whether the system tells what happens in a folder for the price of one watch. On macOS and the BSDs each file
// in it costs one, and an open file.
func told(string) bool { return runtime.GOOS == "windows" }
