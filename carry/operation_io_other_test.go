//go:build !linux

package carry

func asAnother() (status int, served bool) { return 0, false }
