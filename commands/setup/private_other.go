//go:build !unix

package setup

import "io/fs"

// private is the affair of the folder that it lies in.
func private(fs.FileInfo) bool { return true }
