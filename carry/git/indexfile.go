package git

import (
	"math"
	"strings"
)

// Index is what an index file says.
type Index struct {
	Entries []Entry

	content    string
	starts     []uint32 // where each entry begins in the content; nil where the entries come from `git ls-files`
	extensions int      // where what follows the entries begins
}

// FileTimes is what an entry remembers of its file: times in ns since 1970, the low 32 bits of inode and size. All are 0
// where git has not looked at the file.
type FileTimes struct {
	MTime, CTime int64
	Inode, Size  uint32
}

// KnowsTimes says whether Times can tell: `git ls-files` does not.
func (x *Index) KnowsTimes() bool { return x.starts != nil }

// Times is what git knew of an entry's file when it wrote the entry. They are read when they are asked for: with all of
// them in memory a large index would cost more in fresh pages than in reading.
func (x *Index) Times(entry int) FileTimes {
	r, at := indexReader{text: x.content}, int(x.starts[entry])
	return FileTimes{CTime: r.nanoseconds(at), MTime: r.nanoseconds(at + 8), Inode: r.uint32(at + 20), Size: r.uint32(at + 36)}
}

const (
	indexHeader    = 12 // "DIRC", version, number of entries
	indexTimes     = 40 // the part of an entry that is about its file: times, device, inode, mode, owner, size
	bitAssumeSame  = 1 << 15
	bitExtended    = 1 << 14
	bitSkipTree    = 1 << 14 // of the second flags
	bitAnnounced   = 1 << 13 // of the second flags
	indexStages    = 12      // where the stage begins in the flags
	longestInFlags = 0xfff
)

// ParseIndex reads an index file (gitformat-index(5), versions 2 to 4) whose object ids have idBytes bytes: 50,000
// entries in a few milliseconds, where `git ls-files` takes sixty. It is false for a file that only git itself can read:
// one that is split or sparse, that has an extension which must be understood, or whose entries are not in order.
func ParseIndex(content string, idBytes int) (Index, bool) {
	r := indexReader{text: content, id: idBytes}
	if len(r.text) < indexHeader+idBytes || len(r.text) > math.MaxUint32 || !strings.HasPrefix(r.text, "DIRC") {
		return Index{}, false
	}
	version, n := r.uint32(4), int(r.uint32(8))
	if version < 2 || version > 4 || n > len(r.text)/(indexTimes+idBytes+2) {
		return Index{}, false
	}
	x := Index{Entries: make([]Entry, n), content: content, starts: make([]uint32, n)}
	r.at, r.end = indexHeader, len(r.text)-idBytes
	for i := range n {
		x.starts[i] = uint32(r.at)
		if !r.entry(version, &x.Entries[i]) || i > 0 && !before(&x.Entries[i-1], &x.Entries[i]) {
			return Index{}, false
		}
	}
	x.extensions = r.at
	return x, r.passExtensions()
}

// before is the order of an index: by path in bytes, then by stage.
func before(a, b *Entry) bool {
	order := strings.Compare(a.Path, b.Path)
	return order < 0 || order == 0 && a.Stage < b.Stage
}

// Find gives the place of a path's merged entry, -1 where there is none; near is tried first.
func (x *Index) Find(path string, near int) int {
	if near < len(x.Entries) && x.Entries[near].Path == path && x.Entries[near].Stage == 0 {
		return near
	}
	from, to := 0, len(x.Entries)
	for from < to {
		if middle := (from + to) / 2; x.Entries[middle].Path < path {
			from = middle + 1
		} else {
			to = middle
		}
	}
	if from < len(x.Entries) && x.Entries[from].Path == path && x.Entries[from].Stage == 0 {
		return from
	}
	return -1
}

type indexReader struct {
	text     string
	id       int
	at, end  int
	lastPath string
}

func (r *indexReader) uint32(at int) uint32 {
	b := r.text[at : at+4]
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func (r *indexReader) nanoseconds(at int) int64 {
	return int64(r.uint32(at))*1e9 + int64(r.uint32(at+4))
}

// entry reads one. Its strings are parts of the text.
func (r *indexReader) entry(version uint32, e *Entry) bool {
	start := r.at
	if start+indexTimes+r.id+2 > r.end {
		return false
	}
	e.Mode = r.uint32(start + 24)
	r.at += indexTimes
	e.Object = r.text[r.at : r.at+r.id]
	r.at += r.id
	flags := uint32(r.text[r.at])<<8 | uint32(r.text[r.at+1])
	r.at += 2
	e.AssumeSame, e.Stage = flags&bitAssumeSame != 0, uint8(flags>>indexStages)&3
	if flags&bitExtended != 0 {
		if version == 2 || r.at+2 > r.end {
			return false
		}
		more := uint32(r.text[r.at]) << 8
		e.SkipWorktree, e.Announced = more&bitSkipTree != 0, more&bitAnnounced != 0
		r.at += 2
	}
	if version == 4 {
		return r.shortPath(e)
	}
	length := strings.IndexByte(r.text[r.at:r.end], 0)
	if length <= 0 || min(length, longestInFlags) != int(flags&longestInFlags) {
		return false
	}
	e.Path = r.text[r.at : r.at+length]
	r.at += length
	r.at = start + (r.at-start+8)/8*8 // one to eight zeros
	return r.at <= r.end
}

// shortPath reads a path of version 4: how many bytes to cut from the end of the one before, and what follows them.
func (r *indexReader) shortPath(e *Entry) bool {
	cut := 0
	for first := true; ; first = false {
		if r.at >= r.end || cut > len(r.lastPath) {
			return false
		}
		b := r.text[r.at]
		r.at++
		if !first {
			cut++
		}
		cut = cut<<7 | int(b&0x7f)
		if b&0x80 == 0 {
			break
		}
	}
	length := strings.IndexByte(r.text[r.at:r.end], 0)
	if cut > len(r.lastPath) || length < 0 {
		return false
	}
	e.Path = r.lastPath[:len(r.lastPath)-cut] + r.text[r.at:r.at+length]
	r.at += length + 1
	r.lastPath = e.Path
	return e.Path != ""
}

// passExtensions says whether all that follows the entries may be passed over: git writes the name of such a one in capitals.
func (r *indexReader) passExtensions() bool {
	for r.at < r.end {
		if r.at+8 > r.end || r.text[r.at] < 'A' || r.text[r.at] > 'Z' {
			return false
		}
		r.at += 8 + int(r.uint32(r.at+4))
	}
	return r.at == r.end
}
