// manual writes what `make install` puts beside the program: man pages, and completions for bash, zsh, fish and PowerShell, all
// made from the command line itself. It is no part of the program, which needs neither.
//
//	manual FOLDER VERSION
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/sidefork/sidefork/cmd/sidefork/cli"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: manual FOLDER VERSION")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

// write fills folder, which is laid out as a PREFIX/share.
func write(folder, version string) error {
	root := cli.Commands(version)
	root.DisableAutoGenTag = true // the same each time
	header := &doc.GenManHeader{Section: "1", Source: "sidefork " + version, Manual: "sidefork"}
	seconds, _ := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	date := time.Unix(seconds, 0).UTC()
	header.Date = &date
	man := filepath.Join(folder, "man", "man1")
	if err := os.MkdirAll(man, 0o755); err != nil {
		return err
	}
	if err := doc.GenManTree(root, header, man); err != nil {
		return err
	}
	for path, generate := range map[string]func(*cobra.Command, string) error{
		"bash-completion/completions/sidefork": func(c *cobra.Command, path string) error { return c.GenBashCompletionFileV2(path, true) },
		"zsh/site-functions/_sidefork":         func(c *cobra.Command, path string) error { return c.GenZshCompletionFile(path) },
		"fish/vendor_completions.d/sidefork.fish": func(c *cobra.Command, path string) error {
			return c.GenFishCompletionFile(path, true)
		},
		"sidefork/completions/sidefork.ps1": func(c *cobra.Command, path string) error { return c.GenPowerShellCompletionFileWithDesc(path) },
	} {
		path = filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := generate(root, path); err != nil {
			return err
		}
	}
	return nil
}
