//go:build !unix

package template

import "os/exec"

func refresh(top string) error {
	return exec.Command("git", "-C", top, "update-index", "-q", "--refresh").Run()
}
