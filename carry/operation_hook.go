package carry

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/group"
	"github.com/sidefork/sidefork/carry/worktree"
)

// HookResult is what became of the repository's post-checkout hook.
type HookResult struct {
	Ran     bool     // there is a hook, and it was started
	Failed  bool     // it ended with another status than 0, or could not be run
	Exit    int      // its exit status; -1 where it could not be run
	Output  string   // the end of what it printed, as it printed it
	Changed []string // paths that it changed, made or removed in the child, sorted; ignored ones too
}

const jobsLimit = 2 * time.Second // that a hook's background job has to end when it is asked to

const hookOutput = 8 << 10 // bytes of a hook's output that are kept: the end says what went wrong

// RunHook runs the repository's post-checkout hook in the child that Create made, as git would have run it. The journal
// says so before it runs: from then on anything may have been written in the child. A job that the hook leaves in the
// background keeps nobody waiting; RollBack ends it. Where there is no hook no process is started.
func (o *Operation) RunHook(ctx context.Context, child worktree.Worktree) HookResult {
	if !runnable(o.hookFile) {
		return HookResult{}
	}
	result := HookResult{Ran: true}
	if err := o.runHook(ctx, child, &result); err != nil {
		result.Failed, result.Exit = true, git.ExitStatus(err)
		if result.Output == "" {
			result.Output = err.Error()
		}
	}
	return result
}

func (o *Operation) runHook(ctx context.Context, child worktree.Worktree, result *HookResult) error {
	before, err := looksOf(ctx, child.Path)
	if err != nil {
		return err
	}
	if err := o.noteHooks(); err != nil {
		return err
	}
	log, err := os.CreateTemp("", "sidefork-hook-*")
	if err != nil {
		return fmt.Errorf("carry: hook: %w", err)
	}
	defer os.Remove(log.Name())
	defer log.Close()
	left, failed := git.RunPostCheckout(ctx, child.Path, o.hookFile, child.Head, log)
	o.jobs = append(o.jobs, left)
	result.Output = tail(log)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	after, err := looksOf(ctx, child.Path)
	if err != nil {
		return err
	}
	step := CarryStep{Target: child.Path, TargetGitDir: child.GitDir, Fresh: true}
	for path, now := range after {
		if was, known := before[path]; !known || was != now {
			result.Changed = append(result.Changed, path)
			step.Paths = append(step.Paths, now.written(path))
		}
	}
	for path := range before {
		if _, still := after[path]; !still { // as the commit has it again
			result.Changed = append(result.Changed, path)
			step.Paths = append(step.Paths, WrittenPath{Path: []byte(path), Kind: "restored"})
		}
	}
	slices.Sort(result.Changed)
	if len(step.Paths) > 0 { // so that a later process knows them from the user's work
		if err := o.Will(Step{Carry: &step}); err != nil {
			return err
		}
	}
	return failed
}

// RunSetup lets run do in the child what it likes, after the hook. The journal says so before: from then on RollBack takes
// the child away as a whole, and a later process, which cannot tell run's work from the user's, keeps it. run gives what it
// has left running, which keeps nobody waiting; RollBack ends it.
func (o *Operation) RunSetup(run func() group.Jobs) error {
	if err := o.noteHooks(); err != nil {
		return err
	}
	o.jobs = append(o.jobs, run())
	return nil
}

func (o *Operation) noteHooks() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.journal.say(said{What: saidHooks}, true)
}

// runnable says whether git would run the hook file.
func runnable(hookFile string) bool {
	if hookFile == "" {
		return false
	}
	info, err := os.Stat(hookFile)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}

// sight is what a path that differs from the commit looks like.
type sight struct {
	staged bool
	there  bool
	mode   os.FileMode
	size   int64
	mtime  int64
}

func (s sight) written(path string) WrittenPath {
	w := WrittenPath{Path: []byte(path), Kind: "file", Size: s.size, MTime: s.mtime}
	switch {
	case !s.there:
		return WrittenPath{Path: []byte(path), Kind: "removed"}
	case s.mode.IsDir():
		return WrittenPath{Path: []byte(path), Kind: "dir"}
	case s.mode&os.ModeSymlink != 0:
		return WrittenPath{Path: []byte(path), Kind: "link"}
	}
	return w
}

// looksOf sees every path of a child that is not as its commit has it.
func looksOf(ctx context.Context, top string) (map[string]sight, error) {
	paths, err := git.StatusPaths(ctx, top, "none")
	if err != nil {
		return nil, err
	}
	looks := make(map[string]sight, len(paths))
	for _, p := range paths {
		s := sight{staged: p.Staged}
		if info, err := os.Lstat(filepath.Join(top, filepath.FromSlash(p.Path))); err == nil {
			s.mode, s.size, s.mtime, s.there = info.Mode(), info.Size(), info.ModTime().UnixNano(), true
		}
		looks[p.Path] = s
	}
	return looks, nil
}

// tail is the end of a file.
func tail(file *os.File) string {
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	text, _ := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-hookOutput), hookOutput))
	return string(text)
}
