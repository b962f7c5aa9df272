//go:build !unix

package terminal

import "errors"

// Run needs pseudo-terminals, and Job jobs: there are none here.
func Run(Options) (Ended, error) { return Ended{}, errors.ErrUnsupported }
func Job([]string) (int, error)  { return 1, errors.ErrUnsupported }
