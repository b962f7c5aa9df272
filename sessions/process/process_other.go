//go:build !linux

package process

// Folder, Arguments and Open cannot be told here.
func (p Process) Folder() string      { return "" }
func (p Process) Arguments() []string { return nil }
func (p Process) Open() []string      { return nil }

// Space is "": there is one for all.
func Space() string { return "" }
