package carry

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"
)

const tempPrefix = ".sf-"

// temp is the path's temporary name, from the top level; "" where it has none.
func (p WrittenPath) temp() string {
	if !strings.HasPrefix(p.Temp, tempPrefix) || path.Base(p.Temp) != p.Temp {
		return ""
	}
	return path.Join(path.Dir(string(p.Path)), p.Temp)
}

// withoutOthersTemps is the step less the temporary names at which something lies that it was not writing.
func (u undo) withoutOthersTemps(step CarryStep) CarryStep {
	t, err := openTree(step.Target)
	if err != nil {
		return step // takeBack will say so
	}
	defer t.close()
	step.Paths = slices.Clone(step.Paths)
	for i, p := range step.Paths {
		if p.temp() != "" && !isTemp(t, p, u.journal.source) {
			step.Paths[i].Temp = ""
		}
	}
	return step
}

// isTemp says whether what lies at the path's temporary name is what the operation was writing there. A name with a tag
// (.sf-TAG-N) is nobody else's. One without (.sf-N) may be a user's file: it must be as far as it goes what is in source.
func isTemp(t *tree, p WrittenPath, source string) bool {
	name := p.temp()
	look := t.lookup()
	if real, err := look.real(path.Dir(name)); name == "" || !real || err != nil {
		return false
	}
	s, err := t.at(name)
	if err != nil {
		return false
	}
	switch {
	case p.Kind == "link" && s.kind == link:
		text, err := t.readlink(name)
		return err == nil && text == string(p.Link)
	case p.Kind != "file" || s.kind != file:
		return false
	}
	tagged := strings.Contains(p.Temp[len(tempPrefix):], "-")
	return tagged || s.size <= p.Size && begins(t, name, s.size, source, string(p.Path))
}

// begins says whether the file of a source begins with all of the size bytes of another.
func begins(t *tree, name string, size int64, source, whole string) bool {
	from, err := openTree(source)
	if err != nil {
		return false
	}
	defer from.close()
	a, err := t.open(name)
	if err != nil {
		return false
	}
	defer a.Close()
	b, err := from.open(whole)
	if err != nil {
		return false
	}
	defer b.Close()
	same, err := sameContent(context.Background(), io.LimitReader(a, size), io.LimitReader(b, size), size)
	return err == nil && same
}
