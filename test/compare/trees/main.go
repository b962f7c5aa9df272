// Trees prints how a child worktree differs from its parent and exits with 1 where it does: package compare for scripts.
//
//	trees [--index] [--submodules] [--folder-modes] [--empty-folders] PARENT CHILD
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/sidefork/sidefork/test/compare"
)

func main() {
	var opts compare.Options
	flag.BoolVar(&opts.Index, "index", false, "HEAD, index entries and flags too")
	flag.BoolVar(&opts.Submodules, "submodules", false, "checked-out submodules too")
	flag.BoolVar(&opts.FolderModes, "folder-modes", false, "modes of untracked folders too")
	flag.BoolVar(&opts.EmptyFolders, "empty-folders", false, "empty folders too")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: trees [flags] PARENT CHILD")
		os.Exit(2)
	}
	found := compare.Trees(flag.Arg(0), flag.Arg(1), opts)
	for _, difference := range found {
		fmt.Println(difference)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}
