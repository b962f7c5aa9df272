package doctor

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// space is how many bytes a user may still write where path is, and which volume that is.
func space(path string) (free uint64, on string, err error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, "", err
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, filepath.VolumeName(path), err
}
