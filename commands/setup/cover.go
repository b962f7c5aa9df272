package setup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

const (
	maxCovered = 16 << 20 // bytes of a file that a command names; of a larger one nobody has judged the content
	maxNames   = 4000     // words of the commands that may be files
	maxHops    = 8        // links after links
)

var errTooFar = errors.New("setup: too many links")

// cover is the hash of what is trusted: the setup's own file, and each file and link of the repository that its commands
// name. Paths, kinds and lengths are part of it, so that no content can stand in for another's. The second is what it covers.
func cover(ctx context.Context, v View, source string, commands []string) (string, []Content, error) {
	named := names(commands)
	if len(named) > maxNames {
		return "", nil, broken(source, fmt.Sprintf("its commands have more than %d words", maxNames))
	}
	covered, err := follow(ctx, v, append(named, source))
	if errors.Is(err, errTooFar) {
		return "", nil, broken(source, "a command names a link that leads on and on")
	}
	if err != nil {
		return "", nil, err
	}
	var contents []Content
	room := maxKept
	sum := sha256.New()
	fmt.Fprintf(sum, "sidefork setup 1 %q\n", source)
	for _, p := range slices.Sorted(maps.Keys(covered)) {
		text, err := v.read(ctx, p, maxCovered)
		if errors.Is(err, errTooBig) {
			return "", nil, broken(source, p+", which a command names, is larger than 16 MiB")
		}
		if err != nil {
			return "", nil, err
		}
		content := contentOf(p, covered[p], text)
		if p != source { // which is always kept
			if room -= len(content.Text); room < 0 {
				content.Text, room = nil, 0
			}
		}
		contents = append(contents, content)
		fmt.Fprintf(sum, "%d %q %d\n", covered[p], p, len(text))
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil)), contents, nil
}

// follow gives the files that the paths lead to, and the links on the way: all that decides what is read under a path.
func follow(ctx context.Context, v View, paths []string) (map[string]kind, error) {
	covered := map[string]kind{}
	for range maxHops {
		var asked []string
		for _, p := range paths {
			for at := p; at != "."; at = path.Dir(at) {
				asked = append(asked, at)
			}
		}
		slices.Sort(asked)
		kinds, err := v.kinds(ctx, slices.Compact(asked))
		if err != nil {
			return nil, err
		}
		var next []string
		for _, p := range paths {
			at, is := firstLeaf(kinds, p)
			if is != file && is != link || is == file && at != p {
				continue
			}
			covered[at] = is
			if is == file {
				continue
			}
			text, err := v.read(ctx, at, maxFile)
			if err != nil {
				return nil, err
			}
			to := inside(path.Dir(at), string(text)+strings.TrimPrefix(p, at))
			if to != "" {
				next = append(next, to)
			}
		}
		if len(next) == 0 {
			return covered, nil
		}
		paths = next
	}
	return nil, errTooFar
}

// firstLeaf is the first on a path, from the top, that is no folder.
func firstLeaf(kinds map[string]kind, p string) (string, kind) {
	for i := range p {
		if p[i] == '/' && kinds[p[:i]] != folder {
			return p[:i], kinds[p[:i]]
		}
	}
	return p, kinds[p]
}

var (
	quoted  = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	entered = regexp.MustCompile(`(?:\b(?:cd|pushd)|\s-C|--(?:prefix|cwd|dir|directory)[= ])\s*["']?([^\s;&|"']+)`)
)

// names gives every path inside the repository that a word of the commands may be: as it stands, in quotes, and below each
// folder that a command goes into.
func names(commands []string) []string {
	var words, folders []string
	for _, command := range commands {
		const blank = "\x00"
		escaped := strings.ReplaceAll(command, `\ `, blank)
		for _, word := range strings.FieldsFunc(escaped, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>\"'`$={}[],:!", r) }) {
			words = append(words, strings.ReplaceAll(word, blank, " "))
		}
		for _, q := range quoted.FindAllString(command, -1) {
			words = append(words, q[1:len(q)-1])
		}
		for _, m := range entered.FindAllStringSubmatch(command, -1) {
			folders = append(folders, m[1])
		}
	}
	var paths []string
	for _, below := range append([]string{"."}, folders...) {
		for _, word := range words {
			for _, p := range []string{word, strings.ReplaceAll(word, `\`, "/")} {
				if at := inside(below, p); at != "" {
					paths = append(paths, at)
				}
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// inside is a path below a folder, from the top level; "" where it leads out of the repository, or nowhere.
func inside(below, p string) string {
	if p == "" || len(p) > 512 || path.IsAbs(p) || strings.ContainsAny(p, "\x00\n") {
		return ""
	}
	at := path.Clean(path.Join(below, p))
	if at == "." || at == ".." || strings.HasPrefix(at, "../") || path.IsAbs(at) || at == ".git" || strings.HasPrefix(at, ".git/") {
		return ""
	}
	return at
}
