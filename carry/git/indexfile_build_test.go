package git

import (
	"slices"
	"strings"
	"testing"
)

// TestABuiltIndexIsReadAsItWasMeant has paths of every length within the padding, and those at the limit of what the flags
// can say. That git itself reads such an index is carry's TestCleanFilesAreCopiedAndKnownToTheChildsIndex.
func TestABuiltIndexIsReadAsItWasMeant(t *testing.T) {
	t.Parallel()
	for _, idBytes := range []int{20, 32} {
		var entries []Entry
		for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 0xffe, 0xfff, 0x1000, 0x1001} {
			entries = append(entries, Entry{Path: strings.Repeat("p", n), Mode: ModeFile, Object: strings.Repeat("\x01", idBytes)})
		}
		files := make([]FileFacts, len(entries))
		files[3] = FileFacts{CTime: 5_000_000_006, MTime: 7_000_000_008, Device: 9, Inode: 10, UID: 11, GID: 12, Size: 13}
		for _, tree := range []string{"", "a tree"} {
			x, ok := ParseIndex(string(BuildIndex(entries, files, tree)), idBytes)
			if !ok || !slices.Equal(x.Entries, entries) || x.Extension("TREE") != tree || x.Extension("REUC") != "" {
				t.Errorf("%d bytes, tree %q: %v %+v", idBytes, tree, ok, x.Entries)
			}
			if at := x.Times(3); at != (FileTimes{CTime: 5_000_000_006, MTime: 7_000_000_008, Inode: 10, Size: 13}) {
				t.Errorf("the file's times are %+v", at)
			}
		}
	}
	if x, ok := ParseIndex(string(BuildIndex(nil, nil, "")), 20); !ok || len(x.Entries) > 0 {
		t.Errorf("an empty index is %+v", x)
	}
}
