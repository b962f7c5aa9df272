package carry

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// bringObjects gives a store all objects of another: by hard links, as `git clone` does from a folder, since git never
// writes into an object and each store may drop its own names of them. Where there can be no link they are copied, and
// where there must not be one: inTree, the store lies among the parent's files, whose link count and change time are its
// own. It may be called again, and brings what came since.
func bringObjects(ctx context.Context, from, to string, inTree bool) error {
	bring := os.Link
	if inTree {
		bring = copyFile
	}
	source, target := filepath.Join(from, "objects"), filepath.Join(to, "objects")
	// A git that packs meanwhile removes loose objects once they are in a pack: what was gone is there at the next look.
	for range 5 {
		missed, err := bringBelow(ctx, source, target, bring)
		if err != nil || !missed {
			return errors.Join(err, bringAlternates(source, target))
		}
	}
	return &fs.PathError{Op: "copy", Path: source, Err: fs.ErrNotExist}
}

func bringBelow(ctx context.Context, source, target string, bring func(from, to string) error) (missed bool, err error) {
	err = filepath.WalkDir(source, func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			missed = true
			return nil
		}
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, context.Cause(ctx))
		}
		below, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		to := filepath.Join(target, below)
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case !d.Type().IsRegular() || leaveInStore(name) || below == filepath.Join("info", "alternates"):
			return nil
		}
		if !nothingAt(to) {
			return nil
		}
		err = bring(name, to)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			err = copyFile(name, to)
		}
		if errors.Is(err, fs.ErrNotExist) {
			missed, err = true, nil
		}
		return err
	})
	return missed, err
}

// bringAlternates names the stores that the source borrows objects from, from where the target is.
func bringAlternates(source, target string) error {
	text, err := os.ReadFile(filepath.Join(source, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var lines strings.Builder
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' || line[0] == '"' {
			lines.WriteString(line + "\n")
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(source, filepath.FromSlash(line))
		}
		lines.WriteString(filepath.ToSlash(line) + "\n")
	}
	return os.WriteFile(filepath.Join(target, "info", "alternates"), []byte(lines.String()), 0o644)
}
