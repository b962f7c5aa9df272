package remote

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sidefork/sidefork/commands"
)

// Installed is what an installation there has done.
type Installed struct {
	Host     string `json:"host"`
	Platform string `json:"platform"` // GOOS/GOARCH
	Version  string `json:"version"`  // as the copied program says it there
	SHA256   string `json:"sha256"`
	Program  string `json:"program"` // ~/.local/share/sidefork/VERSION/sidefork
	Link     string `json:"link"`    // ~/.local/bin/sidefork, which leads there
	Done     string `json:"done"`    // installed; present: all of it was there
}

// Install puts sidefork there, for that user alone: the program of the host's platform from the folder dist
// (sidefork-GOOS-GOARCH), or this program itself where dist is "" and the platform is the same. It is copied beside its place,
// its checksum taken there and the program run once, before a rename puts it in its place and another the link. What was
// there goes on running; older versions stay. A link or file of somebody else's at ~/.local/bin/sidefork is refused.
func (h *Host) Install(ctx context.Context, dist string) (*Installed, *commands.Failure) {
	said, _, failed := h.output(ctx, "uname -sm", nil)
	if failed != nil {
		return nil, failed
	}
	platform := platformOf(said)
	if platform == "" {
		return nil, commands.Refuse("hostPlatform", "host", h.opt.Name, "what", strings.TrimSpace(said))
	}
	program, failed := h.programFor(platform, dist)
	if failed != nil {
		return nil, failed
	}
	file, err := os.Open(program)
	if err != nil {
		return nil, h.notInstalled(err.Error())
	}
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, h.notInstalled(err.Error())
	}
	sum := hex.EncodeToString(hash.Sum(nil))
	found, status, failed := h.output(ctx, commands.POSIXLine([]string{"sh", "-c", lookScript, "sh", sum}), nil)
	if failed == nil && status != 0 {
		return nil, h.inTheWay(found)
	}
	done := "present"
	if failed == nil && found == "" {
		done = "installed"
		found, status, failed = h.output(ctx, commands.POSIXLine([]string{"sh", "-c", installScript, "sh", sum}), file)
	}
	if failed != nil {
		return nil, failed
	}
	r := Installed{Host: h.opt.Name, Platform: platform, SHA256: sum, Done: done}
	for in := bufio.NewScanner(strings.NewReader(found)); in.Scan(); {
		switch name, value, _ := strings.Cut(in.Text(), " "); name {
		case "version":
			r.Version = value
		case "program":
			r.Program = value
		case "link":
			r.Link = value
		case "failed":
			return nil, h.notInstalled(value)
		}
	}
	if status != 0 || r.Link == "" {
		return nil, h.notInstalled(strings.TrimSpace(found))
	}
	return &r, nil
}

func (h *Host) notInstalled(what string) *commands.Failure {
	return commands.Refuse("hostInstallFailed", "host", h.opt.Name, "what", strings.TrimSuffix(what, "."))
}

func (h *Host) inTheWay(what string) *commands.Failure {
	return commands.Refuse("hostHasAnother", "host", h.opt.Name, "path", strings.TrimSpace(what))
}

// platformOf reads `uname -sm`; "" is one that sidefork is not made for.
func platformOf(said string) string {
	system, machine, _ := strings.Cut(strings.TrimSpace(said), " ")
	goos := map[string]string{"Linux": "linux", "Darwin": "darwin"}[system]
	arch := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[machine]
	if goos == "" || arch == "" {
		return ""
	}
	return goos + "/" + arch
}

// programFor is the file that runs on a platform.
func (h *Host) programFor(platform, dist string) (string, *commands.Failure) {
	if dist != "" {
		path := filepath.Join(dist, "sidefork-"+strings.ReplaceAll(platform, "/", "-"))
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			return "", commands.Refuse("hostNoProgram", "host", h.opt.Name, "platform", platform, "path", path)
		}
		return path, nil
	}
	self, err := os.Executable()
	if err != nil || platform != runtime.GOOS+"/"+runtime.GOARCH {
		return "", commands.Refuse("hostNoProgram", "host", h.opt.Name, "platform", platform, "path", "sidefork-"+strings.ReplaceAll(platform, "/", "-"))
	}
	return self, nil
}

// What both scripts know: where things go, and how this host takes a checksum.
const common = `
share=$HOME/.local/share/sidefork bin=$HOME/.local/bin
sum() { { sha256sum 2>/dev/null || shasum -a 256 2>/dev/null || openssl dgst -sha256 -r; } <"$1" | cut -d' ' -f1; }
tell() { printf 'version %s\nprogram %s\nlink %s\n' "$1" "$share/$1/sidefork" "$bin/sidefork"; }
`

// lookScript tells what is there where that is what is wanted, and fails with the path of what is somebody else's.
const lookScript = `set -u` + common + `
if [ -e "$bin/sidefork" ] || [ -L "$bin/sidefork" ]; then
	at=$(readlink "$bin/sidefork") || at=
	case $at in
	"$share"/*/sidefork) ;;
	*) echo "$bin/sidefork"; exit 1 ;;
	esac
	if [ -f "$at" ] && [ "$(sum "$at")" = "$1" ]; then
		version=${at#"$share"/}
		tell "${version%/sidefork}"
	fi
fi
exit 0
`

// installScript reads the program. Until the first mv it has only written a file of its own, which it removes again.
const installScript = `set -eu
umask 022` + common + `
mkdir -p "$share" "$bin"
new=$(mktemp "$share/.new.XXXXXX")
trap 'rm -f "$new"' EXIT
trap 'exit 1' HUP INT TERM
fail() { echo "failed $*"; exit 1; }
cat >"$new" || fail "the program could not be written to $share"
[ -n "$(sum "$new")" ] || fail "it has no sha256sum, shasum or openssl"
[ "$(sum "$new")" = "$1" ] || fail "what has arrived is not what was sent"
chmod 755 "$new"
said=$("$new" version 2>&1 | head -n 1)
version=${said#sidefork } version=${version%% *}
case $said in
"sidefork $version "*) ;;
*) fail "it does not run there: $said" ;;
esac
case $version in
'' | .* | *[!A-Za-z0-9._+\(\)-]*) fail "it does not run there: $version" ;;
esac
mkdir -p "$share/$version"
mv -f "$new" "$share/$version/sidefork"
ln -s "$share/$version/sidefork" "$bin/.sidefork.$$"
mv -f "$bin/.sidefork.$$" "$bin/sidefork"
tell "$version"
`
