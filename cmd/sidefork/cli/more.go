package cli

import (
	"maps"
	"slices"

	"github.com/sidefork/sidefork/commands"
)

// shows are the commands that show more of what a failure is about, by what that is. What is in none of them is about
// the machine: sidefork doctor.
var shows = map[string][]string{
	"sidefork --help":   {"invalidArgument", "unknownCommand"},
	"sidefork settings": {"settingsBroken", "settingIgnored", "repositorySettingIgnored"},
	"sidefork workspaces": {
		"missing", "notAFolder", "bare", "detached", "unborn", "operationInProgress", "nameTaken", "nameConflict", "folderTaken", "sameWorkspace",
		"otherRepository", "insideOther", "branchElsewhere", "mainCheckout", "lineageCycle", "mainHasNoParent", "noParent", "locked", "nestedWorktree",
		"intoParent", "baseMismatch",
	},
	"sidefork inspect": {
		"unmerged", "unreadable", "tooManyFiles", "tooManyBytes", "tooManyIncluded", "includedTooBig", "linkInTheWay", "unsupportedState", "uncommitted",
		"targetDirty", "carryNeedsParent", "noSetup", "setupBroken", "setupNotTrusted", "setupHashWrong", "setupNotRun", "setupChanged", "trustNotKept",
		"parentChanging", "parentMoved", "includeIgnored", "hookWrote", "submoduleUnknown",
	},
	"sidefork fork --help":   {"invalidName", "badFolder", "refUnknown", "insideParent", "promptNotTaken"},
	"sidefork carry --help":  {"mergeConflict", "mergeFiltered", "collision", "targetMoved"},
	"sidefork remove --help": {"onlyHere", "nestedRepository"},
	"sidefork sessions": {
		"sessionUnknown", "sessionElsewhere", "sessionBroken", "sessionEmpty", "sessionArchived", "sessionSubagent", "sessionParentGone", "noSession",
		"invalidSession", "sessionInUse", "sessionMaybeInUse", "resumeMayConflict", "resumeUnclear", "agentLive", "agentMaybeLive", "workspaceBusy",
		"workspaceMaybeBusy", "turnsUnknown", "sessionNotForked",
	},
	"sidefork sessions --help": {"turnUnknown", "turnIsCompaction", "turnOpen"},
	"sidefork attach":          {"terminalUnknown", "startUnknown", "startFailed", "startWaits", "draftNotTyped"},
	"sidefork recover":         {"rollbackStuck", "removeStuck", "recoveryFailed", "recoveryKept"},
}

// moreOf is the command that shows more of what a failure is about.
func moreOf(f *commands.Failure) string {
	for _, command := range slices.Sorted(maps.Keys(shows)) {
		if slices.Contains(shows[command], f.Reason.Code) {
			return command
		}
	}
	return "sidefork doctor"
}
