package commands

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/commands/locales"
)

// Reason says to a person why something cannot be done, did not happen, or needs attention, and what to do about it.
// It is in the client's language (translate.go); programs go by Code and Args, which no language changes.
type Reason struct {
	Code    string            `json:"code"`
	Message string            `json:"message"`
	Remedy  string            `json:"remedy,omitempty"`
	Args    map[string]string `json:"args,omitempty"` // what the sentences are filled with, by name
}

// Effect is what a command that failed has left behind.
type Effect string

// The effects of a failure.
const (
	Nothing    Effect = "nothing"    // refused before the first write
	RolledBack Effect = "rolledBack" // written, then undone completely
	Kept       Effect = "kept"       // a roll-back was wanted and could not be completed: Detail names what stands
	Uncertain  Effect = "unknown"    // could not be established: say "may be partially applied"
)

// Failure is the only kind of error that a command returns.
//
// As JSON it is the data of the contract's errors.
type Failure struct {
	Reason Reason `json:"reason"`
	Effect Effect `json:"effect"`
	Detail string `json:"detail,omitempty"`

	// Reasons are all of them where there are several, Reason the first: of a removal, which names everything at once.
	Reasons []Reason `json:"reasons,omitempty"`
}

func (f *Failure) Error() string { return f.Reason.Message }

