package watch

import "golang.org/x/sys/unix"

// told says whether the system tells all that happens in a folder: not on file systems that others write too, or that lie
// behind a program.
func told(folder string) bool {
	var fs unix.Statfs_t
	if unix.Statfs(folder, &fs) != nil {
		return false
	}
	switch uint32(fs.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC,
		unix.V9FS_MAGIC, unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC:
		return false
	}
	return true
}
