package carry

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sidefork/sidefork/carry/git"
)

// A reflog may outlive its branch. git goes on writing in the one that it finds at the name of a new branch, and deletes
// it with that. What an earlier branch has left there is not ours: it is saved before the branch is deleted.

func reflogFile(commonDir, branch string) string {
	return filepath.Join(commonDir, "logs", "refs", "heads", filepath.FromSlash(branch))
}

func savedReflog(commonDir, id string) string {
	return filepath.Join(operationsFolder(commonDir), id+".reflog")
}

// saveReflog copies what was in the branch's reflog before the operation made the branch.
func (u undo) saveReflog(ws *WorkspaceStep) error {
	path := reflogFile(u.common, ws.Branch)
	if !isFile(path) {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	earlier := beforeLine(text, "\t"+branchMessage(u.journal.id)+"\n")
	if len(earlier) == 0 && !ws.Reflog {
		return nil
	}
	saved := savedReflog(u.common, u.journal.id)
	err = writeLasting(saved+".new", earlier, info.Mode().Perm())
	if err == nil {
		err = os.Rename(saved+".new", saved)
	}
	if err != nil {
		os.Remove(saved + ".new")
	}
	return err
}

// beforeLine is the text before the line that ends so.
func beforeLine(text []byte, end string) []byte {
	before, _, _ := bytes.Cut(text, []byte(end))
	return before[:bytes.LastIndexByte(before, '\n')+1]
}

// restoreReflog puts it back. Where somebody has made such a branch meanwhile it stays where it was saved.
func (u undo) restoreReflog(ctx context.Context, ws *WorkspaceStep) error {
	saved, path := savedReflog(u.common, u.journal.id), reflogFile(u.common, ws.Branch)
	if nothingAt(saved) || !nothingAt(path) {
		return nil
	}
	if oid, err := git.BranchAt(ctx, u.git(), ws.Branch); err != nil || oid != "" {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.Rename(saved, path)
}

// dropReflog removes the reflog that a git has begun which was ended before it made the branch: there was none, there is no
// branch, and in it is nothing, or our line alone.
func (u undo) dropReflog(ctx context.Context, ws *WorkspaceStep) error {
	path := reflogFile(u.common, ws.Branch)
	if ws.Reflog || !isFile(path) {
		return nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	line, ours := bytes.CutSuffix(text, []byte("\t"+branchMessage(u.journal.id)+"\n"))
	if len(text) > 0 && (!ours || bytes.ContainsRune(line, '\n')) {
		return nil
	}
	if oid, err := git.BranchAt(ctx, u.git(), ws.Branch); err != nil || oid != "" {
		return err
	}
	return os.Remove(path)
}

// writeLasting writes a file that is on the disk when it returns.
func writeLasting(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