// reasonTexts is the closed list of reason codes. {name} is filled from the refusal's arguments. Other languages are in
// locales, by these texts.
var reasonTexts = map[string]struct{ message, remedy string }{
	// What was asked.
	"invalidArgument": {"The argument is wrong: {what}.", "Correct it and try again."},
	"unknownCommand":  {"There is no command {name}.", "Update sidefork or the editor's extension, so that both know it."},
	"settingsBroken":  {"The settings in {path} cannot be read: {what}.", "Correct them there, or take them away."},

	// The parent workspace.
	"gitMissing":          {"git is not installed, or not on PATH.", "Install git 2.25 or newer."},
	"gitTooOld":           {"git {version} is too old.", "Install git 2.25 or newer."},
	"pathNotUTF8":         {"The path {path} is not valid UTF-8, which the protocol cannot carry.", "Rename the folder, or move the repository."},
	"missing":             {"The folder {path} does not exist.", "Choose a workspace that is on disk."},
	"notAFolder":          {"{path} is a file and no folder.", "Name the folder of a workspace."},
	"notARepository":      {"{path} is not inside a git repository.", "Open a folder of a git repository, or run git init and commit once."},
	"bare":                {"{path} is a bare repository: it has no files to fork.", "Fork one of its worktrees."},
	"detached":            {"The workspace is on no branch (detached HEAD).", "Check out a branch first: git switch -c NAME."},
	"unborn":              {"The branch has no commit yet.", "Commit once, then fork."},
	"gitFailed":           {"git could not read the workspace.", "Read the detail, mend its cause, then try again."},
	"unsafeOwner":         {"git refuses {path} because somebody else owns it.", "If you trust it: git config --global --add safe.directory {path}."},
	"operationInProgress": {"A {operation} is in progress in the workspace.", "Finish or abort it, then try again."},
	"unmerged":            {"The index has unmerged paths: {paths}.", "Resolve the conflicts and stage the result, then try again."},
	"unreadable":          {"{path} cannot be read.", "Change its permissions, or fork without the uncommitted changes."},
	"tooManyFiles":        {"There are {count} untracked files; the limit is {limit}.", "Ignore what need not come, raise the setting carry.maxFiles, or fork without the changes."},
	"tooManyBytes":        {"The uncommitted changes are {bytes} bytes; the limit is {limit}.", "Ignore what need not come, raise the setting carry.maxBytes, or fork without the changes."},
	"tooManyIncluded":     {"{count} ignored files are asked for, most of them in {path}; the limit is {limit}.", "Name fewer in .worktreeinclude or include, or raise the setting carry.maxIncludedFiles."},
	"includedTooBig":      {"The ignored files that are asked for are {bytes} bytes, most of them in {path}; the limit is {limit}.", "Name fewer in .worktreeinclude or include, or raise the setting carry.maxIncludedBytes."},
	"linkInTheWay":        {"{path} would be written through the link {link}.", "Replace the link by a folder, or commit the change, then fork."},
	"unsupportedState":    {"The workspace is in a state that cannot be carried: {what}.", "Commit the changes, or fork without them."},
	"temporaryFolder":     {"The temporary folder {path} cannot be used: {what}.", "Set TMPDIR to a folder outside the workspace."},
	"indexLocked":         {"Another git is at work in {path}.", "Wait until it has ended. If none is running, remove its index.lock."},
	"noProgress":          {"Nothing went on for {limit}, and it was ended.", "Look whether the disk, or a program that git runs, hangs, then try again. Where the effect is unknown: sidefork recover."},
	"parentChanging":      {"The workspace kept changing while it was copied: {path}.", "Wait until the agent there pauses, then fork again."},
	"parentMoved":         {"A commit was made in the workspace meanwhile.", "Fork again."},
	"forkInProgress":      {"Another fork of this workspace is running.", "Wait until it has ended, then try again."},

	// The child workspace.
	"invalidName":   {"{name} cannot be a branch: git, or the file that it would be, does not take the name.", "Use letters, digits, dashes and slashes, at most 250 bytes between two slashes."},
	"nameTaken":     {"The branch {name} exists already.", "Choose another name, for example {suggestion}."},
	"nameConflict":  {"The branch {name} cannot exist beside the branch {other}.", "Choose a name that is neither a folder of {other} nor inside it."},
	"folderTaken":   {"{path} is in the way of the new workspace.", "Choose another folder or name."},
	"badFolder":     {"{path} cannot hold the new workspace: {what}.", "Choose another folder."},
	"refUnknown":    {"{ref} names no commit.", "Choose a branch, a tag or a commit that exists."},
	"notItself":     {"git acts on {path} when it is run in the new workspace (core.worktree is set in the shared configuration).", "Move core.worktree into the worktree's own configuration: git config --worktree."},
	"createFailed":  {"git could not create the workspace.", "Read the detail, mend its cause, then fork again."},
	"insideParent":  {"The new workspace lies inside its parent and is not ignored there.", "Add it to .gitignore, or choose another folder."},
	"insideOther":   {"The new workspace lies inside {path}, another workspace that does not ignore it: git shows it there as new.", "Add it to the .gitignore there, or choose another folder."},
	"rollbackStuck": {"It failed and could not be taken back completely.", "Look at what is named in the detail; sidefork recover tries again."},

	// The carry.
	"baseMismatch":     {"The two workspaces are not at the same commit.", "Bring both to the same commit first."},
	"mergeConflict":    {"The changes do not fit what the target workspace has, which is at another commit: {paths}.", "Commit them and merge or rebase with git, or bring both workspaces to the same commit first."},
	"mergeFiltered":    {"Both workspaces have changed a file whose bytes are not those that git keeps (ident, a filter or an encoding): {paths}.", "Commit the changes and merge with git, or bring both workspaces to the same commit first."},
	"collision":        {"The target workspace has files where the changes bring new ones that are not tracked: {paths}.", "Rename or remove them in one of the two."},
	"targetMoved":      {"The target workspace changed meanwhile: {path}.", "Wait until nothing works there, then try again."},
	"intoParent":       {"{path} is the workspace that this one was forked from.", "Look at what would change there (the detail, or --dry-run), then ask for it: --into-parent (intoParent)."},
	"targetDirty":      {"The target workspace has changes of its own: {path}.", "Commit, stash or remove them first."},
	"notChanged":       {"Nothing at {path} is changed in the workspace.", "Choose paths that git status names."},
	"otherRepository":  {"The two workspaces belong to different repositories.", "Choose a workspace of the same repository."},
	"sameWorkspace":    {"Source and target are the same workspace.", "Choose another target."},
	"notRegistered":    {"{path} is not registered as a worktree of its repository.", "Run git worktree repair there."},
	"carryFailed":      {"Copying the uncommitted changes failed at {path}.", "Read the detail, mend its cause, then try again."},
	"proofFailed":      {"{path} is not in the new workspace as it is in its parent.", "Try again; if it fails again, report it."},
	"noSpace":          {"There is no space left on the device while writing {path}.", "Free some space, then try again."},
	"carryNeedsParent": {"Uncommitted changes can only come along from the parent's own commit.", "Start from the parent's commit to bring them."},

	// The session.
	"sessionUnknown":    {"There is no {agent} session {id}.", "List the sessions again: it may have been deleted or belong to another account."},
	"sessionElsewhere":  {"The session {id} belongs to {path}.", "Fork it from that workspace."},
	"sessionBroken":     {"The transcript of session {id} cannot be read: {what}.", "Choose another session, or fork without one."},
	"sessionEmpty":      {"The session {id} has no conversation yet.", "Send its first message, then fork."},
	"sessionArchived":   {"The session {id} is archived.", "Bring it back first: codex unarchive {id}."},
	"sessionSubagent":   {"{id} is a subagent's thread.", "Fork the session that started it."},
	"sessionParentGone": {"The session {id} continues {parent}, whose transcript is gone.", "Choose another session, or fork without one."},
	"turnUnknown":       {"The session {id} has no turn {turn}.", "Choose one of its turns: sidefork sessions --turns --session AGENT:{id}."},
	"turnIsCompaction":  {"At {turn} the conversation was summed up; nobody said anything there.", "Choose the turn before or after it."},
	"turnOpen":          {"The turn {turn} has not ended: it has no answer yet, or a tool is still at work.", "Choose an earlier turn, or wait until it has ended."},
	"turnsUnknown":      {"{agent} cannot fork from an earlier turn.", "Fork the whole session."},
	"turnsTooOld":       {"{agent} {version} cannot fork from an earlier turn.", "Update it, or fork the whole session."},
	"noStateFolder":     {"There is no folder to keep the start of the conversation in.", "Set HOME, or XDG_STATE_HOME to an absolute path."},
	"agentUnknown":      {"sidefork knows no agent {agent}.", "Use one of: {known}."},
	"agentNotInstalled": {"{agent} is not installed, or not on PATH.", "Install it, or fork without a session."},
	"agentTooOld":       {"{agent} {version} cannot fork a session.", "Update it."},
	"agentProbeFailed":  {"{agent} did not tell its version.", "Run it once by hand to see why."},
	"promptNotTaken":    {"{agent} takes no first prompt with a fork.", "Fork without a prompt, and type it in the fork."},
	"noSession":         {"No session of this workspace can be forked.", "See sidefork sessions for why, or fork without a session."},
	"invalidSession":    {"{id} is not a session id.", "Copy it from the list of sessions."},
	"sessionInUse":      {"The command would write into the {agent} session {id}, which is running.", "Fork it instead, or use it where it runs."},
	"sessionMaybeInUse": {"The command would write into the {agent} session {id}, and it cannot be told whether that is running.", "Fork it instead, or make sure that nothing has it open."},
	"resumeMayConflict": {"The command may take up the {agent} session {id}, which is running or may be.", "Name the session that you mean, or fork it."},
	"transcriptOnly":    {"{agent} cannot take up this session: only what its terminal showed is kept.", "Fork it: the fork is given that as a draft."},
	"resumeUnclear":     {"It cannot be told whether the command takes up a session that is running: it holds {what}.", "Write it out, or run it once the sessions have ended."},
	"tmuxMissing":       {"tmux is not installed, or not on PATH.", "Install tmux 3.2 or newer, or have the agent started by the client: --launch client."},
	"tmuxTooOld":        {"{version} is too old.", "Install tmux 3.2 or newer, or have the agent started by the client: --launch client."},
	"noTerminal":        {"{what} is no terminal.", "Run the agent itself, without sidefork run."},
	"noPseudoTerminal":  {"An agent cannot be recorded here: {what}.", "Run the agent itself, without sidefork run."},
	"terminalUnknown":   {"There is no agent {name} in tmux.", "See which there are: sidefork attach."},
	"processesUnknown":  {"The processes of this system cannot be read: {what}.", "Choose the session from the list."},

	// Removing a workspace, and whose child it is.
	"uncommitted":      {"There are changes that are not committed: {paths}.", "Commit or carry them, or force it (uncommitted): they are stored under a ref first."},
	"onlyHere":         {"Commits that no other branch, tag, remote or workspace has: {count}, of {where}.", "Push or merge them, or force it (onlyHere): they are stored under a ref first."},
	"agentLive":        {"An agent is at work there: {sessions}.", "End it first, or force it (agentLive)."},
	"agentMaybeLive":   {"It cannot be told whether an agent is at work there: {sessions}.", "Make sure that none is, then force it (agentMaybeLive)."},
	"locked":           {"The workspace {path} is locked.", "Ask who has locked it, then: git worktree unlock, or force it (locked)."},
	"submoduleUnknown": {"sidefork does not look into these submodules, and what is in them would be lost: {paths}.", "Look at them, then force it (submoduleUnknown)."},
	"nestedWorktree":   {"Other workspaces lie inside: {paths}.", "Remove or move them first."},
	"nestedRepository": {"Other repositories lie inside: {paths}.", "Move them elsewhere first."},
	"branchElsewhere":  {"The branch {name} is checked out in {path} too.", "Leave the branch: remove the workspace only."},
	"mainCheckout":     {"{path} is the main checkout: it holds the repository.", "Remove the workspaces that were forked from it; this one is yours."},
	"removeStuck":      {"{path} could not be removed completely.", "Look at what is named in the detail; sidefork recover tries again."},
	"lockedMissing":    {"The workspace {path} is locked, and its folder is not there: it may lie on a disk that is not connected.", "Connect it. If it is gone for good: git worktree unlock {path}, then remove it."},
	"ignored":          {"Files that git ignores, or cannot store, would not come back: {paths}.", "Move them elsewhere, or force it (ignored): they are lost."},
	"archived":         {"The workspace {path} is archived.", "Bring it back first: sidefork archive {path} --restore."},
	"notArchived":      {"The workspace {path} is not archived.", "Choose one that is: sidefork workspaces."},
	"placeTaken":       {"The place of the archived workspace is not free: {path}.", "Move what is there elsewhere, then try again."},
	"archiveStuck":     {"{path} could not be archived completely.", "Look at what is named in the detail; sidefork recover tries again."},
	"archiveBroken":    {"What the archived workspace held cannot be read from {path}.", "Read the detail. Its files are in the ref refs/sidefork/archived/…/files."},
	"restoreUnequal":   {"{path} did not come back as it was archived.", "Try again; if it happens again, report it. The workspace is archived as before."},
	"lineageCycle":     {"{path} was itself forked from {child}.", "Choose a workspace that is not below it."},
	"mainHasNoParent":  {"{path} is the main checkout, which has no parent.", "Choose a workspace that is a linked worktree."},
	"noParent":         {"The workspace has no parent to compare it with.", "Say with which one (with), or set its parent: sidefork adopt."},
	// The repository's setup: refusals where it was asked for, else warnings.
	"noSetup":                  {"The repository has no setup.", "Leave out the decision to run it."},
	"setupBroken":              {"The setup in {file} cannot be read: {what}.", "Correct the file, or fork without its setup: --setup skip."},
	"setupNotTrusted":          {"The setup in {file} was not approved.", "Read what it runs (the detail, and the files that this names), then approve it: sidefork trust WORKSPACE {hash}. Once only: --setup run --setup-hash {hash}."},
	"setupHashWrong":           {"The setup in {file} is not the one that was approved: its hash is {hash}.", "Read what it runs now, then give that hash."},
	"setupNotRun":              {"The setup in {file} was not run: the policy is {policy}.", "Ask for it (--setup run), or run it in the new workspace by hand."},
	"setupChanged":             {"The setup in {file} was not run: in the new workspace it is not what was approved.", "Look at what a hook or a filter has made of it, then run it there by hand."},
	"setupFailed":              {"The setup in {file} failed with exit status {status}.", "The workspace stands; read the detail and the log, then run it there by hand."},
	"setupTooLong":             {"The setup in {file} was ended after {limit}.", "The workspace stands; run it there by hand, or raise the setting setup.timeLimit."},
	"setupStopped":             {"The setup in {file} was ended before it was done.", "The workspace stands; run it there by hand."},
	"setupRunning":             {"The setup of {path} is still running.", "Wait until it has ended, or cancel it."},
	"teardownNotTrusted":       {"The teardown in {file} was not run: it was not approved.", "Read what it would have run (the detail). For other workspaces with the same: sidefork trust WORKSPACE {hash}."},
	"teardownNotRun":           {"The teardown in {file} was not run: the policy is {policy}.", "Run by hand what it would have done, where that matters."},
	"teardownFailed":           {"The teardown in {file} failed with exit status {status}.", "Read the detail and the log; the folder went all the same."},
	"teardownTooLong":          {"The teardown in {file} was ended after {limit}.", "The folder went all the same. Do the rest by hand, or raise the setting setup.timeLimit."},
	"teardownCancelled":        {"The teardown in {file} was cancelled; {path} stands.", "Look at what it has done so far."},
	"trustNotKept":             {"Trust cannot be kept in {path}: {what}.", "Set XDG_STATE_HOME to a folder of your own, outside of the repository."},
	"repositorySettingIgnored": {"{name} in {file} was ignored: a repository cannot set it.", "Use your own settings for it, or remove it."},

	// A fork without a worktree of its own.
	"workspaceBusy":      {"An agent is at work in {path}: {sessions}.", "End it first, or choose another worktree."},
	"workspaceMaybeBusy": {"It cannot be told whether an agent is at work in {path}: {sessions}.", "Make sure that none is: both would write the same files."},
	"sharedFolder":       {"Both conversations work in {path}: on the same files, index and branch.", "Let one of them write at a time, or fork into a worktree."},

	// Another machine (--host), and a connection to it that breaks.
	"hostInvalid":         {"{host} is no host.", "Name it as USER@BOX, or as it is called in your ssh configuration."},
	"sshMissing":          {"{program} is not installed, or not on PATH.", "Install OpenSSH's client, or name one by the setting ssh."},
	"hostUnreachable":     {"{host} cannot be reached by ssh.", "Look why with: ssh -- {host} true."},
	"hostWithoutSidefork": {"There is no sidefork on {host}.", "Put it there: sidefork host install {host}."},
	"hostNotUnderstood":   {"What {host} answers is not understood: {what}.", "A shell there must print nothing to who runs a command by ssh: ssh -- {host} true. If it does not, look with: sidefork doctor --host {host}."},
	"hostTooOld":          {"The sidefork on {host} ({version}) does not serve {what}.", "Update it: sidefork host install {host}."},
	"hostTooNew":          {"The sidefork on {host} ({version}) speaks a newer contract than this one.", "Update sidefork here."},
	"hostPlatform":        {"There is no sidefork for the platform of {host}: {what}.", "Use a host with Linux or macOS on amd64 or arm64."},
	"hostNoProgram":       {"{host} is {platform}, and there is no {path} to put there.", "Name the folder that holds it: sidefork host install {host} --dist FOLDER."},
	"hostHasAnother":      {"{path} on {host} was not put there by sidefork host install.", "Remove it there, or update it the way it came."},
	"hostInstallFailed":   {"sidefork could not be put on {host}: {what}.", "Mend that there, then try again."},
	"lostContact":         {"The connection to {host} was lost, and it is not known what has become of it there.", "It may be partially applied: look at {path} on {host}. Ask later: {command}."},
	"stillRunning":        {"The connection to {host} was lost; it is still running there.", "Ask later what has become of it: {command}."},
	"answerLost":          {"The fork was completed on {host}, but what it answered is not known any more.", "Look at it: sidefork workspaces {path} --host {host}."},
	"notBegun":            {"The connection to {host} was lost before it had begun there, and it will not begin any more.", "Try again."},
	"interrupted":         {"It was cancelled, or its client went away, before it was complete.", "Try again."},

	// After the fork: warnings.
	"cancelTooLate":    {"The fork was complete when it was cancelled.", "Remove the workspace if you do not want it."},
	"changesLeft":      {"The uncommitted changes did not come along: {why}.", "They are in the parent as they were; bring them once its cause is mended: sidefork carry."},
	"includeIgnored":   {"The .worktreeinclude is {what} and was not read.", "Make it a file: its lines say which ignored files come."},
	"hookFailed":       {"The repository's post-checkout hook failed with exit status {status}.", "The workspace stands; read the detail."},
	"hookWrote":        {"The repository's post-checkout hook changed files in the new workspace: {paths}.", "Look at them: they are not in the parent."},
	"sessionNotForked": {"The workspace stands, but {agent} did not store the fork of session {id}: it has no conversation.", "Read the detail, mend its cause and fork again, or start {agent} in it anew."},
	"agentAsks":        {"{agent} will ask whether it may work in {path}: it was not told before to trust this repository.", "Answer it in its terminal; sidefork does not answer for you."},
	"startUnknown":     {"The agent was not seen to start.", "Look at its terminal."},
	"startFailed":      {"The agent has ended with exit status {status} instead of starting: \"{what}\".", "Read the detail, mend its cause, then start it in the workspace by hand."},
	"startWaits":       {"The agent waits for an answer before it starts: \"{what}\".", "Answer it in its terminal."},
	"notLoggedIn":      {"The agent has no account to work with: \"{what}\".", "Log in at its terminal, then send the prompt again."},
	"tmuxFailed":       {"tmux could not start the agent.", "Read the detail; the agent's command is in the result."},
	"draftNotTyped":    {"The transcript was not put into the agent's prompt.", "Paste it there."},
	"settingIgnored":   {"The setting {name} is not known and was ignored.", "Correct or remove it."},
	"recovered":        {"What was interrupted earlier was taken back: {path}.", ""},
	"recoveryFinished": {"What was interrupted earlier was finished: {path}.", ""},
	"recoveryFailed":   {"What was interrupted earlier could not be taken back: {path}.", "Read the detail; sidefork recover tries again."},
	"recoveryKept":     {"What was interrupted earlier was left as it is where it holds something of its own: {path}.", "Look at it, then remove it or use it."},

	"internal": {"sidefork made a mistake.", "Please report it with the log."},
}

