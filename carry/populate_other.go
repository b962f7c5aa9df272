//go:build !unix

package carry

import (
	"context"
	"errors"

	"github.com/sidefork/sidefork/carry/git"
)

// canPopulate: a file has no identity here by which the parent's index could vouch for it.
const canPopulate = false

type folderAt struct {
	name string
	open bool
}

func (*folderAt) enter(*lookup, string) error { return errors.ErrUnsupported }
func (*folderAt) close()                      {}

func (*populating) copyClean(context.Context, folderAt, folderAt, int, string, []byte) (git.FileFacts, bool, error) {
	return git.FileFacts{}, false, errors.ErrUnsupported
}
