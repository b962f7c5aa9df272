//go:build unix

package carry

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

var rulesFlag = flag.Bool("rules", false, "fork under all rules, not a sample of them")

// TestCarryUnderRulesThatChange changes .gitattributes in each way over files of each kind of content: rules from the
// first commit on, since a later one, only on disk, only staged, or taken away on disk.
func TestCarryUnderRulesThatChange(t *testing.T) {
	t.Parallel()
	contents := map[string]string{
		"lf": "one\ntwo\n", "crlf": "one\r\ntwo\r\n", "mixed": "one\r\ntwo\n", "cr": "one\rtwo\n", "none": "one", "binary": "a\x00b\r\n",
		"id": "$Id$\none\n", "ids": "$Id: 0123456789012345678901234567890123456789 $\none\n", "upper": "ONE\nTWO\n", "utf": "\xc3\xa9\n",
	}
	write := func(r *repo) {
		for name, text := range contents {
			r.write("f/"+name+".txt", text)
			r.write("g/"+name+".txt", text)
		}
	}
	rules := []string{"text", "text=auto", "-text", "text eol=crlf", "text eol=lf", "text=auto eol=crlf", "ident", "filter=up", "working-tree-encoding=UTF-16LE-BOM", "!text"}
	configs := [][2]string{{"", ""}, {"core.autocrlf", "true"}, {"core.autocrlf", "input"}, {"core.eol", "crlf"}}
	n := 0
	for _, rule := range rules {
		for _, when := range []string{"before", "since", "on disk", "staged", "taken away", "hidden", "in info"} {
			for _, config := range configs {
				name := rule + "/" + when + "/" + config[0] + "=" + config[1]
				if n++; !*rulesFlag && n%29 != 0 {
					continue // 29 has no factor of the three numbers: all of each come
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					r := newRepo(t)
					r.git("config", "filter.up.clean", "tr a-z A-Z")
					r.git("config", "filter.up.smudge", "tr A-Z a-z")
					if config[0] != "" {
						r.git("config", config[0], config[1])
					}
					line := "f/*.txt " + rule + "\n"
					write(r)
					r.git("add", "f", "g") // as they are, whatever a rule would make of them
					if when == "before" || when == "taken away" || when == "hidden" {
						r.write(".gitattributes", line)
						r.git("add", ".gitattributes")
					}
					r.git("commit", "-q", "-m", "files")
					// The disk as a checkout makes it, and some files as somebody leaves them whom git calls clean.
					r.remove("f", "g")
					r.git("checkout", "-q", "--", ".")
					switch when {
					case "since":
						r.write(".gitattributes", line)
						r.git("add", ".gitattributes")
						r.git("commit", "-q", "-m", "rules")
					case "on disk":
						r.write(".gitattributes", line)
					case "staged":
						r.write(".gitattributes", line)
						r.git("add", ".gitattributes")
						r.remove(".gitattributes")
					case "taken away":
						r.remove(".gitattributes")
					case "hidden":
						r.git("update-index", "--skip-worktree", ".gitattributes")
						r.remove(".gitattributes")
					case "in info":
						must(t, os.MkdirAll(r.path(".git/info"), 0o755))
						must(t, os.WriteFile(r.path(".git/info/attributes"), []byte(line), 0o644))
					}
					if strings.HasPrefix(rule, "ident") { // the same size, and clean
						r.write("f/id.txt", "$Id: abcdefabcdefabcdefabcdefabcdefabcdefabcd $\none\n")
					}
					r.write("f/lf.txt", "one\r\ntwo\r\n")
					r.write("g/lf.txt", "one\ntwo\n")
					_, _ = tryGit(r.top, "update-index", "-q", "--refresh")
					later := time.Now().Add(time.Hour) // the index has nothing to doubt
					must(t, os.Chtimes(r.path(".git/index"), later, later))
					r.carried()
				})
			}
		}
	}
}
