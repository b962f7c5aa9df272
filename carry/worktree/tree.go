package worktree

// Node is a worktree in the tree of parents and children.
type Node struct {
	Worktree
	Parent string // the parent's top level; "" for a root
	Depth  int    // 0 for a root
}

// Tree orders worktrees so that a child comes right after its parent and its elder siblings' trees, siblings in the
// order given. Each one's parent is what its own git folder says (ReadLineage). One whose parent is not among the given
// is a root; a cycle is cut at its first worktree in the given order.
func Tree(list []Worktree) []Node {
	at := make(map[string]int, len(list))
	for i, w := range list {
		at[w.Path] = i
	}
	parent := make([]int, len(list))
	for i, w := range list {
		parent[i] = -1
		if l, err := ReadLineage(w.GitDir); err == nil && l != nil {
			if p, known := at[l.Parent]; known {
				parent[i] = p
			}
		}
	}
	children := make([][]int, len(list))
	var roots []int
	for i := range list {
		up, steps := parent[i], 0
		for up != -1 && up != i && steps < len(list) {
			up, steps = parent[up], steps+1
		}
		if up == i { // on a cycle, and the first of it that is met: the others' cycle is thereby cut
			parent[i] = -1
		}
		if parent[i] == -1 {
			roots = append(roots, i)
		} else {
			children[parent[i]] = append(children[parent[i]], i)
		}
	}
	nodes := make([]Node, 0, len(list))
	var add func(i, depth int)
	add = func(i, depth int) {
		n := Node{Worktree: list[i], Depth: depth}
		if parent[i] != -1 {
			n.Parent = list[parent[i]].Path
		}
		nodes = append(nodes, n)
		for _, c := range children[i] {
			add(c, depth+1)
		}
	}
	for _, r := range roots {
		add(r, 0)
	}
	return nodes
}
