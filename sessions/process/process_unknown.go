//go:build !linux && !darwin && !windows

package process

import (
	"errors"
	"fmt"
)

// Below cannot be told here.
func Below(int) ([]Process, error) { return nil, fmt.Errorf("process: %w", errors.ErrUnsupported) }
