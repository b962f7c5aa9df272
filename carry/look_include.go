package carry

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
)

// Ignored files come where they are asked for: by the options' patterns, or by a file of patterns in the source. Which
// ones a pattern means is git's to say; a pattern only ever selects, among what git's status calls ignored.

// includeFile is the file of patterns, at the top level. One that is a link is not read, as git reads no such .gitignore;
// it, or a folder, is named in the plan.
const includeFile = ".worktreeinclude"

const includeFileLimit = 1 << 20 // bytes

// include adds the ignored files that are asked for.
func (p *Plan) include(ctx context.Context, parent *tree, choice choice) error {
	patterns, err := p.patterns(parent)
	if len(bytes.TrimSpace(patterns)) == 0 || len(p.seen.status.Ignored) == 0 || p.Refused() != nil || err != nil {
		return err
	}
	r := p.seen
	if err := r.makePrivate(); err != nil {
		return err
	}
	list := filepath.Join(r.private.path, "include")
	if err := os.WriteFile(list, patterns, 0o600); err != nil {
		return fmt.Errorf("carry: write the patterns: %w", err)
	}
	denied, err := r.exploreIgnored(ctx, parent)
	if err != nil {
		return err
	}
	if err := p.refuseUnlisted(ctx, list, denied); err != nil {
		return err
	}
	limits := p.opts.Limits.orDefault()
	closed := setOf(r.around.nested)
	var names []string
	count, counts := 0, map[string]int64{}
	err = git.Matched(ctx, r.command(), list, func(name string) {
		from := within(r.ignored, name)
		if from == "" || strings.HasSuffix(name, "/") || p.named[name] != nil || within(closed, name) != "" || !choice.takes(name) {
			return
		}
		count++
		counts[from]++
		if count <= limits.IncludedFiles {
			names = append(names, name)
		}
	})
	if err != nil {
		return err
	}
	if count > limits.IncludedFiles {
		p.refuse("tooManyIncluded", "count", strconv.Itoa(count), "limit", strconv.Itoa(limits.IncludedFiles), "path", most(counts))
		return nil
	}
	return p.takeIncluded(ctx, parent, names, limits.IncludedBytes)
}

// patterns are those of the file, then those of the options: of two that match a path the later one decides.
func (p *Plan) patterns(parent *tree) (patterns []byte, err error) {
	if p.opts.IncludeFile {
		if patterns, p.IncludeFile, err = readPatterns(parent); isDenied(err) {
			p.refuse("unreadable", "path", includeFile)
			return nil, nil
		} else if err != nil {
			return nil, fmt.Errorf("carry: read %s: %w", includeFile, err)
		}
		if len(patterns) > includeFileLimit {
			p.refuse("unsupportedState", "what", includeFile+" is larger than "+strconv.Itoa(includeFileLimit)+" bytes")
			return nil, nil
		}
	}
	for _, pattern := range p.opts.Include {
		patterns = append(append(patterns, '\n'), pattern...)
	}
	return patterns, nil
}

func readPatterns(parent *tree) (patterns []byte, instead string, err error) {
	f, err := parent.open(includeFile)
	if isAbsent(err) || isLoop(err) {
		s, err := parent.lookup().lstat(includeFile)
		return nil, map[kind]string{link: "a link", folder: "a folder", special: "a special file"}[s.kind], err
	}
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	patterns, err = io.ReadAll(io.LimitReader(f, includeFileLimit+1))
	return patterns, "", err
}

// exploreIgnored lists the ignored folders, for what git does not tell of them, and gives those that may not be listed.
func (r *reading) exploreIgnored(ctx context.Context, parent *tree) (denied []string, err error) {
	var folders []string
	r.ignored = map[string]bool{}
	for _, name := range r.status.Ignored {
		folder, isFolder := strings.CutSuffix(name, "/")
		r.ignored[folder] = true
		if isFolder {
			folders = append(folders, folder)
		}
	}
	x, err := listBelow(ctx, &explorer{tree: parent}, folders)
	if err != nil {
		return nil, err
	}
	r.around.nested = append(r.around.nested, x.nested...)
	r.around.specials = append(r.around.specials, x.specials...)
	return x.denied, nil
}

// refuseUnlisted refuses a folder that is asked for and may not be listed.
func (p *Plan) refuseUnlisted(ctx context.Context, list string, denied []string) error {
	if len(denied) == 0 {
		return nil
	}
	asked := map[string]bool{}
	if err := git.MatchedFolders(ctx, p.seen.command(), list, func(name string) { asked[name] = true }); err != nil {
		return err
	}
	nested := setOf(p.seen.around.nested)
	for _, folder := range denied {
		if within(asked, folder) != "" && within(nested, folder) == "" {
			p.refuse("unreadable", "path", folder)
		}
	}
	return nil
}

func (p *Plan) takeIncluded(ctx context.Context, parent *tree, names []string, limit int64) error {
	stats, denied := make([]stat, len(names)), make([]bool, len(names))
	err := inParallel(ctx, len(names), func(_ context.Context, from, to int) (err error) {
		look := parent.lookup()
		for i := from; i < to; i++ {
			stats[i], err = look.lstat(names[i])
			if denied[i] = isDenied(err); err != nil && !denied[i] {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var total int64
	sizes := map[string]int64{}
	for i, name := range names {
		if denied[i] {
			p.refuse("unreadable", "path", name)
		}
		if kind := stats[i].kind; kind != file && kind != link {
			continue // it went away meanwhile
		}
		p.take(name, stats[i], false, included)
		if stats[i].kind == file {
			total += stats[i].size
			sizes[within(p.seen.ignored, name)] += stats[i].size
		}
	}
	p.includedBytes = total
	if total > limit {
		p.refuse("includedTooBig", "bytes", strconv.FormatInt(total, 10), "limit", strconv.FormatInt(limit, 10), "path", most(sizes))
	}
	return nil
}

// within is the innermost path of a set that is the name itself or a folder above it, "" where there is none.
func within(set map[string]bool, name string) string {
	for at := strings.TrimSuffix(name, "/"); at != "."; at = path.Dir(at) {
		if set[at] {
			return at
		}
	}
	return ""
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// most is the name that counts most, the first by name of several.
func most(counts map[string]int64) string {
	best := ""
	for name, n := range counts {
		if n > counts[best] || n == counts[best] && name < best {
			best = name
		}
	}
	return best
}
