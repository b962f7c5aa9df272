package watch

import "golang.org/x/sys/unix"

// inOrder says that what happens is told in the order in which it happens, whatever folder it is in.
const inOrder = true

// most is how much may be watched.
func most() int { return Most }

// cost is what watching a folder takes of most; 0 where the system does not tell all that happens there: on file systems
// that others write too, or that lie behind a program.
func cost(folder string) int {
	var fs unix.Statfs_t
	if unix.Statfs(folder, &fs) != nil {
		return 0
	}
	switch uint32(fs.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC:
		return 0
	}
	return 1
}
