package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// FileFacts is what an entry of an index remembers of its file, so that git need not read it to know that it is as it
// was: times in ns since 1970, the others as stat(2) gives them, the low 32 bits of each. The zero value says nothing, and git
// reads the file.
type FileFacts struct {
	CTime, MTime                  int64
	Device, Inode, UID, GID, Size uint32
}

// BuildIndex gives an index file (gitformat-index(5), version 2) of merged entries without bits, in the order of an index:
// by path in bytes. files are what is known of the file of each. tree is the content of a TREE extension that is true of
// the same entries, "" for none. The ids have the length of the first one's.
func BuildIndex(entries []Entry, files []FileFacts, tree string) []byte {
	size := indexHeader + 8 + len(tree) + sha256.Size
	for i := range entries {
		size += indexTimes + len(entries[i].Object) + 2 + len(entries[i].Path) + 8
	}
	out := append(make([]byte, 0, size), "DIRC\x00\x00\x00\x02"...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(entries)))
	for i := range entries {
		out = appendEntry(out, &entries[i], &files[i])
	}
	if tree != "" {
		out = binary.BigEndian.AppendUint32(append(out, "TREE"...), uint32(len(tree)))
		out = append(out, tree...)
	}
	if len(entries) > 0 && len(entries[0].Object) == sha256.Size {
		sum := sha256.Sum256(out)
		return append(out, sum[:]...)
	}
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

func appendEntry(out []byte, e *Entry, f *FileFacts) []byte {
	start := len(out)
	for _, n := range [...]uint32{
		uint32(f.CTime / 1e9), uint32(f.CTime % 1e9), uint32(f.MTime / 1e9), uint32(f.MTime % 1e9),
		f.Device, f.Inode, e.Mode, f.UID, f.GID, f.Size,
	} {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	out = append(out, e.Object...)
	out = binary.BigEndian.AppendUint16(out, uint16(min(len(e.Path), longestInFlags)))
	out = append(out, e.Path...)
	for padding := 8 - (len(out)-start)%8; padding > 0; padding-- { // one to eight zeros
		out = append(out, 0)
	}
	return out
}

// Extension gives the content of an index file's extension, "" where it has none of that name, or cannot be read.
func (x *Index) Extension(name string) string {
	if x.starts == nil {
		return ""
	}
	r := indexReader{text: x.content, at: x.extensions, end: len(x.content)}
	for r.at+8 <= r.end {
		from, size := r.at+8, int(r.uint32(r.at+4))
		if from+size > r.end {
			return ""
		}
		if strings.HasPrefix(r.text[r.at:], name) {
			return r.text[from : from+size]
		}
		r.at = from + size
	}
	return ""
}
