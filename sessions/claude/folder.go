package claude

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf16"
)

// folderLimit is how many UTF-16 units of a path Claude Code keeps in a project folder's name.
const folderLimit = 200

// folderName is the name of the project folder for sessions that were started in the physical path cwd: each UTF-16
// unit that is no ASCII letter or digit becomes a dash, and a long name is cut and told apart by a hash of the whole path.
// It cannot be turned back, and different paths share a name: only the cwd inside a transcript says where it belongs.
func folderName(cwd string) string {
	units := utf16.Encode([]rune(cwd))
	coded := dashes(units)
	if len(coded) <= folderLimit {
		return coded
	}
	var hash int32
	for _, u := range units {
		hash = hash*31 + int32(u)
	}
	size := int64(hash)
	return coded[:folderLimit] + "-" + strconv.FormatInt(max(size, -size), 36)
}

func dashes(units []uint16) string {
	var coded strings.Builder
	for _, u := range units {
		switch {
		case 'a' <= u && u <= 'z', 'A' <= u && u <= 'Z', '0' <= u && u <= '9':
			coded.WriteByte(byte(u))
		default:
			coded.WriteByte('-')
		}
	}
	return coded.String()
}

// mayHold says whether the project folder called folder can hold sessions started in top or below it.
func mayHold(folder, top string) bool {
	top = filepath.Clean(top)
	if folder == folderName(top) {
		return true
	}
	below := dashes(utf16.Encode([]rune(strings.TrimSuffix(top, string(filepath.Separator)) + string(filepath.Separator))))
	return strings.HasPrefix(folder, below[:min(len(below), folderLimit)])
}

// launchFolder finds the folder that a session was started in when only a later one is known: the one of cwd and the
// folders above it that the project folder is named after. "" where none is.
func launchFolder(cwd, project string) string {
	for filepath.IsAbs(cwd) {
		if folderName(cwd) == project {
			return cwd
		}
		above := filepath.Dir(cwd)
		if above == cwd {
			break
		}
		cwd = above
	}
	return ""
}
