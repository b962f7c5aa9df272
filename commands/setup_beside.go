package commands

import (
	"context"
	"path/filepath"
	"time"

	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands/setup"
)

// endLimit is how long what a setup has started may take to end when it is told to.
const endLimit = 5 * time.Second

// setsUpBeside says whether a setup runs beside the agent: where the user wants it so, and somebody stays to look after it.
func (e *Env) setsUpBeside() bool {
	wait := e.Settings.Setup.Wait
	return wait != nil && !*wait && e.Task != nil
}

// setUpBeside runs the setup of a child that is the user's already. Its end is told (sidefork/setup); what cancels the task,
// or ends this process, ends all that the setup has started, and the child stays.
func setUpBeside(env *Env, operationID string, child worktree.Worktree, at setup.Place, choice setupChoice) {
	done := env.Memory.setsUp(child.Path)
	env.Task(env.Language().Text(SettingUp.Title()), func(ctx context.Context) {
		defer done()
		told := SetupParams{OperationID: operationID, Workspace: child.Path}
		if choice.stillIn(ctx, child) {
			end := performSetup(ctx, env, operationID, choice.found, at)
			if ctx.Err() != nil {
				end.left.End(endLimit)
			}
			told.Setup, told.Warning = end.SetupResult, end.warning
		} else {
			w := warning("setupChanged", "", "file", choice.found.Source)
			if ctx.Err() != nil {
				w = warning("setupStopped", "", "file", choice.found.Source)
			}
			told.Warning = &w
		}
		if w := told.Warning; w != nil {
			env.log().Warn("setup: " + w.Message)
		}
		if env.Notify != nil {
			env.Notify("sidefork/setup", told)
		}
	})
}

// setsUp remembers that a workspace is being set up, until done.
func (m *Memory) setsUp(workspace string) (done func()) {
	if m == nil {
		return func() {}
	}
	m.setups.Store(filepath.Clean(workspace), true)
	return func() { m.setups.Delete(filepath.Clean(workspace)) }
}

// isSettingUp says whether this process runs a workspace's setup now.
func (m *Memory) isSettingUp(workspace string) bool {
	if m == nil {
		return false
	}
	_, running := m.setups.Load(filepath.Clean(workspace))
	return running
}
