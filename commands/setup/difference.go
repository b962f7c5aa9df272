package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"
)

// Content is a file or a link that a setup's hash covers, kept so that a later one can be compared with it.
type Content struct {
	Path string `json:"path"` // from the top level
	Link bool   `json:"link,omitempty"`
	Sum  string `json:"sum"`            // SHA-256 of all of it
	Size int    `json:"size"`           // bytes of all of it
	Text []byte `json:"text,omitempty"` // all of it, or nothing where it is too large to keep
}

const (
	maxKeptFile = 64 << 10  // bytes of one file that are kept
	maxKept     = 256 << 10 // of all that a setup names
	maxLines    = 400       // of a difference
	maxLine     = 400       // characters of a line of it
)

func contentOf(path string, kind kind, text []byte) Content {
	sum := sha256.Sum256(text)
	c := Content{Path: path, Link: kind == link, Sum: hex.EncodeToString(sum[:]), Size: len(text)}
	if len(text) <= maxKeptFile {
		c.Text = text
	}
	return c
}

// whole is the content as lines, a link as "-> TARGET"; false where not all of it is there, or it is no text.
func (c Content) whole() ([]byte, bool) {
	switch {
	case len(c.Text) != c.Size, bytes.ContainsRune(c.Text, 0):
		return nil, false
	case c.Link:
		return fmt.Appendf(nil, "-> %s\n", c.Text), true
	}
	return c.Text, true
}

// Difference is a unified diff between what two hashes cover, every character of it one that can be seen, and cut where it
// is long, which its last line says. It is "" where nothing is known of one of them.
func Difference(was, is []Content) string {
	if len(was) == 0 || len(is) == 0 {
		return ""
	}
	before, after := byPath(was), byPath(is)
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	var lines []string
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		old, wasThere := before[p]
		now, isThere := after[p]
		if old.Sum == now.Sum && old.Link == now.Link {
			continue
		}
		oldName, newName := "a/"+p, "b/"+p
		if !wasThere {
			oldName = "/dev/null"
		}
		if !isThere {
			newName = "/dev/null"
		}
		oldText, okOld := old.whole()
		newText, okNew := now.whole()
		text := ""
		if okOld && okNew {
			_, text, _ = strings.Cut(string(diff.Diff(oldName, oldText, newName, newText)), "\n") // the first line names them once more
		}
		if text == "" {
			text = fmt.Sprintf("%s and %s differ (%d bytes, %d bytes)", oldName, newName, old.Size, now.Size)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			lines = append(lines, visible(line))
		}
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("… +%d", more))
	}
	return strings.Join(lines, "\n")
}

func byPath(list []Content) map[string]Content {
	paths := map[string]Content{}
	for _, c := range list {
		paths[c.Path] = c
	}
	return paths
}

// visible is a line with every character that could hide something written out: <U+001B>.
func visible(line string) string {
	var out strings.Builder
	n := 0
	for i, r := range line {
		if n++; n > maxLine {
			out.WriteString("…")
			break
		}
		switch _, size := utf8.DecodeRuneInString(line[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, "<%02X>", line[i])
		case r != '\t' && !shown(string(r)):
			fmt.Fprintf(&out, "<U+%04X>", r)
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