// reason fills the message and remedy of a code. A code that is not in the list is a mistake of ours and says so.
func reason(code string, args map[string]string) Reason {
	text, known := reasonTexts[code]
	if !known {
		args, text = map[string]string{}, reasonTexts["internal"]
		text.message += " (no text for " + code + ")"
	}
	var printable map[string]string
	if len(args) > 0 {
		printable = make(map[string]string, len(args))
	}
	for name, value := range args {
		printable[name] = Printable(value)
	}
	fill := filling(printable, locales.Language{})
	return Reason{Code: code, Message: fill.Replace(text.message), Remedy: fill.Replace(text.remedy), Args: printable}
}

// refusal is what carry, worktree and sessions return when something cannot be done: data, nothing written.
type refusal interface {
	error
	ReasonCode() string
	ReasonArgs() map[string]string
	ReasonDetail() string
}

// reasonOf gives the reason of an error: that of the refusal in its chain, else that git failed, else an internal one.
func reasonOf(err error) (r Reason, detail string) {
	if no, ok := errors.AsType[refusal](err); ok {
		return reason(no.ReasonCode(), no.ReasonArgs()), no.ReasonDetail()
	}
	if g, ok := errors.AsType[*git.Error](err); ok {
		return reason("gitFailed", nil), printableText(strings.TrimSpace(g.Stderr))
	}
	return reason("internal", nil), err.Error()
}

// refuse makes a Failure of our own, with nothing written.
func refuse(code string, args ...string) *Failure {
	return &Failure{Reason: reason(code, named(args)), Effect: Nothing}
}

// Codes are all reason codes, sorted.
func Codes() []string { return slices.Sorted(maps.Keys(reasonTexts)) }
